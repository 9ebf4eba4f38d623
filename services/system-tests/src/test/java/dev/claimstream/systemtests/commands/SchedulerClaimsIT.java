package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests pods that request devices as extended resources: kube-scheduler creates their claims, and the commands report
 * it.
 */
@Timeout(120)
class SchedulerClaimsIT {
    private static final String GENERATED = "kube-scheduler itself creates claim default/%s-extended-resources for"
            + " example.com/gpu of class gpu.example.com, and Claimstream does not allocate it; ";

    @TempDir
    private Path folder = Path.of("");

    private String cluster = "";

    private static String pod(String name, int count, String rest) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default}
                spec:
                  containers:
                  - {name: main, image: app, resources: {limits: {example.com/gpu: %d}%s
                """.formatted(name, count, rest);
    }

    @BeforeEach
    void writeCluster() throws IOException {
        String devices = ClusterManifests.ofDevices(3)
                .replace("  selectors:", "  extendedResourceName: example.com/gpu\n  selectors:");
        cluster = Files.writeString(
                        folder.resolve("cluster.yaml"),
                        devices
                                + ClusterManifests.claim("own", 1)
                                + pod("small", 2, "}}")
                                + pod("large", 3, "}}")
                                + pod(
                                        "both",
                                        1,
                                        ", claims: [{name: own}]}}\n  resourceClaims: [{name: own, resourceClaimName: own}]"))
                .toString();
    }

    @Test
    void reportsClaimsOfKubeSchedulerAndWhetherTheyFit() {
        CommandResult result = CommandResult.run("run", cluster);
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out()).contains("default/own").doesNotContain("extended-resources");
        assertThat(result.errLines())
                .contains(
                        "pod default/small: " + GENERATED.formatted("small") + "it would fit on node-1",
                        "pod default/both: " + GENERATED.formatted("both") + "it would fit on node-1")
                .anyMatch(line ->
                        line.startsWith("pod default/large: " + GENERATED.formatted("large") + "it would not fit: "));
    }

    @Test
    void reportsNoClaimWithoutGate() {
        CommandResult result =
                CommandResult.run("run", cluster, "--kubernetes", "1.36", "--features", "DRAExtendedResource=false");
        assertThat(result.err()).doesNotContain("kube-scheduler");
    }

    @Test
    void explainsPodWithClaimOfKubeScheduler() {
        CommandResult both = CommandResult.run("explain", "pod", "both", "-f", cluster);
        assertThat(both.exitCode()).as(both.err()).isZero();
        assertThat(both.out())
                .isEqualTo("pod default/both: allocated\n  claim default/own: allocated,reserved on node-1\n  "
                        + GENERATED.formatted("both") + "it would fit on node-1\n");
        CommandResult large = CommandResult.run("explain", "pod", "default/large", "-f", cluster, "-o", "json");
        assertThat(large.exitCode()).isEqualTo(3);
        assertThat(large.out())
                .contains("\"schedulerClaim\"", "\"class\": \"gpu.example.com\"")
                .doesNotContain("\"fits\"");
        assertThat(CommandResult.run("explain", "pod", "nobody", "-f", cluster).err())
                .contains("there is no pod default/nobody in the files");
    }

    @Test
    @Tag("part-4")
    void upExplainsPods() throws IOException, InterruptedException {
        String data = folder.resolve("data").toString();
        try (Program up = Program.start(folder, "up", "--data", data, "-f", cluster)) {
            up.awaitOut("Ctrl-C ends it");
            Program.await(
                    () -> CommandResult.run("explain", "pod", "both", "--data", data)
                            .out()
                            .contains("allocated,reserved on node-1"),
                    "the pod's own claim");
            assertThat(CommandResult.run("explain", "pod", "both", "--data", data)
                            .out())
                    .contains(GENERATED.formatted("both") + "it would fit on node-1");
            CommandResult missing = CommandResult.run("explain", "pod", "nobody", "--data", data);
            assertThat(missing.exitCode()).isEqualTo(1);
            assertThat(missing.err()).contains("there is no pod default/nobody");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
        }
    }
}
