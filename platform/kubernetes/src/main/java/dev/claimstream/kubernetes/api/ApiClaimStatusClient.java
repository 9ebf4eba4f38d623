package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.kubernetes.status.Difference;
import dev.claimstream.kubernetes.status.StatusComparison;
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
 * <p>As a {@link ObjectListener} it caches the pending claims of the watch, so that a write needs no read before it.
 */
final class ApiClaimStatusClient implements ClaimStatusClient, ObjectListener {
    private static final String PATCH_QUERY = "?fieldManager=" + WRITER;
    private static final String STATUS_PATCH_QUERY = "/status?fieldValidation=Strict&fieldManager=" + WRITER;

    /** Without this finalizer the resourceclaim controller never deallocates. Claims get it from a policy or from this class. */
    static final String FINALIZER = "resource.kubernetes.io/delete-protection";

    /** Annotation with the version of the claim for which decisions were last invalidated. */
    static final String INVALIDATED_VERSION_ANNOTATION = "claimstream.dev/outdated-version";

    private static final int WITHOUT_FINALIZER_MAX = 10_000;

    private final ApiHttpClient server;
    private final InstantSource clock;
    private final Set<String> withoutFinalizer = ConcurrentHashMap.newKeySet();
    private final RecentCache<ObjectKey, PendingClaim> cache = new RecentCache<>();

    /** A pending claim as the watch reported it. */
    private record PendingClaim(VersionedObject claim, boolean hasFinalizer) {}

    ApiClaimStatusClient(ApiHttpClient server, InstantSource clock) {
        this.server = server;
        this.clock = clock;
    }

    @Override
    public Optional<VersionedObject> read(ObjectKey claim) {
        Reply reply = server.get(Paths.claim(claim));
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (!reply.isSuccess()) {
            throw reply.fault("claim %s cannot be read".formatted(claim));
        }
        trackFinalizer(reply.body().path("metadata").path("uid").asText(), hasFinalizer(reply.body()));
        Optional<String> allocatedBy = allocatedBy(reply.body()); // ApiObjectReader.read removes managedFields
        String version = ServedApis.apiVersion(Paths.api(Kind.RESOURCE_CLAIM));
        VersionedObject read = switch (ApiObjectReader.read(Kind.RESOURCE_CLAIM, version, reply.body())) {
            case ApiObjectReader.ObjectReadResult.Success(VersionedObject object) -> object;
            case ApiObjectReader.ObjectReadResult.Failure(String _, String reason, Optional<VersionedObject> cached) ->
                cached.orElseThrow(() -> new ClusterFault("claim %s cannot be parsed: %s".formatted(claim, reason)));
        };
        return Optional.of(new VersionedObject(read.object(), read.version(), allocatedBy));
    }

    @Override
    public Optional<VersionedObject> readClass(String name) {
        Reply reply = server.get(Paths.deviceClass(name));
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (!reply.isSuccess()) {
            throw reply.fault(
                    "DeviceClass %s cannot be read for its parameters (get deviceclasses, as deploy/policies/rights-of-the-writer.yaml allows it)"
                            .formatted(name));
        }
        String version = ServedApis.apiVersion(Paths.api(Kind.DEVICE_CLASS));
        return switch (ApiObjectReader.read(Kind.DEVICE_CLASS, version, reply.body())) {
            case ApiObjectReader.ObjectReadResult.Success(VersionedObject object) -> Optional.of(object);
            case ApiObjectReader.ObjectReadResult.Failure(String _, String reason, var _) ->
                throw new ClusterFault("DeviceClass %s cannot be parsed: %s".formatted(name, reason));
        };
    }

    @Override
    public void onListStart() {
        cache.clear();
    }

    @Override
    public void onUpsert(JsonNode json, VersionedObject object) {
        boolean isFree = ((ResourceClaim) object.object()).allocation().isEmpty();
        if (isFree && !object.object().meta().deleting()) {
            cache.put(object.object().key(), new PendingClaim(object, hasFinalizer(json)));
        } else {
            onDelete(object);
        }
    }

    @Override
    public void onDelete(VersionedObject object) {
        cache.invalidate(object.object().key());
    }

    @Override
    public Optional<VersionedObject> readCached(ObjectKey claim, String uid) {
        Optional<PendingClaim> known = cache.get(claim)
                .filter(each -> each.claim().object().meta().uid().equals(uid));
        known.ifPresent(free -> trackFinalizer(uid, free.hasFinalizer()));
        return known.map(PendingClaim::claim).or(() -> read(claim));
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

    private static boolean hasFinalizer(JsonNode claim) {
        return claim.path("metadata")
                .path("finalizers")
                .valueStream()
                .anyMatch(each -> each.asText().equals(FINALIZER));
    }

    /** Remembers whether a write must add the finalizer. */
    private void trackFinalizer(String uid, boolean isProtected) {
        if (isProtected) {
            withoutFinalizer.remove(uid);
            return;
        }
        if (withoutFinalizer.size() >= WITHOUT_FINALIZER_MAX) {
            withoutFinalizer.clear(); // entries of writes that never came
        }
        withoutFinalizer.add(uid);
    }

    @Override
    public WriteResult write(StatusChange change) {
        cache.invalidate(change.claim());
        try {
            return switch (change.scope()) {
                case VERSION -> invalidateDecisions(change);
                case ALL, CONSUMERS ->
                    change.allocation().isPresent() && withoutFinalizer.remove(change.uid())
                            ? addFinalizerAndPatchStatus(change)
                            : patchStatus(change);
            };
        } catch (ClusterFault e) {
            return WriteResultMapper.of(e);
        }
    }

    /** Writes the invalidated version into an annotation, because a patch without a change does not advance the version. */
    private WriteResult invalidateDecisions(StatusChange change) {
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        metadata(body, change)
                .putObject("annotations")
                .put(INVALIDATED_VERSION_ANNOTATION, Long.toString(change.version()));
        Reply reply = server.patch(Paths.claim(change.claim()) + PATCH_QUERY, body.toString());
        return reply.isSuccess()
                ? new WriteResult.Success(ApiObjectReader.version(reply.body()))
                : WriteResultMapper.of(reply);
    }

    @Override
    public WriteResult setDeallocationMark(VersionedObject claim, Optional<String> text) {
        cache.invalidate(claim.object().key());
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        ObjectNode annotations = body.putObject("metadata")
                .put("uid", claim.object().meta().uid())
                .put("resourceVersion", Long.toString(claim.version()))
                .putObject("annotations");
        text.ifPresentOrElse(
                each -> annotations.put(DEALLOCATION_ANNOTATION, each),
                () -> annotations.putNull(DEALLOCATION_ANNOTATION));
        try {
            Reply reply = server.patch(Paths.claim(claim.object().key()) + PATCH_QUERY, body.toString());
            return reply.isSuccess()
                    ? new WriteResult.Success(ApiObjectReader.version(reply.body()))
                    : WriteResultMapper.of(reply);
        } catch (ClusterFault e) {
            return WriteResultMapper.of(e);
        }
    }

    private static ObjectNode metadata(ObjectNode body, StatusChange change) {
        return body.putObject("metadata")
                .put("uid", change.uid())
                .put("resourceVersion", Long.toString(change.version()));
    }

    /** Adds the finalizer first: a pending claim with the finalizer does no harm. */
    private WriteResult addFinalizerAndPatchStatus(StatusChange change) {
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        metadata(body, change).putArray("finalizers").add(FINALIZER);
        Reply reply = server.patch(Paths.claim(change.claim()) + PATCH_QUERY, body.toString());
        return reply.isSuccess()
                ? patchStatus(new StatusChange(
                        change.claim(),
                        change.uid(),
                        ApiObjectReader.version(reply.body()),
                        change.scope(),
                        change.allocation(),
                        change.reservedFor()))
                : WriteResultMapper.of(reply);
    }

    private WriteResult patchStatus(StatusChange change) {
        ObjectNode body = StatusPatch.of(change, clock.instant().truncatedTo(ChronoUnit.SECONDS));
        Reply reply = server.patch(Paths.claim(change.claim()) + STATUS_PATCH_QUERY, body.toString());
        return reply.isSuccess() ? toResult(reply, body) : WriteResultMapper.of(reply);
    }

    private static WriteResult toResult(Reply reply, JsonNode body) {
        JsonNode claim = reply.body();
        long version = ApiObjectReader.version(claim);
        if (version == 0) {
            return new WriteResult.Unknown("the response to a write is not a claim");
        }
        List<Difference> differences = StatusComparison.of(body.path("status"), claim.path("status"));
        return differences.isEmpty()
                ? new WriteResult.Success(version, reply.auditId())
                : new WriteResult.SuccessWithDifferences(version, differences);
    }
}
