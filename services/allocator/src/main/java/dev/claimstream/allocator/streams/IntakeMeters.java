package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.BadReason;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** What the intake says about itself. */
public final class IntakeMeters {
    private final Meters meters;
    private final Map<String, Long> lag = new ConcurrentHashMap<>();

    public IntakeMeters(Meters meters) {
        this.meters = meters;
        meters.show(Meter.INTAKE_LAG, this::lagByTopic);
    }

    private SortedMap<List<String>, Long> lagByTopic() {
        var rows = new TreeMap<List<String>, Long>((a, b) -> a.getFirst().compareTo(b.getFirst()));
        lag.forEach((topic, records) -> rows.put(List.of(topic), records));
        return rows;
    }

    /** Records that are not taken yet. */
    long lag() {
        return lag.values().stream().mapToLong(Long::longValue).sum();
    }

    void lags(Map<String, Long> byTopic) {
        lag.keySet().retainAll(byTopic.keySet());
        lag.putAll(byTopic);
    }

    void taken(String topic) {
        meters.count(Meter.INTAKE_RECORDS, topic);
    }

    void refused(String topic, BadReason reason) {
        meters.count(Meter.BAD_RECORDS, topic, reason.code());
    }

    void retried() {
        meters.count(Meter.INTAKE_RETRIES);
    }
}
