package dev.claimstream.wire;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Truncates times to microseconds, the precision of Avro timestamps. */
final class AvroTimestamps {
    private AvroTimestamps() {}

    static Optional<Instant> micros(Optional<Instant> instant) {
        return instant.map(each -> each.truncatedTo(ChronoUnit.MICROS));
    }
}
