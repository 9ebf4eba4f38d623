package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kubernetes.controlplane.ControlPlane.ConsistencyChecker;
import dev.claimstream.kubernetes.controlplane.RestoreMode;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import dev.claimstream.writer.streams.StoredVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that Claimstream continues after etcd was restored from a snapshot, while it runs and while it is down.
 *
 * <p>After a plain restore resourceVersions go back. After a restore with a bump the versions of lists do not, but those
 * of restored objects do.
 */
@Timeout(600)
@Tag("part-2")
class RestoreIT {
    private static final int DEVICES = 6;

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @EnumSource
    void continuesAfterRestoreWhileRunning(RestoreMode mode) throws IOException, InterruptedException {
        try (Kubernetes cluster = Kubernetes.start(2, DEVICES / 2);
                Program up = Kubernetes.up(cluster, folder)) {
            Map<String, String> saved = changeAfterBackup(cluster);
            restore(cluster, mode);
            assertContinues(cluster, saved);
            assertThat(up.err()).doesNotContain("has also allocated this device");
        }
    }

    @ParameterizedTest
    @EnumSource
    void continuesAfterRestoreWhileDown(RestoreMode mode) throws IOException, InterruptedException {
        try (Kubernetes cluster = Kubernetes.start(2, DEVICES / 2)) {
            Map<String, String> saved;
            try (Program up = Kubernetes.up(cluster, folder)) {
                saved = changeAfterBackup(cluster);
                assertThat(storedVersion())
                        .as("from which the next start sees the restore")
                        .isPositive();
                up.kill();
                up.awaitEnd();
            }
            restore(cluster, mode);
            try (Program up = Kubernetes.up(cluster, folder)) {
                assertContinues(cluster, saved);
                assertThat(up.err()).doesNotContain("has also allocated this device");
            }
        }
    }

    private long storedVersion() {
        String bootstrap = DataFolder.publishedEndpoint(folder.resolve("data"))
                .orElseThrow()
                .bootstrap();
        return StoredVersion.read(KafkaConnection.plain(bootstrap), Duration.ofSeconds(10));
    }

    /** Saves a snapshot between allocations, and returns the devices of each pod in it. */
    private Map<String, String> changeAfterBackup(Kubernetes cluster) throws InterruptedException {
        createPods(cluster, "kept", 2);
        createPods(cluster, "back", 2);
        Map<String, String> saved = cluster.devicesOfPods();
        cluster.plane().backup(folder.resolve("snapshot"));
        cluster.kubectl("", "delete", "pod", "-n", "team", "back-0", "back-1", "kept-1");
        SlowPoll.await(() -> cluster.claims().size() == 1, () -> "one claim is left: " + cluster.claims());
        createPods(cluster, "kept", 2); // one of them again, as another object of the same name
        createPods(cluster, "lost", 4);
        assertThat(cluster.allocatedDevices()).hasSize(DEVICES).doesNotHaveDuplicates();
        return saved;
    }

    /**
     * Restores the snapshot. After a plain restore, other clients continue their watches at a version that the server does
     * not have yet, and must be restarted. A restore with a bump expires these watches.
     */
    private void restore(Kubernetes cluster, RestoreMode mode) {
        cluster.plane().restore(folder.resolve("snapshot"), mode);
        if (mode == RestoreMode.PLAIN) {
            cluster.restartKubelet();
        }
    }

    private static void createPods(Kubernetes cluster, String prefix, int count) throws InterruptedException {
        cluster.apply(Kubernetes.pods(prefix, count, ""));
        awaitRunning(cluster, prefix, count);
    }

    private static void awaitRunning(Kubernetes cluster, String set, int count) throws InterruptedException {
        SlowPoll.await(
                () -> cluster.states(set).equals(Map.of("Running", count)),
                () -> "%d running of %s, but %s; events: %s"
                        .formatted(count, set, cluster.states(set), cluster.events("team")));
    }

    private static void assertContinues(Kubernetes cluster, Map<String, String> saved) throws InterruptedException {
        try (ConsistencyChecker checker = cluster.plane().startChecker("--patience", "1m")) {
            assertThat(cluster.devicesOfPods()).as("the state of the snapshot").isEqualTo(saved);
            createPods(cluster, "next", 2);
            assertThat(cluster.allocatedDevices()).hasSize(DEVICES).doesNotHaveDuplicates();
            assertThat(cluster.devicesOfPods()).containsAllEntriesOf(saved);

            cluster.apply(
                    Kubernetes.pods("waits", 2, "")); // they need the devices of pods that the restore brought back
            Program.await(() -> cluster.hasEvent("DevicesInUse pod/waits-0", ""), "no device is free");
            cluster.kubectl("", "delete", "pod", "-n", "team", "back-0", "back-1");
            awaitRunning(cluster, "waits", 2);
            assertThat(cluster.allocatedDevices()).hasSize(DEVICES).doesNotHaveDuplicates();
            Kubernetes.assertNoFaults(checker);
        }
    }
}
