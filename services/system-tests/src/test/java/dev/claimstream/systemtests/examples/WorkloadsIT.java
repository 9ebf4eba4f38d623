package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what {@code run} and {@code explain} print about the pods of a Deployment, and about one that is too large. */
class WorkloadsIT {
    private static final String APP = """
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: one-gpu}
            spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: chat}
            spec:
              replicas: 3
              selector: {matchLabels: {app: chat}}
              template:
                metadata: {labels: {app: chat}}
                spec:
                  containers: [{name: main, image: chat, resources: {claims: [{name: gpu}]}}]
                  resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]
            """;

    @TempDir
    private Path folder = Path.of("");

    private String file(String text) throws IOException {
        return Files.writeString(folder.resolve("app.yaml"), text).toString();
    }

    @Test
    void allocatesClaimOfEachReplica() throws IOException {
        String file = file(ClusterManifests.ofDevices(2) + APP);
        CommandResult run = CommandResult.run("run", file);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
        assertThat(run.err())
                .contains("created 3 pods of 1 workload: Deployment default/chat (3)")
                .doesNotContain("warning");
        assertThat(run.out().lines().skip(1))
                .satisfiesExactly(
                        line -> assertThat(line).matches("default/chat-0-gpu-\\w{5} +allocated,reserved .*"),
                        line -> assertThat(line).matches("default/chat-1-gpu-\\w{5} +allocated,reserved .*"),
                        line -> assertThat(line).matches("default/chat-2-gpu-\\w{5} +pending .*"));
        assertThat(CommandResult.run("run", file).out()).isEqualTo(run.out());

        CommandResult explain = CommandResult.run("explain", "pod", "default/chat-2", "-f", file);
        assertThat(explain.exitCode()).as(explain.err()).isEqualTo(3);
        assertThat(explain.out()).contains("chat-2");
    }

    @Test
    void rejectsTooManyReplicasAndServesTheOtherObjects() throws IOException {
        String file = file(ClusterManifests.ofDevices(1)
                + ClusterManifests.usedClaim("good", 1)
                + APP.replace("replicas: 3", "replicas: 1000000000"));
        CommandResult run = CommandResult.run("run", file);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err()).contains("spec.replicas: Deployment default/chat has too many pods");
        assertThat(run.out()).contains("default/good").doesNotContain("chat");
    }
}
