package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One node with a device that a DeviceTaintRule taints: whether a claim gets it depends on the gate DRADeviceTaintRules, off in 1.36 and on in 1.37. */
@Timeout(120)
class GatesIT {
    private static final String RULE = """
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceTaintRule
            metadata: {name: broken}
            spec:
              deviceSelector: {driver: gpu.example.com, pool: node-1, device: gpu-0}
              taint: {key: example.com/broken, value: "yes", effect: NoSchedule}
            """;

    @TempDir
    private Path folder = Path.of("");

    private String cluster = "";

    @BeforeEach
    void writeCluster() throws IOException {
        cluster = Files.writeString(folder.resolve("cluster.yaml"), Cluster.ofDevices(1) + RULE + Cluster.claim("c", 1))
                .toString();
    }

    @Test
    void aRunServesAClusterWithTheGatesOfItsRelease() {
        Ran older = Ran.of("run", cluster, "--kubernetes", "1.36");
        assertThat(older.exitCode()).as(older.err()).isZero();
        assertThat(older.out()).contains("node-1/gpu-0");
        Ran set = Ran.of("run", cluster, "--kubernetes", "1.36", "--features", "DRADeviceTaintRules=true");
        assertThat(set.exitCode()).isEqualTo(Failures.SOME_WAIT);
        assertThat(set.errLines().getLast())
                .isEqualTo("why: ./claimstream explain claim default/c -f " + cluster
                        + " --kubernetes 1.36 --features DRADeviceTaintRules=true");
    }

    @Test
    void anExplanationOfFilesKnowsTheGatesToo() {
        Ran off = Ran.of("explain", "claim", "c", "-f", cluster, "--features=DRADeviceTaintRules=false");
        assertThat(off.exitCode()).as(off.out()).isZero();
        assertThat(off.out()).startsWith("claim default/c: granted on node-1\n");
    }

    @Test
    void anExpressionThatNeedsAGateIsRefusedWhereItIsOff() throws IOException {
        String file = Files.writeString(folder.resolve("shared.yaml"), Cluster.ofDevices(1) + """
                        ---
                        apiVersion: resource.k8s.io/v1
                        kind: DeviceClass
                        metadata: {name: shared}
                        spec:
                          selectors:
                          - cel: {expression: device.allowMultipleAllocations}
                        """)
                .toString();
        Ran on = Ran.of("run", file);
        assertThat(on.exitCode()).as(on.err()).isZero();
        Ran off = Ran.of("run", file, "--features", "DRAConsumableCapacity=false");
        assertThat(off.exitCode()).isEqualTo(Failures.FAILED);
        assertThat(off.errLines())
                .anyMatch(line -> line.startsWith(file + ":")
                        && line.contains("undefined field 'allowMultipleAllocations'")
                        && line.endsWith("it needs the feature gate DRAConsumableCapacity: switch it on in the cluster"
                                + " and say so with --features DRAConsumableCapacity=true"));
    }

    @Test
    void oneThatStaysDecidesWithTheGatesOfItsStart() throws IOException, InterruptedException {
        String data = folder.resolve("data").toString();
        try (Program up = Program.start(folder, "up", "--data", data, "-f", cluster, "--kubernetes", "1.36")) {
            up.awaitOut("Ctrl-C ends it");
            Program.await(
                    () -> Ran.of("get", "claims", "--data", data).out().contains("node-1/gpu-0"), "the tainted device");
            Ran refused = Ran.of(
                    "apply",
                    "--data",
                    data,
                    "-f",
                    Files.writeString(folder.resolve("list.yaml"), """
                            apiVersion: resource.k8s.io/v1
                            kind: DeviceClass
                            metadata: {name: linked}
                            spec:
                              selectors:
                              - cel: {expression: 'device.attributes["gpu.example.com"].links.includes("a")'}
                            """).toString());
            assertThat(refused.exitCode()).isEqualTo(Failures.FAILED);
            assertThat(refused.err()).contains("it needs the feature gate DRAListTypeAttributes");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
        }
    }
}
