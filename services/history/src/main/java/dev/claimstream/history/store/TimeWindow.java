package dev.claimstream.history.store;

import java.time.Instant;
import java.util.Optional;

/**
 * A part of the past.
 *
 * @param since empty for the begin of the log
 * @param until empty for its last input
 */
public record TimeWindow(Optional<Instant> since, Optional<Instant> until) {
    /** A window without a begin and an end: the whole log. */
    public static final TimeWindow ALL = new TimeWindow(Optional.empty(), Optional.empty());

    /** From a time to the last input. */
    public static TimeWindow since(Optional<Instant> time) {
        return new TimeWindow(time, Optional.empty());
    }
}
