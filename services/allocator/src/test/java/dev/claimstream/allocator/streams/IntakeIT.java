package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.wire.PublicRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The intake while a broker restarts and while a second instance joins and leaves. */
class IntakeIT {
    @TempDir
    private Path folder = Path.of("");

    private static List<PublicRecord> claims(ClusterInputs cluster, int from, int to) {
        int known = cluster.published().size();
        for (int i = from; i < to; i++) {
            cluster.claim("claim-" + i, 1);
        }
        return cluster.published().subList(known, cluster.published().size());
    }

    @Test
    void losesNoRecordWhenBrokerRestarts() {
        var cluster = new ClusterInputs().withDevices(64);
        try (var harness = AllocatorHarness.create(folder, Map.of(), AllocatorHarness.settingsWithSliceSource());
                var running = harness.start("state").awaitRunning()) {
            harness.publish(cluster.published());
            harness.publish(claims(cluster, 0, 20));
            harness.restartBroker();
            harness.publish(claims(cluster, 20, 40));
            harness.awaitAllocated(40);
            assertThat(running.failure).isNotDone();
            assertThat(harness.allocatedDevices().values().stream().flatMap(List::stream))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void instancesSharePartitionsWithoutLosingRecords() {
        var cluster = new ClusterInputs().withDevices(64);
        var partitions = Map.of(Topics.INVENTORY, 3, Topics.CLAIMS, 3);
        try (var harness = AllocatorHarness.create(folder, partitions, CellSettings.defaults());
                var first = harness.start("allocator-0", "state-0").awaitRunning()) {
            harness.publish(cluster.published());
            harness.publish(claims(cluster, 0, 10));
            try (var second = harness.start("allocator-1", "state-1")) {
                harness.publish(claims(cluster, 10, 20));
                harness.awaitAllocated(20);
                assertThat(second.failure).isNotDone();
            }
            harness.publish(claims(cluster, 20, 40));
            harness.awaitAllocated(40);
            assertThat(first.failure).isNotDone();
            assertThat(harness.allocatedDevices().values().stream().flatMap(List::stream))
                    .doesNotHaveDuplicates();
            var topics = harness.read(Topics.CELLS_IN, CellInputRecord.class).stream()
                    .flatMap(input -> input.getOrigin().stream())
                    .map(origin -> origin.getTopic() + "/" + origin.getPartitions())
                    .collect(Collectors.toSet());
            assertThat(topics).containsExactlyInAnyOrder("inventory.v1/3", "claims.v1/3");
        }
    }
}
