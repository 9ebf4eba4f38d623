package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests 1,000 pods on 1,000 devices, with Claimstream's policies and kube-scheduler. The results are verified by a
 * program that shares no code with Claimstream, and by kubectl.
 */
@Tag("part-3")
@Timeout(400)
class ThousandPodsIT {
    private static final int NODES = 100;
    private static final int DEVICES = 10;
    private static final int PODS = NODES * DEVICES;
    private static final String ALLOCATED_DEVICES =
            "jsonpath={range .items[*]}{range .status.allocation.devices.results[*]}{.driver}/{.pool}/{.device}{'\\n'}{end}{end}";

    @TempDir
    private Path folder = Path.of("");

    @Test
    void allocatesAndReleasesThousandDevices() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(0, 0);
                var up = Kubernetes.up(cluster, folder);
                var checker = cluster.plane().startChecker("--patience", "0")) {
            String measured = cluster.plane()
                    .runLoad(
                            "--nodes=" + NODES,
                            "--devices=" + DEVICES,
                            "--pods=" + PODS,
                            "--labels=claimstream.dev/managed=true",
                            "--limit=3m",
                            "--keep");
            System.out.println("ThousandPodsIT: " + measured);
            assertThat(measured).contains("\"bound\":" + PODS);
            assertThat(writesOfClaimStatus(measured))
                    .as("every allocation was written once, by Claimstream only")
                    .isEqualTo(Map.of("PATCH resourceclaims/status 200", PODS));
            assertThat(allocatedDevices(cluster)).hasSize(PODS).doesNotHaveDuplicates();
            assertThat(freeDevices()).isZero();

            cluster.kubectl("", "delete", "pods", "--all", "-n", "load", "--wait=false");
            SlowPoll.await(() -> cluster.claims("load").isEmpty(), "no claims");
            SlowPoll.await(() -> freeDevices() == PODS, "all devices free");
            assertThat(checker.finish())
                    .as("faults, and how much was seen")
                    .singleElement()
                    .asString()
                    .contains("\"faults\":{}", "\"claims\":0");
            assertThat(up.err()).doesNotContain("Exception", "ERROR");
        }
    }

    /** Returns the number of accepted writes to claim statuses by kind. */
    private static Map<String, Integer> writesOfClaimStatus(String measured) {
        return Pattern.compile("\"(\\w+ resourceclaims/status 2\\d+)\":(\\d+)")
                .matcher(measured)
                .results()
                .collect(Collectors.toMap(found -> found.group(1), found -> Integer.valueOf(found.group(2))));
    }

    private static List<String> allocatedDevices(Kubernetes cluster) {
        return cluster.kubectl("", "get", "resourceclaims", "-n", "load", "-o", ALLOCATED_DEVICES)
                .lines()
                .toList();
    }

    private long freeDevices() {
        return CommandResult.run(
                        "get",
                        "devices",
                        "--free",
                        "-o",
                        "name",
                        "--data",
                        folder.resolve("data").toString())
                .out()
                .lines()
                .count();
    }
}
