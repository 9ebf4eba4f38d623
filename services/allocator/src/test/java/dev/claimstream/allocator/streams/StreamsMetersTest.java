package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.Meters;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What is read from the metrics of consumers. */
final class StreamsMetersTest {
    /** A number of a consumer, as it says it. */
    private record Said(MetricName metricName, Object metricValue) implements Metric {
        static Said lag(String topic, int partition, double records) {
            return new Said(
                    new MetricName(
                            "records-lag",
                            "consumer-fetch-manager-metrics",
                            "",
                            Map.of("topic", topic, "partition", Integer.toString(partition))),
                    records);
        }
    }

    @Test
    void aRouterThatIsBehindIsAsMuchLagAsACell() {
        var said = List.of(
                Said.lag(Topics.CELLS_IN, 0, 3), Said.lag(Topics.CELLS_IN, 1, 4), Said.lag(Topics.ROUTER_IN, 0, 50));
        assertThat(StreamsMeters.lags(said)).isEqualTo(Map.of(Topics.CELLS_IN, 7L, Topics.ROUTER_IN, 50L));
    }

    @Test
    void whatIsStillToBeRestoredIsShownUntilItIsOrSomebodyElseDoesIt() {
        var meters = new Meters();
        var restoring = new StreamsMeters(meters, Optional::empty);
        var cell = new TopicPartition(AllocatorTopology.CHANGELOG, 0);
        var another = new TopicPartition(AllocatorTopology.CHANGELOG, 1);
        assertRestores(meters, 0);
        restoring.onRestoreStart(cell, AllocatorTopology.ROWS, 20, 120);
        restoring.onRestoreStart(another, AllocatorTopology.ROWS, 0, 7);
        assertRestores(meters, 107);
        restoring.onBatchRestored(cell, AllocatorTopology.ROWS, 79, 60);
        assertRestores(meters, 47);
        restoring.onRestoreSuspended(another, AllocatorTopology.ROWS, 0);
        assertRestores(meters, 40);
        restoring.onRestoreEnd(cell, AllocatorTopology.ROWS, 60);
        assertRestores(meters, 0);
    }

    private static void assertRestores(Meters meters, long records) {
        assertThat(meters.text()).contains("\nclaimstream_cell_restore_records %d.0\n".formatted(records));
    }

    @Test
    void aLagThatIsSaidUnderTheNameOfOldAsWellCountsOnce() {
        assertThat(StreamsMeters.lags(List.of(Said.lag("cells.in", 0, 3), Said.lag("cells_in", 0, 3))))
                .isEqualTo(Map.of(Topics.CELLS_IN, 3L));
    }

    @Test
    void whatIsNotKnownYetAndWhatIsReadToRestoreIsNoLag() {
        var said = List.of(
                Said.lag(Topics.CELLS_IN, 0, Double.NaN),
                Said.lag(AllocatorTopology.CHANGELOG, 0, 1000),
                new Said(new MetricName("records-lag", "another-group", "", Map.of("topic", Topics.CELLS_IN)), 8.0));
        assertThat(StreamsMeters.lags(said)).isEqualTo(Map.of(Topics.CELLS_IN, 0L));
    }
}
