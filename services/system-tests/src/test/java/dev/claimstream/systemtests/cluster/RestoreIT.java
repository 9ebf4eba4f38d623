package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is left after a restore of etcd from an older backup, and after the loss of Kafka: nothing is allocated twice. */
@Timeout(400)
class RestoreIT {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void olderEtcdBackupLeadsToNoDoubleAllocation() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(2, 4);
                var up = Kubernetes.up(cluster, folder)) {
            cluster.apply(Kubernetes.pods("early", 3, ""));
            cluster.awaitStates("early", Map.of("Running", 3));
            Path backup = folder.resolve("backup");
            ControlPlane plane = cluster.plane();
            Path data = plane.folder().resolve("etcd");
            plane.kill(ControlPlaneComponent.ETCD);
            copy(data, backup);
            plane.start(ControlPlaneComponent.ETCD);
            cluster.apply(Kubernetes.pods("late", 3, ""));
            cluster.awaitStates("late", Map.of("Running", 3));

            for (ControlPlaneComponent each : ControlPlaneComponent.values()) {
                plane.kill(each);
            }
            delete(data);
            copy(backup, data);
            for (ControlPlaneComponent each : ControlPlaneComponent.values()) {
                plane.start(each);
            }
            Program.await(() -> cluster.claims().size() == 3, "the claims of the backup");
            cluster.apply(Kubernetes.pods("after", 5, ""));
            cluster.awaitStates("after", Map.of("Running", 5));
            assertThat(cluster.allocatedDevices()).hasSize(8).doesNotHaveDuplicates();
            assertThat(up.isAlive()).isTrue();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            files.forEach(each -> {
                try {
                    Files.copy(each, to.resolve(from.relativize(each).toString()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(each -> {
                try {
                    Files.delete(each);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
