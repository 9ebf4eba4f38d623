package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.PodGates;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The steps that hand the allocation of devices in a cluster back to kube-scheduler.
 *
 * <p>Each step can be repeated. It needs the API server and no Kafka. Every method throws {@link ClusterFault} if the cluster does not respond
 * or rejects the request; the message contains the remedy.
 */
public final class AllocationHandover implements AutoCloseable {
    private static final Set<String> ENDED = Set.of("Failed", "Succeeded");
    private static final String ADMISSION = "/apis/admissionregistration.k8s.io/v1/";
    private static final String GATE_BINDING = "mutatingadmissionpolicybindings/claimstream-gate";
    private static final String WRITER_BINDING = "validatingadmissionpolicybindings/claimstream-single-writer";
    private static final String UNBOUND_PODS = "/api/v1/pods?fieldSelector=spec.nodeName%3D&";

    private final ApiHttpClient server;

    private AllocationHandover(ApiHttpClient server) {
        this.server = server;
    }

    /**
     * Opens a connection; sends no request yet.
     *
     * @throws IllegalArgumentException if the access is unusable; the message contains the remedy
     */
    public static AllocationHandover open(ApiAccess access) {
        return new AllocationHandover(ApiHttpClient.open(access));
    }

    /** For tests. */
    static AllocationHandover at(ApiHttpClient server) {
        return new AllocationHandover(server);
    }

    /** Deletes the binding of the gate, so that new pods are not gated; returns whether it existed. */
    public boolean deleteGateBinding() {
        return deleteBinding(GATE_BINDING);
    }

    /** Deletes the binding of the single writer, so that kube-scheduler can allocate; returns whether it existed. */
    public boolean deleteWriterBinding() {
        return deleteBinding(WRITER_BINDING);
    }

    private boolean deleteBinding(String binding) {
        Reply reply = server.delete(ADMISSION + binding);
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return false;
        }
        expectSuccess(reply, binding + " cannot be deleted", "allow delete of it");
        return true;
    }

    /** Sets the replicas of a workload to 0; returns whether the workload exists. */
    public boolean scaleToZero(ServiceWorkload workload) {
        Reply reply = server.patch(workload.path(), "{\"spec\":{\"replicas\":0}}");
        if (!reply.isSuccess() && WriteResultMapper.of(reply) instanceof WriteResult.NotFound) {
            return false;
        }
        expectSuccess(reply, workload + " cannot be scaled to 0", "allow patch of it");
        return true;
    }

    /**
     * Returns what of a workload still runs or can start; empty if it has ended for good.
     *
     * <p>A workload has ended if its controller has observed the last change, and no pod is left, terminating ones included.
     * Pods of a workload that was deleted without them are found by their names.
     */
    public Optional<String> running(ServiceWorkload workload) {
        Reply reply = server.get(workload.path());
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return running(Paths.pods(workload.namespace()) + "?", workload::isNameOfPod);
        }
        expectSuccess(reply, workload + " cannot be read", "allow get of it");
        JsonNode read = reply.body();
        if (read.path("status").path("observedGeneration").asLong()
                < read.path("metadata").path("generation").asLong()) {
            return Optional.of("its controller has not observed the change yet");
        }
        return running(
                Paths.pods(workload.namespace()) + "?labelSelector=" + Paths.encode(selector(read)) + "&", _ -> true);
    }

    private Optional<String> running(String pods, Predicate<JsonNode> isOfWorkload) {
        List<String> names = new ArrayList<>();
        forEachPod(pods, pod -> {
            if (!ENDED.contains(pod.path("status").path("phase").asText()) && isOfWorkload.test(pod)) {
                names.add(pod.path("metadata").path("name").asText());
            }
        });
        return names.isEmpty() ? Optional.empty() : Optional.of("pods " + String.join(", ", names));
    }

    private static String selector(JsonNode workload) {
        return workload.path("spec").path("selector").path("matchLabels").properties().stream()
                .map(label -> label.getKey() + "=" + label.getValue().asText())
                .collect(Collectors.joining(","));
    }

    /** Removes the gate of Claimstream from all pods that have it; returns the number of these pods. */
    public int removeGates() {
        List<JsonNode> gated = new ArrayList<>();
        forEachPod(UNBOUND_PODS, pod -> {
            if (isGated(pod)) {
                gated.add(pod);
            }
        });
        gated.forEach(this::removeGate);
        return gated.size();
    }

    private static boolean isGated(JsonNode pod) {
        for (JsonNode gate : pod.path("spec").path("schedulingGates")) {
            if (gate.path("name").asText().equals(PodGates.GATE)) {
                return true;
            }
        }
        return false;
    }

    /** Gates of other controllers stay. A pod that is deleted or replaced meanwhile needs nothing. */
    private void removeGate(JsonNode pod) {
        JsonNode metadata = pod.path("metadata");
        String namespace = metadata.path("namespace").asText();
        String name = metadata.path("name").asText();
        ObjectNode patch = ApiHttpClient.JSON.createObjectNode();
        patch.putObject("metadata").put("uid", metadata.path("uid").asText());
        patch.putObject("spec")
                .putArray("schedulingGates")
                .addObject()
                .put("$patch", "delete")
                .put("name", PodGates.GATE);
        Reply reply = server.patch(Paths.pods(namespace) + "/" + Paths.encode(name), patch.toString());
        if (!reply.isSuccess() && !isOfAnotherPod(WriteResultMapper.of(reply))) {
            expectSuccess(
                    reply, "the gate of pod %s/%s cannot be removed".formatted(namespace, name), "allow patch of pods");
        }
    }

    private static boolean isOfAnotherPod(WriteResult result) {
        return result instanceof WriteResult.NotFound || result instanceof WriteResult.Conflict;
    }

    private void forEachPod(String path, Consumer<JsonNode> action) {
        String next = "";
        do {
            Reply reply = server.get(
                    path + "limit=" + ApiWatch.PAGE_SIZE + (next.isEmpty() ? "" : "&continue=" + Paths.encode(next)));
            expectSuccess(reply, "pods cannot be listed", "allow list of pods");
            reply.body().path("items").forEach(action);
            next = reply.body().path("metadata").path("continue").asText("");
        } while (!next.isEmpty());
    }

    private void expectSuccess(Reply reply, String problem, String remedy) {
        if (!reply.isSuccess()) {
            throw reply.isRetryable() ? reply.fault(problem) : server.failure(reply, problem, remedy);
        }
    }

    @Override
    public void close() {
        server.close();
    }

    /** Kinds of workloads that run Claimstream's services. */
    public enum ServiceWorkloadKind {
        STATEFULSET,
        DEPLOYMENT;

        private String plural() {
            return word() + "s";
        }

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A workload whose pods allocate devices or write allocations. */
    public record ServiceWorkload(ServiceWorkloadKind kind, String namespace, String name) {
        /**
         * Parses {@code statefulset/NAME} or {@code deployment/NAME}.
         *
         * @throws IllegalArgumentException if the text has another form
         */
        public static ServiceWorkload parse(String namespace, String text) {
            for (ServiceWorkloadKind kind : ServiceWorkloadKind.values()) {
                String prefix = kind.word() + "/";
                if (text.startsWith(prefix) && text.length() > prefix.length()) {
                    return new ServiceWorkload(kind, namespace, text.substring(prefix.length()));
                }
            }
            throw new IllegalArgumentException("%s: use statefulset/NAME or deployment/NAME".formatted(text));
        }

        /** Returns whether the controller of this workload has created a pod: the names follow from that of the workload. */
        private boolean isNameOfPod(JsonNode pod) {
            JsonNode metadata = pod.path("metadata");
            String podName = metadata.path("name").asText();
            return switch (kind) {
                case STATEFULSET -> podName.matches(Pattern.quote(name) + "-\\d{1,9}");
                case DEPLOYMENT ->
                    podName.startsWith("%s-%s-"
                            .formatted(
                                    name,
                                    metadata.path("labels")
                                            .path("pod-template-hash")
                                            .asText("?")));
            };
        }

        private String path() {
            return "/apis/apps/v1/namespaces/%s/%s/%s"
                    .formatted(Paths.encode(namespace), kind.plural(), Paths.encode(name));
        }

        @Override
        public String toString() {
            return kind.word() + "/" + name;
        }
    }
}
