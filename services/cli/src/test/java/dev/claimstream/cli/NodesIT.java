package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose kubelet says nothing any more, in its Lease and its status, and a node that is taken away: without an agent. */
@Timeout(300)
class NodesIT {
    private static final Duration GRACE = Duration.ofSeconds(6);
    private static final String SILENT = "testbed.claimstream.dev/silent";

    @TempDir
    private Path folder = Path.of("");

    private Ran on(String... command) {
        var all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--data", folder.resolve("data").toString()));
        return Ran.of(all.toArray(String[]::new));
    }

    @Test
    void aNodeThatFallsSilentGetsNothingUntilItIsBackAndOneThatIsTakenAwayLosesWhatItHad()
            throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT.withNodeGrace(GRACE), 2, 1);
                var up = Kubernetes.up(cluster, folder)) {
            silence(cluster, "true");
            Slowly.await(
                    () -> node("node-0000").contains("NotReady"),
                    () -> on("get", "nodes").out());
            cluster.apply(Kubernetes.pods("first", 1, ""));
            cluster.awaitStates("first", Map.of("Running", 1));
            assertThat(places(cluster)).containsExactly("node-0001");

            cluster.apply(Kubernetes.pods("second", 1, ""));
            String oneIsClosed = "2 devices → 2 of class gpu.example.com → 1 on nodes that are allowed";
            Slowly.await(() -> why(cluster, "second-0").contains(oneIsClosed), () -> why(cluster, "second-0"));
            assertThat(cluster.states("second")).isEqualTo(Map.of("SchedulingGated", 1));

            silence(cluster, "false");
            cluster.awaitStates("second", Map.of("Running", 1));
            assertThat(places(cluster)).containsExactly("node-0000", "node-0001");

            cluster.kubectl("", "delete", "node", "node-0001");
            Slowly.await(() -> places(cluster).equals(List.of("node-0000")), () -> "released: " + places(cluster));
            cluster.apply(Kubernetes.pods("third", 1, ""));
            Slowly.await(() -> why(cluster, "third-0").contains("because"), () -> why(cluster, "third-0"));
            assertThat(cluster.states("third")).isEqualTo(Map.of("SchedulingGated", 1));
            cluster.plane().nodes(1, "--first=1");
            cluster.publish(2, 1);
            cluster.awaitStates("third", Map.of("Running", 1));
            assertThat(cluster.devicesHeld()).hasSize(2).doesNotHaveDuplicates();
            assertThat(up.err()).doesNotContain("Exception", "ERROR");
        }
    }

    private static void silence(Kubernetes cluster, String value) {
        cluster.kubectl("", "annotate", "--overwrite", "node", "node-0000", SILENT + "=" + value);
    }

    private String node(String name) {
        return on("get", "nodes")
                .out()
                .lines()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .orElse("");
    }

    /** What is said of the claim of a pod. */
    private String why(Kubernetes cluster, String pod) {
        return cluster.claims().stream()
                .map(claim -> claim.meta().name())
                .filter(name -> name.startsWith(pod))
                .map(name -> on("explain", "claim", "team/" + name).out())
                .collect(Collectors.joining());
    }

    /** The nodes whose devices claims have. */
    private static List<String> places(Kubernetes cluster) {
        return cluster.claims().stream()
                .map(ResourceClaim::allocation)
                .flatMap(Optional::stream)
                .map(allocation -> allocation.results().getFirst().device().pool())
                .sorted()
                .toList();
    }
}
