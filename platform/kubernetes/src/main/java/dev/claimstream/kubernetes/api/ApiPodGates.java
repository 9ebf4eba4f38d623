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
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClaimStatus.Answer;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.Versioned;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Removes the scheduling gate of Claimstream from pods, with one patch each.
 *
 * <p>As a {@link Sight} it caches the gated pods of the watch that have all their claims, so that a write needs no read before it.
 */
final class ApiPodGates implements PodGates, Sight {
    private static final String WRITE = "?fieldValidation=Strict&fieldManager=" + ClaimStatus.WRITER;

    private final ApiServer server;
    private final Managed managed;
    private final Recent<ObjectKey, GatedPod> recent = new Recent<>();

    ApiPodGates(ApiServer server, Managed managed) {
        this.server = server;
        this.managed = managed;
    }

    @Override
    public boolean isOurs(ResourceClaim claim) {
        return managed.includes(claim.spec());
    }

    @Override
    public Optional<GatedPod> readPod(ObjectKey pod) {
        Reply reply = server.get(Paths.pod(pod));
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (!reply.isGood()) {
            throw reply.fault("pod %s cannot be read".formatted(pod));
        }
        return switch (ApiObjects.read(Kind.POD, "v1", reply.body())) {
            case ApiObjects.Read.Taken(Versioned object) -> Optional.of(gated(object));
            case ApiObjects.Read.NotTaken(String _, String why, var _) ->
                throw new ClusterFault("pod %s cannot be understood: %s".formatted(pod, why));
        };
    }

    @Override
    public List<GatedPod> gatedIn(String namespace) {
        return podsIn(namespace).stream().filter(GatedPod::isGated).toList();
    }

    @Override
    public List<GatedPod> podsIn(String namespace) {
        List<GatedPod> found = new ArrayList<>();
        String next = "";
        do {
            Reply reply = server.get(Paths.pods(namespace) + "?limit=" + ApiWatch.OBJECTS_A_PAGE
                    + (next.isEmpty() ? "" : "&continue=" + Paths.encoded(next)));
            if (!reply.isGood()) {
                throw server.refused(
                        reply, "the pods of namespace %s cannot be listed".formatted(namespace), "allow list of pods");
            }
            for (JsonNode each : reply.body().path("items")) {
                if (ApiObjects.read(Kind.POD, "v1", each) instanceof ApiObjects.Read.Taken(Versioned object)) {
                    found.add(gated(object));
                }
            }
            next = reply.body().path("metadata").path("continue").asText("");
        } while (!next.isEmpty());
        return found;
    }

    private static GatedPod gated(Versioned object) {
        Pod pod = (Pod) object.object();
        return new GatedPod(pod, object.version(), pod.isGated());
    }

    @Override
    public void begin() {
        recent.clear();
    }

    @Override
    public void seen(JsonNode json, Versioned object) {
        GatedPod pod = gated(object);
        boolean hasItsClaims = pod.pod().resourceClaims().stream()
                .noneMatch(claim -> claim.source() instanceof PodClaim.Source.FromTemplate);
        if (pod.isGated() && hasItsClaims && !pod.pod().meta().deleting()) {
            recent.put(pod.pod().key(), pod);
        } else {
            gone(object);
        }
    }

    @Override
    public void gone(Versioned object) {
        recent.drop(object.object().key());
    }

    @Override
    public Optional<GatedPod> recallPod(ObjectKey pod, String uid) {
        return recent.get(pod)
                .filter(each -> each.pod().meta().uid().equals(uid))
                .or(() -> readPod(pod));
    }

    @Override
    public Answer touch(GatedPod pod, String note) {
        ObjectNode body = ApiServer.JSON.createObjectNode();
        metadata(body, pod).putObject("annotations").put(ClaimStatus.DEALLOCATION, note);
        return patch(pod, body);
    }

    @Override
    public Answer open(GatedPod pod, Optional<String> node) {
        return patch(pod, body(pod, node));
    }

    private Answer patch(GatedPod pod, ObjectNode body) {
        recent.drop(pod.pod().key());
        Reply reply;
        try {
            reply = server.patch(Paths.pod(pod.pod().key()) + WRITE, body.toString());
        } catch (ClusterFault e) {
            return Answers.of(e);
        }
        return reply.isGood() ? new Answer.Written(ApiObjects.version(reply.body())) : Answers.of(reply);
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
        ObjectNode body = ApiServer.JSON.createObjectNode();
        ObjectNode metadata = metadata(body, pod);
        if (pod.pod().meta().annotations().containsKey(ClaimStatus.DEALLOCATION)) {
            metadata.putObject("annotations").putNull(ClaimStatus.DEALLOCATION);
        }
        ObjectNode spec = body.putObject("spec");
        spec.putArray("schedulingGates").addObject().put("$patch", "delete").put("name", GATE);
        node.ifPresent(name -> {
            ArrayNode terms = spec.putObject("affinity")
                    .putObject("nodeAffinity")
                    .putObject("requiredDuringSchedulingIgnoredDuringExecution")
                    .putArray("nodeSelectorTerms");
            wanted(pod.pod()).forEach(term -> put(terms.addObject(), term, name));
        });
        return body;
    }

    /** Returns the required terms of the pod. Terms are ORed, so each of them gets the node. */
    private static List<NodeSelector.Term> wanted(Pod pod) {
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
