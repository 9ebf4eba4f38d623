package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.Main;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code claimstream run} on a file of 50 MB with the heap size of the launcher. The command is a separate
 * process.
 */
@Tag("part-4")
class LargeInputIT {
    private static final long BYTES = 50_000_000;
    private static final int CLAIMS = 20;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void allocatesFromFiftyMegabytesWithOneGibibyteHeap() throws IOException, InterruptedException {
        Path input = folder.resolve("cluster.yaml");
        int nodes = write(input);
        assertThat(Files.size(input)).isGreaterThan(BYTES);
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Dstdout.encoding=UTF-8",
                        "-Dstderr.encoding=UTF-8",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "run",
                        "-o",
                        "name",
                        input.toString())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(err)).isZero();
        assertThat(Files.readAllLines(out))
                .hasSize(CLAIMS)
                .allMatch(line -> line.startsWith("resourceclaim.resource.k8s.io/claim-"));
        List<String> lines = Files.readAllLines(err);
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst())
                .contains("%d nodes, %d devices of 1 driver · 20 claims".formatted(nodes, nodes * 16));
        assertThat(lines.getLast()).startsWith("20 allocated · ");
    }

    /** Writes nodes with slices until the file is large enough, then claims, and returns the number of nodes. */
    private static int write(Path input) throws IOException {
        int nodes = 0;
        try (Writer to = Files.newBufferedWriter(input)) {
            to.write(ClusterManifests.ofDevices(16));
            long written = 0;
            while (written < BYTES) {
                nodes++;
                String node = node(nodes);
                to.write(node);
                written += node.length();
            }
            for (int i = 0; i < CLAIMS; i++) {
                to.write(ClusterManifests.claim("claim-" + i, 8));
            }
        }
        return nodes + 1;
    }

    private static String node(int number) {
        var text = new StringBuilder("""
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: large-%1$d}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: large-%1$d-gpu.example.com}
                spec:
                  driver: gpu.example.com
                  nodeName: large-%1$d
                  pool: {name: large-%1$d, generation: 1, resourceSliceCount: 1}
                  devices:
                """.formatted(number));
        for (int device = 0; device < 16; device++) {
            text.append("""
                      - name: gpu-%1$d
                        attributes:
                          brand: {string: Example}
                          productName: {string: Example X100}
                          uuid: {string: GPU-%2$08x-%1$04x-4000-8000-000000000000}
                          driverVersion: {version: 580.126.9}
                          resource.kubernetes.io/numaNode: {int: %3$d}
                          resource.kubernetes.io/pcieRoot: {string: "pci0000:%1$02x"}
                        capacity:
                          memory: {value: 80Gi}
                    """.formatted(device, number, device / 8));
        }
        return text.toString();
    }
}
