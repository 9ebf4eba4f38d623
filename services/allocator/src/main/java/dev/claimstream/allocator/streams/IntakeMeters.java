package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.BadRecordReason;
import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;
import java.util.List;

/** The meters of the intake. */
public final class IntakeMeters {
    private static final List<String> TOPICS = List.of(Topics.INVENTORY, Topics.CLAIMS, Topics.OUTCOMES);

    private final Meters meters;

    public IntakeMeters(Meters meters) {
        this.meters = meters;
        meters.create(Meter.INTAKE_RETRIES);
        for (String topic : TOPICS) {
            meters.create(Meter.INTAKE_RECORDS, topic);
            for (BadRecordReason reason : BadRecordReason.values()) {
                meters.create(Meter.BAD_RECORDS, topic, reason.code());
            }
        }
    }

    /** Registers the gauge of the lag. */
    void show(InputLag lag) {
        meters.show(Meter.INTAKE_LAG, lag::rows);
    }

    void countRecord(String topic) {
        meters.count(Meter.INTAKE_RECORDS, topic);
    }

    void countBadRecord(String topic, BadRecordReason reason) {
        meters.count(Meter.BAD_RECORDS, topic, reason.code());
    }

    void countRetry() {
        meters.count(Meter.INTAKE_RETRIES);
    }
}
