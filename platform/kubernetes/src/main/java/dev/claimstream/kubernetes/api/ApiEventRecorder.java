package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.EventRecorder;
import dev.claimstream.kubernetes.EventTemplate;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Emits Kubernetes Events ({@code events.k8s.io/v1}).
 *
 * <p>The name of an event derives from its id, so that a repeated event gets a conflict instead of a duplicate.
 */
final class ApiEventRecorder implements EventRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(ApiEventRecorder.class);
    private static final int NOTE_BYTES_MAX = 1024;
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final ApiHttpClient server;
    private final ManagedClasses managed;
    private final InstantSource clock;

    ApiEventRecorder(ApiHttpClient server, ManagedClasses managed, InstantSource clock) {
        this.server = server;
        this.managed = managed;
        this.clock = clock;
    }

    @Override
    public boolean emit(KubernetesEvent note) {
        try {
            Optional<ResourceClaim> claim = note.claim().flatMap(this::claim);
            return note.target() == EventTarget.CLAIM_AND_PODS
                    ? claim.filter(this::isManaged)
                            .map(each -> emitForClaimAndPods(note, each))
                            .orElse(true)
                    : emitOne(note, claim);
        } catch (ClusterFault e) {
            LOG.atDebug().setCause(e).log("an Event was not written");
            return false;
        }
    }

    private boolean emitOne(KubernetesEvent note, Optional<ResourceClaim> claim) {
        Optional<String> uid = targetUid(note, claim);
        return uid.isEmpty() || isHandled(write(note, uid.get(), claim));
    }

    /** Emits the event for the claim and for the pods in {@code reservedFor}, whose uids it contains. */
    private boolean emitForClaimAndPods(KubernetesEvent note, ResourceClaim claim) {
        boolean isAnswered = isHandled(write(note, claim.meta().uid(), Optional.of(claim)));
        for (ClaimConsumer consumer : claim.reservedFor()) {
            if (isAnswered && consumer.resource().equals("pods")) {
                var pod = new KubernetesEvent(
                        note.id() + " " + consumer.uid(),
                        EventTarget.POD,
                        new ObjectKey(claim.meta().namespace(), consumer.name()),
                        note.claim(),
                        note.reason(),
                        note.message());
                isAnswered = isHandled(write(pod, consumer.uid(), Optional.of(claim)));
            }
        }
        return isAnswered;
    }

    private Reply write(KubernetesEvent note, String uid, Optional<ResourceClaim> claim) {
        return server.post(
                Paths.events(note.key().namespace()) + "?fieldManager=" + ClaimStatusClient.WRITER,
                body(note, uid, claim, clock.instant()).toString());
    }

    private static boolean isHandled(Reply reply) {
        boolean isKnown = reply.code() == HttpURLConnection.HTTP_CONFLICT;
        if (!reply.isSuccess() && !isKnown) {
            LOG.atWarn().addKeyValue("why", reply.message()).log("an Event was rejected");
        }
        return !reply.isRetryable();
    }

    /** Returns the uid of the target if it exists and is managed. {@code kubectl describe} selects events by uid. */
    private Optional<String> targetUid(KubernetesEvent note, Optional<ResourceClaim> claim) {
        Optional<ResourceClaim> managed = claim.filter(this::isManaged);
        return switch (note.target()) {
            case CLAIM ->
                managed.filter(each -> each.allocation().isEmpty())
                        .map(each -> each.meta().uid());
            case CLAIM_AND_PODS -> managed.map(each -> each.meta().uid());
            case POD ->
                pod(note.key())
                        .filter(each -> managed.isPresent() || isManaged(each))
                        .map(each -> each.meta().uid());
        };
    }

    /**
     * Returns whether Claimstream reports on this pod; pods without a managed claim are reported by others.
     *
     * <p>A pod with a managed claim counts whichever of its claims is pending. A gated pod also counts if one of its claims does not exist
     * yet.
     */
    private boolean isManaged(Pod pod) {
        List<Optional<ResourceClaim>> claims = pod.resourceClaims().stream()
                .map(PodClaim::source)
                .flatMap(source -> switch (source) {
                    case PodClaim.ClaimSource.ClaimReference(String name) -> Stream.of(Optional.of(name));
                    case PodClaim.ClaimSource.GeneratedClaim(String _, String name) -> Stream.of(Optional.of(name));
                    case PodClaim.ClaimSource.TemplateReference _ -> Stream.of(Optional.<String>empty());
                    case PodClaim.ClaimSource.NoClaimNeeded _ -> Stream.<Optional<String>>empty();
                })
                .map(name -> name.flatMap(each -> claim(new ObjectKey(pod.meta().namespace(), each))))
                .toList();
        return claims.stream().flatMap(Optional::stream).anyMatch(this::isManaged)
                || (pod.isGated() && claims.stream().anyMatch(Optional::isEmpty));
    }

    private boolean isManaged(ResourceClaim claim) {
        return managed.includes(claim.spec());
    }

    private Optional<ResourceClaim> claim(ObjectKey key) {
        String api = ServedApis.apiVersion(Paths.api(Kind.RESOURCE_CLAIM));
        return read(Paths.claim(key))
                .map(json -> ApiObjectReader.read(Kind.RESOURCE_CLAIM, api, json))
                .flatMap(read -> read instanceof ApiObjectReader.ObjectReadResult.Success(var found)
                        ? Optional.of((ResourceClaim) found.object())
                        : Optional.empty());
    }

    private Optional<Pod> pod(ObjectKey key) {
        return read(Paths.pod(key))
                .map(json -> ApiObjectReader.read(Kind.POD, "v1", json))
                .flatMap(read -> read instanceof ApiObjectReader.ObjectReadResult.Success(var found)
                        ? Optional.of((Pod) found.object())
                        : Optional.empty());
    }

    /** Reads an object; absent if it does not exist. */
    private Optional<JsonNode> read(String path) {
        Reply reply = server.get(path);
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (!reply.isSuccess()) {
            throw reply.fault(path + " cannot be read");
        }
        return Optional.of(reply.body());
    }

    static ObjectNode body(KubernetesEvent note, String uid, Optional<ResourceClaim> claim, Instant now) {
        ObjectNode event = ApiHttpClient.JSON.createObjectNode();
        event.put("apiVersion", "events.k8s.io/v1").put("kind", "Event");
        String id = UUID.nameUUIDFromBytes(note.id().getBytes(StandardCharsets.UTF_8))
                .toString()
                .substring(0, 13);
        event.putObject("metadata")
                .put("name", note.key().name() + "." + id)
                .put("namespace", note.key().namespace());
        event.put("eventTime", MICROS.format(now));
        event.put("reportingController", EventTemplate.REPORTING_CONTROLLER);
        event.put("reportingInstance", ClaimStatusClient.WRITER);
        event.put("action", EventTemplate.of(note.reason()).action());
        event.put("type", EventTemplate.TYPE);
        event.put("reason", note.reason());
        boolean isPod = note.target() == EventTarget.POD;
        event.putObject("regarding")
                .put("apiVersion", isPod ? "v1" : "resource.k8s.io/v1")
                .put("kind", isPod ? "Pod" : "ResourceClaim")
                .put("namespace", note.key().namespace())
                .put("name", note.key().name())
                .put("uid", uid);
        claim.filter(_ -> isPod)
                .ifPresent(each -> event.putObject("related")
                        .put("apiVersion", "resource.k8s.io/v1")
                        .put("kind", "ResourceClaim")
                        .put("namespace", each.meta().namespace())
                        .put("name", each.meta().name())
                        .put("uid", each.meta().uid()));
        return event.put("note", truncate(note.message()));
    }

    private static String truncate(String text) {
        String shorter = text;
        while (shorter.getBytes(StandardCharsets.UTF_8).length > NOTE_BYTES_MAX) {
            shorter = shorter.substring(0, Math.min(shorter.length() - 1, NOTE_BYTES_MAX));
        }
        return shorter;
    }
}
