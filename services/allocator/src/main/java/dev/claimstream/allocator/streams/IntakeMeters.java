package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.BadRecordReason;
import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.observability.Meters;
import java.util.List;

/** Counts records by topic, bad records by topic and reason, and retries. It has the gauge of the lag, too. */
public final class IntakeMeters {
    private static final List<String> TOPICS = List.of(Topics.INVENTORY, Topics.CLAIMS, Topics.OUTCOMES);

    private final Meters meters;

    public IntakeMeters(Meters meters) {
        this.meters = meters;
        meters.create(AllocatorMeter.INTAKE_RETRIES);
        for (String topic : TOPICS) {
            meters.create(AllocatorMeter.INTAKE_RECORDS, topic);
            for (BadRecordReason reason : BadRecordReason.values()) {
                meters.create(AllocatorMeter.BAD_RECORDS, topic, reason.code());
            }
        }
    }

    /** Registers the gauge of the lag. */
    void show(InputLag lag) {
        meters.show(AllocatorMeter.INTAKE_LAG, lag::rows);
    }

    void countRecord(String topic) {
        meters.count(AllocatorMeter.INTAKE_RECORDS, topic);
    }

    void countBadRecord(String topic, BadRecordReason reason) {
        meters.count(AllocatorMeter.BAD_RECORDS, topic, reason.code());
    }

    void countRetry() {
        meters.count(AllocatorMeter.INTAKE_RETRIES);
    }
}
