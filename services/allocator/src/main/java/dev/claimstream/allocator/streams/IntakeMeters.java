package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.BadReason;
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
