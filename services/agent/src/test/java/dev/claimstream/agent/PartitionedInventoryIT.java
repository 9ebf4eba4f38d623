package dev.claimstream.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.agent.streams.AgentPublisher;
import dev.claimstream.agent.streams.KafkaFixture;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.wire.Telemetry;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sync markers on an inventory topic with several partitions: each partition gets one. */
@Timeout(60)
final class PartitionedInventoryIT {
    private static final int PARTITIONS = 3;

    @TempDir
    private Path folder;

    private KafkaFixture kafka;

    @BeforeEach
    void start() {
        kafka = KafkaFixture.withPartitions(folder.resolve("kafka"), PARTITIONS);
    }

    @AfterEach
    void stop() {
        kafka.close();
    }

    private static ResourceSlice slice(String node) {
        return ResourceSlice.builder(ObjectMeta.of("", node + "-gpu", "uid-" + node), "gpu.example.com", node)
                .generation(1)
                .scope(new NodeScope.SingleNode(node))
                .build();
    }

    private List<InventoryRecord> syncMarkers() {
        return kafka.inventory().stream()
                .filter(record -> record.getSynced().isPresent())
                .toList();
    }

    @Test
    void sendsSyncMarkerToEveryPartition() {
        var heartbeat = new Telemetry("node-1", Instant.parse("2026-01-01T00:00:00Z"), List.of());
        try (var outlet = new AgentPublisher(kafka.connection(), kafka.registry(), "agent:node-1", 1)) {
            assertThat(outlet.publish(Optional.of(List.of(slice("node-1"))), heartbeat))
                    .isTrue();
            assertThat(outlet.publish(Optional.of(List.of()), heartbeat)).isTrue();
        }
        assertThat(syncMarkers())
                .hasSize(PARTITIONS)
                .allSatisfy(each -> assertThat(each.getSource()).isEqualTo("agent:node-1"));
    }

    @Test
    void republishedFleetHasNewVersions() {
        var fleet = new SimulatedFleet(
                new ObjectListing(List.of(slice("node-1"), slice("node-2"))),
                kafka.connection(),
                kafka.registry(),
                false);
        fleet.publish();
        fleet.publish();
        fleet.stop();
        assertThat(syncMarkers()).hasSize(2 * PARTITIONS);
        assertThat(kafka.inventory().stream()
                        .filter(record -> record.getSlice().isPresent())
                        .map(InventoryRecord::getVersion))
                .doesNotHaveDuplicates()
                .allSatisfy(version -> assertThat(version).isGreaterThan(System.currentTimeMillis()))
                .hasSize(4);
    }
}
