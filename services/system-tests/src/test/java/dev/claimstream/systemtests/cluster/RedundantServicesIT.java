package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.Main;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.systemtests.monitoring.TraceCollector;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs two watchers and two writers beside kube-scheduler, as separate processes with their service accounts. One of
 * each uses a kubeconfig, the other the credentials of a pod. If one is killed, the standby takes over. If the only one
 * or the allocator is killed, pods created meanwhile are served after its restart.
 */
@Tag("part-1")
@Timeout(900)
class RedundantServicesIT {
    private static final Set<String> ONE_BROKER_WITHOUT_SECURITY = Set.of("kafka security", "replication", "ACLs");
    private static final int NODES = 6;
    private static final int EACH = 4;
    private static final int AT_ONCE = 4;
    private static final List<String> NAMES = List.of("watcher-0", "watcher-1", "writer-0", "writer-1");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    @Test
    void allocatesOnceWhenAnyServiceIsKilled() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(NODES, EACH);
                var collector = TraceCollector.start();
                var checker = cluster.plane().startChecker("--patience", "0");
                var services = new SeparateServices(
                        cluster,
                        folder,
                        NAMES,
                        Map.of(),
                        Map.of("CLAIMSTREAM_TRACING_ENDPOINT", collector.endpoint()))) {
            services.startAll(NAMES);
            createAndAwaitPods(cluster, services, "first");
            awaitTrace(cluster, collector);
            assertDoctorReportsHealthyServices(services);
            assertClaimsAreListedAtConsole(services);
            services.kill("watcher-1"); // its list is the later one
            createAndAwaitPods(cluster, services, "second");
            services.start("watcher-1");
            services.kill("watcher-0");
            createAndAwaitPods(cluster, services, "third");
            services.start("watcher-0");
            services.kill("writer-0");
            createAndAwaitPods(cluster, services, "fourth");
            services.start("writer-0");
            services.kill("writer-1");
            createAndAwaitPods(cluster, services, "fifth");
            assertThat(cluster.allocatedDevices()).hasSize(5 * AT_ONCE).doesNotHaveDuplicates();
            releaseAll(cluster, services);
            createAndAwaitPods(cluster, services, "sixth");
            services.kill("watcher-1");
            for (String alone : List.of("watcher-0", "writer-0", "allocator")) {
                services.kill(alone);
                cluster.apply(Kubernetes.pods("without-" + alone, AT_ONCE, ""));
                services.start(alone);
                awaitRunning(cluster, services, "without-" + alone);
            }
            assertThat(cluster.allocatedDevices()).hasSize(4 * AT_ONCE).doesNotHaveDuplicates();
            Kubernetes.assertNoFaults(checker);
            assertServicesStartBeforeApiServer(cluster, services);
            services.assertHealthy();
        }
    }

    /** The trace of a claim has its record, its decision, and its write, from three processes. */
    private static void awaitTrace(Kubernetes cluster, TraceCollector collector) throws InterruptedException {
        String claim = cluster.claims().getFirst().meta().key().toString();
        SlowPoll.await(
                () -> collector
                        .servicesOfWrite(claim)
                        .equals(Set.of("claimstream-watcher", "claimstream-allocator", "claimstream-writer")),
                () -> "trace of %s: %s".formatted(claim, collector.servicesOfWrite(claim)));
    }

    private static void assertServicesStartBeforeApiServer(Kubernetes cluster, SeparateServices services)
            throws IOException, InterruptedException {
        List<String> early = List.of("writer-0", "watcher-0");
        early.forEach(services::kill); // the others are killed already
        cluster.plane().kill(ControlPlaneComponent.API_SERVER);
        for (String each : early) {
            services.startWithoutWait(each);
        }
        SlowPoll.await(
                () -> services.notReadyReport("writer-0").contains("no response from"),
                () -> "a writer that waits; " + services.warnings());
        assertThat(services.notReadyReport("writer-0"))
                .contains("nothing is written without the lease", "kubectl version");
        assertThat(early).allMatch(each -> services.get(each).isAlive());
        var unused = cluster.plane().start(ControlPlaneComponent.API_SERVER);
        services.awaitReady("writer-0");
        createAndAwaitPods(cluster, services, "seventh");
    }

    private static void createAndAwaitPods(Kubernetes cluster, SeparateServices services, String set)
            throws InterruptedException {
        cluster.apply(Kubernetes.pods(set, AT_ONCE, ""));
        awaitRunning(cluster, services, set);
    }

    private static void awaitRunning(Kubernetes cluster, SeparateServices services, String set)
            throws InterruptedException {
        SlowPoll.await(
                () -> cluster.states(set).equals(Map.of("Running", AT_ONCE)),
                () -> "%s: %s; %s".formatted(set, cluster.states(set), services.warnings()));
    }

    private static void releaseAll(Kubernetes cluster, SeparateServices services) throws InterruptedException {
        cluster.kubectl("", "delete", "pods", "--all", "-n", "team", "--wait=false");
        SlowPoll.await(() -> cluster.claims().isEmpty(), () -> "no claims; " + services.warnings());
    }

    // ---- the view of clients

    private static void assertDoctorReportsHealthyServices(SeparateServices services) throws InterruptedException {
        String registry = services.registry().toString();
        SlowPoll.await(
                () -> warnedChecks(doctor(services, registry)).equals(ONE_BROKER_WITHOUT_SECURITY),
                () -> doctor(services, registry).out());
        CommandResult well = doctor(services, registry);
        assertThat(well.exitCode()).as(well.out()).isZero();
        assertThat(well.err()).isEqualTo("no cluster was checked: --kubeconfig is missing\n");
        assertThat(well.out().lines().filter(line -> line.startsWith("ok       service http://")))
                .hasSize(services.healthAddresses().size() + 1);
        for (String check : List.of(
                "brokers",
                "topics",
                "registry",
                "watcher",
                "lag",
                "alarms",
                "versions",
                "schemas",
                "compatibility level")) {
            assertThat(well.out()).containsPattern("(?m)^ok +" + check + "  ");
        }
        String none = services.address("watcher-0");
        CommandResult wrong = doctor(services, none);
        assertThat(wrong.exitCode()).isEqualTo(1);
        assertThat(wrong.out()).endsWith(", 1 failed\n");
        assertThat(wrong.out().lines().filter(line -> line.startsWith("failed ")))
                .singleElement()
                .asString()
                .matches("failed +registry +%s answers 404 to /subjects → .+".formatted(none));
    }

    /** Returns the names of the checks that are not ok. */
    private static Set<String> warnedChecks(CommandResult result) {
        return result.out()
                .lines()
                .filter(line -> line.startsWith("warning ") || line.startsWith("failed "))
                .map(line -> line.split(" {2,}", -1)[1])
                .collect(Collectors.toSet());
    }

    private static CommandResult doctor(SeparateServices services, String registry) {
        return CommandResult.run(
                "doctor",
                "--bootstrap",
                services.bootstrap(),
                "--registry",
                registry,
                "--console",
                services.consoleAddress(),
                "--health",
                String.join(",", services.healthAddresses()));
    }

    private void assertClaimsAreListedAtConsole(SeparateServices services) throws IOException, InterruptedException {
        CommandResult named =
                CommandResult.run("get", "claims", "-A", "-o", "name", "--console", services.consoleAddress());
        assertThat(named.out().lines()).as(named.err()).hasSize(AT_ONCE);
        try (Program byVariable = Program.start(
                folder,
                Map.of(ConsoleOption.VARIABLE, services.consoleAddress()),
                Main.class.getName(),
                "get",
                "claims",
                "-A",
                "-o",
                "name")) {
            assertThat(byVariable.awaitEnd()).as(byVariable.err()).isZero();
            assertThat(byVariable.out()).isEqualTo(named.out());
        }
    }
}
