package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.BadRecordReason;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;

/** The meters of the intake. */
public final class IntakeMeters {
    private final Meters meters;

    public IntakeMeters(Meters meters) {
        this.meters = meters;
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
