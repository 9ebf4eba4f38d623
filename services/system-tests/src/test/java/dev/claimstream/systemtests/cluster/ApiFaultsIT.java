package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.controlplane.ApiFaultProxy;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code up} behind a fault proxy ({@code control-plane faults}), with one kind of fault per round. Each round
 * creates pods twice; the second set needs devices that the first set has released.
 */
@Tag("part-1")
@Timeout(240)
class ApiFaultsIT {
    private static final int NODES = 2;
    private static final int DEVICES = 4;
    private static final int PODS = 6;
    private static final Duration GRACE = Duration.ofSeconds(30);

    /**
     * The commands of each round. A fault affects a watch only when the watch is opened, so {@code break} closes the
     * open watches.
     */
    private static final List<List<String>> ROUNDS = List.of(
            List.of("too-many 0.15 1s", "break"),
            List.of("broken 0.2", "break"),
            List.of("slow 0.5 500ms"),
            List.of("lost 0.2", "break"),
            List.of("unheard 0.6"),
            List.of("expired 1 700ms", "break"),
            List.of("forgotten 0.2", "cut 1 700ms", "break"),
            List.of("too-many 0.05 1s", "broken 0.05", "lost 0.05", "unheard 0.2", "cut 0.2", "expired 0.2", "break"));

    @TempDir
    private Path folder = Path.of("");

    @Test
    void allocatesEveryPodOnceUnderApiFaults() throws IOException, InterruptedException {
        Path kubeconfig = folder.resolve("faults.kubeconfig");
        try (var cluster = Kubernetes.start(NODES, DEVICES);
                var faults = cluster.plane().startFaultProxy(ControlPlaneUser.WRITER, kubeconfig, "--page", "4");
                var up = Kubernetes.up(kubeconfig, folder);
                var checker = cluster.plane().startChecker("--patience", "0")) {
            for (int round = 0; round < ROUNDS.size(); round++) {
                runRound(cluster, faults, round);
            }
            SlowPoll.await(() -> freeDevices() == NODES * DEVICES, () -> "all devices are free: " + freeDevices());
            Kubernetes.assertNoFaults(checker);
            assertThat(up.isAlive()).isTrue();
            assertFaultsInjectedAndRetriesNotEarly(faults.counts());
        }
    }

    private static void runRound(Kubernetes cluster, ApiFaultProxy faults, int round) throws InterruptedException {
        String first = "first-" + round;
        String later = "later-" + round;
        ApiFaultProxy.FaultCounts before = faults.counts();
        ROUNDS.get(round).forEach(faults::execute);
        cluster.apply(Kubernetes.pods(first, PODS, GRACE, ""));
        awaitRunning(cluster, first);
        delete(cluster, first);
        cluster.apply(Kubernetes.pods(later, PODS, GRACE, ""));
        awaitRunning(cluster, later);
        delete(cluster, later);
        SlowPoll.await(() -> cluster.claims().isEmpty(), "no claims");
        SlowPoll.await(
                () -> areFaultsInjected(ROUNDS.get(round), before, faults.execute("break")),
                () -> "all of it: " + faults.counts());
        faults.execute("calm");
    }

    /** Returns whether the proxy has injected every requested fault since {@code before}. */
    private static boolean areFaultsInjected(
            List<String> commands, ApiFaultProxy.FaultCounts before, ApiFaultProxy.FaultCounts now) {
        return now.injected().keySet().stream()
                .filter(fault -> commands.stream().anyMatch(command -> command.startsWith(fault + " ")))
                .allMatch(fault -> count(fault, now) > count(fault, before));
    }

    private static int count(String fault, ApiFaultProxy.FaultCounts counts) {
        return counts.injected().getOrDefault(fault, 0);
    }

    private static void awaitRunning(Kubernetes cluster, String set) throws InterruptedException {
        SlowPoll.await(
                () -> cluster.states(set).equals(Map.of("Running", PODS)),
                () -> "%s: %s".formatted(set, cluster.states(set)));
    }

    private static void delete(Kubernetes cluster, String set) {
        cluster.kubectl("", "delete", "pods", "-n", "team", "-l", "set=" + set, "--wait=false");
    }

    private long freeDevices() {
        return CommandResult.run(
                        "get",
                        "devices",
                        "--free",
                        "--data",
                        folder.resolve("data").toString())
                .out()
                .lines()
                .filter(line -> line.contains("gpu.example.com"))
                .count();
    }

    private static void assertFaultsInjectedAndRetriesNotEarly(ApiFaultProxy.FaultCounts counts) {
        System.out.println("ApiFaultsIT: " + counts);
        assertThat(counts.injected())
                .hasSize(8)
                .allSatisfy((_, count) -> assertThat(count).isPositive());
        assertThat(counts.earlyRequests()).isEmpty();
    }
}
