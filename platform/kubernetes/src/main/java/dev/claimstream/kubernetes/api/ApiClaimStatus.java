package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.Comparison;
import dev.claimstream.kubernetes.Difference;
import dev.claimstream.kubernetes.Versioned;
import java.net.HttpURLConnection;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes the status of claims with one strategic merge patch each. Does not retry.
 *
 * <p>As a {@link Sight} it caches the pending claims of the watch, so that a write needs no read before it.
 */
final class ApiClaimStatus implements ClaimStatus, Sight {
    private static final String MARK = "?fieldManager=" + WRITER;
    private static final String WRITE = "/status?fieldValidation=Strict&fieldManager=" + WRITER;

    /** Without this finalizer the resourceclaim controller never deallocates. Claims get it from a policy or from this class. */
    static final String FINALIZER = "resource.kubernetes.io/delete-protection";

    /** Annotation with the version of the claim for which decisions were last invalidated. */
    static final String OUTDATED = "claimstream.dev/outdated-version";

    private static final int UNPROTECTED_MAX = 10_000;

    private final ApiServer server;
    private final InstantSource clock;
    private final Set<String> unprotected = ConcurrentHashMap.newKeySet();
    private final Recent<ObjectKey, Free> recent = new Recent<>();

    /** A pending claim as the watch reported it. */
    private record Free(Versioned claim, boolean isProtected) {}

    ApiClaimStatus(ApiServer server, InstantSource clock) {
        this.server = server;
        this.clock = clock;
    }

    @Override
    public Optional<Versioned> read(ObjectKey claim) {
        Reply reply = server.get(Paths.claim(claim));
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (!reply.isGood()) {
            throw reply.fault("claim %s cannot be read".formatted(claim));
        }
        note(reply.body().path("metadata").path("uid").asText(), isProtected(reply.body()));
        Optional<String> allocatedBy = allocatedBy(reply.body()); // ApiObjects.read removes managedFields
        String version = Served.apiVersion(Paths.api(Kind.RESOURCE_CLAIM));
        Versioned read = switch (ApiObjects.read(Kind.RESOURCE_CLAIM, version, reply.body())) {
            case ApiObjects.Read.Taken(Versioned object) -> object;
            case ApiObjects.Read.NotTaken(String _, String why, Optional<Versioned> held) ->
                held.orElseThrow(() -> new ClusterFault("claim %s cannot be understood: %s".formatted(claim, why)));
        };
        return Optional.of(new Versioned(read.object(), read.version(), allocatedBy));
    }

    @Override
    public void begin() {
        recent.clear();
    }

    @Override
    public void seen(JsonNode json, Versioned object) {
        boolean isFree = ((ResourceClaim) object.object()).allocation().isEmpty();
        if (isFree && !object.object().meta().deleting()) {
            recent.put(object.object().key(), new Free(object, isProtected(json)));
        } else {
            gone(object);
        }
    }

    @Override
    public void gone(Versioned object) {
        recent.drop(object.object().key());
    }

    @Override
    public Optional<Versioned> recall(ObjectKey claim, String uid) {
        Optional<Free> known = recent.get(claim)
                .filter(each -> each.claim().object().meta().uid().equals(uid));
        known.ifPresent(free -> note(uid, free.isProtected()));
        return known.map(Free::claim).or(() -> read(claim));
    }

    /**
     * Returns the field manager of the allocation. An allocation is immutable, so its one field manager has written all of it.
     *
     * <p>A webhook that changes the allocation during admission does not become a field manager.
     */
    private static Optional<String> allocatedBy(JsonNode claim) {
        List<String> managers = claim.path("metadata")
                .path("managedFields")
                .valueStream()
                .filter(each -> each.path("fieldsV1").path("f:status").has("f:allocation"))
                .map(each -> each.path("manager").asText())
                .distinct()
                .toList();
        return managers.size() == 1 ? Optional.of(managers.getFirst()) : Optional.empty();
    }

    private static boolean isProtected(JsonNode claim) {
        return claim.path("metadata")
                .path("finalizers")
                .valueStream()
                .anyMatch(each -> each.asText().equals(FINALIZER));
    }

    /** Remembers whether a write must add the finalizer. */
    private void note(String uid, boolean isProtected) {
        if (isProtected) {
            unprotected.remove(uid);
            return;
        }
        if (unprotected.size() >= UNPROTECTED_MAX) {
            unprotected.clear(); // entries of writes that never came
        }
        unprotected.add(uid);
    }

    @Override
    public Answer write(Change change) {
        recent.drop(change.claim());
        try {
            return switch (change.part()) {
                case VERSION -> outdate(change);
                case ALL, CONSUMERS ->
                    change.allocation().isPresent() && unprotected.remove(change.uid())
                            ? protect(change)
                            : status(change);
            };
        } catch (ClusterFault e) {
            return Answers.of(e);
        }
    }

    /** Writes the invalidated version into an annotation, because a patch without a change does not advance the version. */
    private Answer outdate(Change change) {
        ObjectNode body = ApiServer.JSON.createObjectNode();
        metadata(body, change).putObject("annotations").put(OUTDATED, Long.toString(change.version()));
        Reply reply = server.patch(Paths.claim(change.claim()) + MARK, body.toString());
        return reply.isGood() ? new Answer.Written(ApiObjects.version(reply.body())) : Answers.of(reply);
    }

    @Override
    public Answer mark(Versioned claim, Optional<String> text) {
        recent.drop(claim.object().key());
        ObjectNode body = ApiServer.JSON.createObjectNode();
        ObjectNode annotations = body.putObject("metadata")
                .put("uid", claim.object().meta().uid())
                .put("resourceVersion", Long.toString(claim.version()))
                .putObject("annotations");
        text.ifPresentOrElse(each -> annotations.put(DEALLOCATION, each), () -> annotations.putNull(DEALLOCATION));
        try {
            Reply reply = server.patch(Paths.claim(claim.object().key()) + MARK, body.toString());
            return reply.isGood() ? new Answer.Written(ApiObjects.version(reply.body())) : Answers.of(reply);
        } catch (ClusterFault e) {
            return Answers.of(e);
        }
    }

    private static ObjectNode metadata(ObjectNode body, Change change) {
        return body.putObject("metadata")
                .put("uid", change.uid())
                .put("resourceVersion", Long.toString(change.version()));
    }

    /** Adds the finalizer first: a pending claim with the finalizer does no harm. */
    private Answer protect(Change change) {
        ObjectNode body = ApiServer.JSON.createObjectNode();
        metadata(body, change).putArray("finalizers").add(FINALIZER);
        Reply reply = server.patch(Paths.claim(change.claim()) + MARK, body.toString());
        return reply.isGood()
                ? status(new Change(
                        change.claim(),
                        change.uid(),
                        ApiObjects.version(reply.body()),
                        change.part(),
                        change.allocation(),
                        change.reservedFor()))
                : Answers.of(reply);
    }

    private Answer status(Change change) {
        ObjectNode body = StatusText.of(change, clock.instant().truncatedTo(ChronoUnit.SECONDS));
        Reply reply = server.patch(Paths.claim(change.claim()) + WRITE, body.toString());
        return reply.isGood() ? written(reply.body(), body) : Answers.of(reply);
    }

    private static Answer written(JsonNode claim, JsonNode body) {
        long version = ApiObjects.version(claim);
        if (version == 0) {
            return new Answer.Unknown("the answer to a write is no claim");
        }
        List<Difference> differences = Comparison.of(body.path("status"), claim.path("status"));
        return differences.isEmpty() ? new Answer.Written(version) : new Answer.Altered(version, differences);
    }
}
