package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.observability.Meters;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Metrics of cells that restore, with the number of records left. */
final class StreamsMetersTest {
    @Test
    void countsRecordsUntilRestoredOrSuspended() {
        var meters = new Meters();
        var offsets = new GroupOffsets(KafkaConnection.plain("127.0.0.1:1"), "test", Duration.ofSeconds(1));
        var lag = new InputLag(offsets, "group", Set::of, _ -> OptionalLong.empty(), System::nanoTime);
        var restoring = new StreamsMeters(meters, Optional::empty, lag);
        var cell = new TopicPartition(AllocatorTopology.CHANGELOG, 0);
        var another = new TopicPartition(AllocatorTopology.CHANGELOG, 1);
        assertRestoreRecords(meters, 0);
        restoring.onRestoreStart(cell, AllocatorTopology.ROWS, 20, 120);
        restoring.onRestoreStart(another, AllocatorTopology.ROWS, 0, 7);
        assertRestoreRecords(meters, 107);
        restoring.onBatchRestored(cell, AllocatorTopology.ROWS, 79, 60);
        assertRestoreRecords(meters, 47);
        restoring.onRestoreSuspended(another, AllocatorTopology.ROWS, 0);
        assertRestoreRecords(meters, 40);
        restoring.onRestoreEnd(cell, AllocatorTopology.ROWS, 60);
        assertRestoreRecords(meters, 0);
    }

    private static void assertRestoreRecords(Meters meters, long records) {
        assertThat(meters.text()).contains("\nclaimstream_cell_restore_records %d.0\n".formatted(records));
    }
}
