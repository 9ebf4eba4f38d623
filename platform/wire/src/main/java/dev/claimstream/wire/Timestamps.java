package dev.claimstream.wire;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Microseconds are what Avro keeps of an instant. */
final class Timestamps {
    private Timestamps() {}

    static Optional<Instant> micros(Optional<Instant> instant) {
        return instant.map(each -> each.truncatedTo(ChronoUnit.MICROS));
    }
}
