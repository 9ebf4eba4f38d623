package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.VersionedObject;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Removes the scheduling gate of Claimstream from pods, with one patch each.
 *
 * <p>As a {@link ObjectListener} it caches the gated pods of the watch that have all their claims, so that a write needs no read before it.
 */
final class ApiPodGates implements PodGates, ObjectListener {
    private static final String PATCH_QUERY = "?fieldValidation=Strict&fieldManager=" + ClaimStatusClient.WRITER;

    private final ApiHttpClient server;
    private final ManagedClasses managed;
    private final RecentCache<ObjectKey, GatedPod> cache = new RecentCache<>();

    ApiPodGates(ApiHttpClient server, ManagedClasses managed) {
        this.server = server;
        this.managed = managed;
    }

    @Override
    public boolean isManaged(ResourceClaim claim) {
        return managed.includes(claim.spec());
    }

    @Override
    public Optional<GatedPod> readPod(ObjectKey pod) {
        Reply reply = server.get(Paths.pod(pod));
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (!reply.isSuccess()) {
            throw reply.fault("pod %s cannot be read".formatted(pod));
        }
        return switch (ApiObjectReader.read(Kind.POD, "v1", reply.body())) {
            case ApiObjectReader.ObjectReadResult.Success(VersionedObject object) -> Optional.of(toGatedPod(object));
            case ApiObjectReader.ObjectReadResult.Failure(String _, String reason, var _) ->
                throw new ClusterFault("pod %s cannot be parsed: %s".formatted(pod, reason));
        };
    }

    @Override
    public List<GatedPod> listGatedPods(String namespace) {
        return listPods(namespace).stream().filter(GatedPod::isGated).toList();
    }

    @Override
    public List<GatedPod> listPods(String namespace) {
        List<GatedPod> found = new ArrayList<>();
        String next = "";
        do {
            Reply reply = server.get(Paths.pods(namespace) + "?limit=" + ApiWatch.PAGE_SIZE
                    + (next.isEmpty() ? "" : "&continue=" + Paths.encode(next)));
            if (!reply.isSuccess()) {
                throw server.failure(
                        reply, "the pods of namespace %s cannot be listed".formatted(namespace), "allow list of pods");
            }
            for (JsonNode each : reply.body().path("items")) {
                if (ApiObjectReader.read(Kind.POD, "v1", each)
                        instanceof ApiObjectReader.ObjectReadResult.Success(VersionedObject object)) {
                    found.add(toGatedPod(object));
                }
            }
            next = reply.body().path("metadata").path("continue").asText("");
        } while (!next.isEmpty());
        return found;
    }

    private static GatedPod toGatedPod(VersionedObject object) {
        Pod pod = (Pod) object.object();
        return new GatedPod(pod, object.version(), pod.isGated());
    }

    @Override
    public void onListStart() {
        cache.clear();
    }

    @Override
    public void onUpsert(JsonNode json, VersionedObject object) {
        GatedPod pod = toGatedPod(object);
        boolean hasItsClaims = pod.pod().resourceClaims().stream()
                .noneMatch(claim -> claim.source() instanceof PodClaim.ClaimSource.TemplateReference);
        if (pod.isGated() && hasItsClaims && !pod.pod().meta().deleting()) {
            cache.put(pod.pod().key(), pod);
        } else {
            onDelete(object);
        }
    }

    @Override
    public void onDelete(VersionedObject object) {
        cache.invalidate(object.object().key());
    }

    @Override
    public Optional<GatedPod> readCachedPod(ObjectKey pod, String uid) {
        return cache.get(pod)
                .filter(each -> each.pod().meta().uid().equals(uid))
                .or(() -> readPod(pod));
    }

    @Override
    public WriteResult markDeallocation(GatedPod pod, String note) {
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        metadata(body, pod).putObject("annotations").put(ClaimStatusClient.DEALLOCATION_ANNOTATION, note);
        return patch(pod, body);
    }

    @Override
    public WriteResult removeGate(GatedPod pod, Optional<String> node) {
        return patch(pod, body(pod, node));
    }

    private WriteResult patch(GatedPod pod, ObjectNode body) {
        cache.invalidate(pod.pod().key());
        Reply reply;
        try {
            reply = server.patch(Paths.pod(pod.pod().key()) + PATCH_QUERY, body.toString());
        } catch (ClusterFault e) {
            return WriteResultMapper.of(e);
        }
        return reply.isSuccess()
                ? new WriteResult.Success(ApiObjectReader.version(reply.body()))
                : WriteResultMapper.of(reply);
    }

    private static ObjectNode metadata(ObjectNode body, GatedPod pod) {
        return body.putObject("metadata")
                .put("uid", pod.pod().meta().uid())
                .put("resourceVersion", Long.toString(pod.version()));
    }

    /**
     * Returns the patch. It contains the version, because a claim of the pod may have been marked for deallocation since the read.
     *
     * <p>The version also protects the node affinity, which the patch replaces as a whole.
     */
    static ObjectNode body(GatedPod pod, Optional<String> node) {
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        ObjectNode metadata = metadata(body, pod);
        if (pod.pod().meta().annotations().containsKey(ClaimStatusClient.DEALLOCATION_ANNOTATION)) {
            metadata.putObject("annotations").putNull(ClaimStatusClient.DEALLOCATION_ANNOTATION);
        }
        ObjectNode spec = body.putObject("spec");
        spec.putArray("schedulingGates").addObject().put("$patch", "delete").put("name", GATE);
        node.ifPresent(name -> {
            ArrayNode terms = spec.putObject("affinity")
                    .putObject("nodeAffinity")
                    .putObject("requiredDuringSchedulingIgnoredDuringExecution")
                    .putArray("nodeSelectorTerms");
            requiredTerms(pod.pod()).forEach(term -> put(terms.addObject(), term, name));
        });
        return body;
    }

    /** Returns the required terms of the pod. Terms are ORed, so each of them gets the node. */
    private static List<NodeSelector.Term> requiredTerms(Pod pod) {
        return pod.requiredAffinity()
                .map(NodeSelector::terms)
                .orElseGet(() -> List.of(new NodeSelector.Term(List.of(), List.of())));
    }

    private static void put(ObjectNode json, NodeSelector.Term term, String node) {
        if (!term.matchExpressions().isEmpty()) {
            ArrayNode expressions = json.putArray("matchExpressions");
            term.matchExpressions().forEach(each -> put(expressions, each));
        }
        ArrayNode fields = json.putArray("matchFields");
        term.matchFields().forEach(each -> put(fields, each));
        put(fields, new NodeSelector.Requirement("metadata.name", "In", List.of(node)));
    }

    private static void put(ArrayNode json, NodeSelector.Requirement requirement) {
        ObjectNode each = json.addObject().put("key", requirement.key()).put("operator", requirement.operator());
        if (!requirement.values().isEmpty()) {
            ArrayNode values = each.putArray("values");
            requirement.values().forEach(values::add);
        }
    }
}
