package dev.claimstream.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Counters, gauges, sums and histograms in the Prometheus text. */
final class MetersTest {
    private final Meters meters = new Meters();

    @Test
    void exposesJvmMetrics() {
        assertThat(meters.text())
                .contains("jvm_memory_used_bytes{", "process_uptime_seconds ", "process_cpu_seconds_total ")
                .doesNotContain("_ns");
    }

    @Test
    void createdCounterAndHistogramBeginWithZero() {
        meters.create(AllocatorMeter.ALARMS, "conflict");
        meters.create(WriterMeter.COMMIT);
        assertThat(meters.text())
                .contains(
                        "claimstream_alarms_total{kind=\"conflict\"} 0.0", "claimstream_writer_commit_seconds_count 0");
        meters.count(AllocatorMeter.ALARMS, "conflict");
        assertThat(meters.text()).contains("claimstream_alarms_total{kind=\"conflict\"} 1.0");
    }

    @Test
    void createRejectsGauge() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> meters.create(AllocatorMeter.QUEUE_ITEMS))
                .withMessage("claimstream_queue_items is a gauge: use show");
    }

    /** Every producer of ResourceSlices chooses the names of its drivers. */
    @Test
    void addsUpRowsBeyondLimitAsOther() {
        var rows = new TreeMap<String, Long>();
        for (int i = 0; i < Meters.ROWS_MAX + 50; i++) {
            rows.put("driver-%05d".formatted(i), 2L);
        }
        meters.show(AllocatorMeter.DEVICES, () -> {
            var shown = new java.util.LinkedHashMap<List<String>, Long>();
            rows.forEach((driver, count) -> {
                shown.put(List.of(driver, "gpu", "free"), count);
                shown.put(List.of(driver, "gpu", "lost"), count);
            });
            return shown;
        });
        List<String> series = meters.text()
                .lines()
                .filter(line -> line.startsWith("claimstream_devices{"))
                .toList();
        assertThat(series)
                .hasSize(Meters.ROWS_MAX + 2)
                .contains(
                        "claimstream_devices{class=\"(other)\",driver=\"(other)\",state=\"free\"} 1100.0",
                        "claimstream_devices{class=\"(other)\",driver=\"(other)\",state=\"lost\"} 1100.0");
        assertThat(AllocatorMeter.DEVICES.labelSetsMax()).isGreaterThanOrEqualTo(series.size());
    }

    @Test
    void showsStatusOfEachPartOfHealth() {
        var health = new Health();
        meters.show(health);
        health.register("cells", () -> Health.Condition.up("1 cell active"));
        health.register("lag", () -> Health.Condition.degraded("many records"));
        health.register("broker", () -> Health.Condition.down("no connection"));
        health.register("writer", () -> Health.Condition.terminal("stopped"));
        assertThat(meters.text())
                .contains(
                        "claimstream_part_status{part=\"cells\"} 0.0",
                        "claimstream_part_status{part=\"lag\"} 1.0",
                        "claimstream_part_status{part=\"broker\"} 2.0",
                        "claimstream_part_status{part=\"writer\"} 3.0");
    }

    @Test
    void counterCountsPerLabelSet() {
        meters.count(AllocatorMeter.BAD_RECORDS, "claims.v1", "Truncated");
        meters.count(AllocatorMeter.BAD_RECORDS, "claims.v1", "Truncated");
        meters.count(AllocatorMeter.BAD_RECORDS, "inventory.v1", "Malformed");
        assertThat(meters.text())
                .contains(
                        "claimstream_bad_records_total{reason=\"Truncated\",topic=\"claims.v1\"} 2.0",
                        "claimstream_bad_records_total{reason=\"Malformed\",topic=\"inventory.v1\"} 1.0");
    }

    @Test
    void readsExternalSumPerLabelSet() {
        var bytes = new AtomicLong(3);
        meters.showSum(ProcessMeter.BROKER_REJECTED, bytes, AtomicLong::get, "claims.v1");
        bytes.set(5);
        assertThat(meters.text()).contains("claimstream_broker_rejected_bytes_total{topic=\"claims.v1\"} 5.0");
    }

    @Test
    void histogramBucketsMatchGoals() {
        meters.record(AllocatorMeter.DECISION, Duration.ofMillis(7), "allocated");
        assertThat(meters.text())
                .contains(
                        "claimstream_decision_seconds_bucket{result=\"allocated\",le=\"0.005\"} 0",
                        "claimstream_decision_seconds_bucket{result=\"allocated\",le=\"0.01\"} 1",
                        "claimstream_decision_seconds_count{result=\"allocated\"} 1");
    }

    /** A clock that is set back must not invalidate the metrics. */
    @Test
    void negativeDurationCountsAsZero() {
        meters.record(AllocatorMeter.DECISION, Duration.ofMillis(-7), "allocated");
        assertThat(meters.text()).contains("claimstream_decision_seconds_sum{result=\"allocated\"} 0.0");
    }

    @Test
    void removedRowIsNotExposed() {
        var rows = new TreeMap<String, Integer>(Map.of("silent", 3));
        meters.show(AllocatorMeter.CLAIMS, () -> {
            var shown = new java.util.LinkedHashMap<List<String>, Integer>();
            rows.forEach((reason, count) -> shown.put(List.of("pending", reason), count));
            return shown;
        });
        assertThat(meters.text()).contains("claimstream_claims{reason=\"silent\",state=\"pending\"} 3.0");
        rows.clear();
        rows.put("other", 1);
        assertThat(meters.text()).contains("reason=\"other\"").doesNotContain("reason=\"silent\"");
    }

    @Test
    void rejectsWrongLabelCount() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> meters.count(AllocatorMeter.BAD_RECORDS, "claims.v1"))
                .withMessage("meter claimstream_bad_records_total has the labels [topic, reason], not [claims.v1]");
    }
}
