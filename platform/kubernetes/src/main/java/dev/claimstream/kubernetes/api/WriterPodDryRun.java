package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.doctor.ClusterFacts.DryRunCheck;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ExpectedEffect;
import dev.claimstream.kubernetes.doctor.DryRunResult;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The dry run that shows whether {@code writer-pods.yaml} works: the writer adds a label to an existing pod. */
final class WriterPodDryRun {
    private static final String SERVICE_ACCOUNT = "system:serviceaccount:";
    private static final String LABEL = "{\"metadata\":{\"labels\":{\"claimstream.dev/doctor\":\"dry-run\"}}}";

    private final ApiHttpClient server;

    WriterPodDryRun(ApiHttpClient server) {
        this.server = server;
    }

    /**
     * Returns the dry run; none if there is no pod, or if the policy does not apply to the writer.
     *
     * @param writer user of the writer
     * @param asWriter runs a request as that user
     */
    List<DryRunCheck> of(
            Optional<String> writer, Function<Function<ApiHttpClient, DryRunResult>, DryRunResult> asWriter) {
        return writer.filter(name -> name.startsWith(SERVICE_ACCOUNT)).flatMap(_ -> pod()).stream()
                .map(pod -> {
                    String namespace = pod.path("metadata").path("namespace").asText();
                    String name = pod.path("metadata").path("name").asText();
                    return new DryRunCheck(
                            "a label that the writer adds to pod %s/%s".formatted(namespace, name),
                            ExpectedEffect.REJECTED,
                            asWriter.apply(client -> patch(client, namespace, name)));
                })
                .toList();
    }

    private Optional<JsonNode> pod() {
        Reply reply = server.get(Paths.api(Kind.POD) + "/pods?limit=1");
        return reply.isSuccess() ? reply.body().path("items").valueStream().findFirst() : Optional.empty();
    }

    private static DryRunResult patch(ApiHttpClient client, String namespace, String name) {
        Reply reply = client.patch(
                Paths.api(Kind.POD) + "/namespaces/" + Paths.encode(namespace) + "/pods/" + Paths.encode(name)
                        + "?dryRun=All&fieldManager=claimstream-doctor",
                LABEL);
        return new DryRunResult.Response(reply.code(), reply.isSuccess() ? "" : reply.message(), List.of());
    }
}
