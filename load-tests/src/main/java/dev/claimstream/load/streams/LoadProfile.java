package dev.claimstream.load.streams;

import java.util.Locale;

/** The arrival of claims. */
public sealed interface LoadProfile {
    /** A constant number of claims per second, independent of the responses (open loop). */
    record ConstantRate(int perSecond) implements LoadProfile {
        public ConstantRate {
            if (perSecond < 1) {
                throw new IllegalArgumentException("a rate is 1/s at least, not " + perSecond);
            }
        }

        /** Returns the due time of a claim (from 0), in nanoseconds after the start. */
        long due(long number) {
            return number / perSecond * 1_000_000_000L + number % perSecond * 1_000_000_000L / perSecond;
        }
    }

    /** A new claim whenever fewer than the maximum are in flight. A claim is in flight until its release was read. */
    record ClosedLoop(int inFlightMax) implements LoadProfile {}

    /** Describes the arrival for tables: {@code 1,000/s} or {@code flat out}. */
    default String text() {
        return switch (this) {
            case ConstantRate steady -> String.format(Locale.ROOT, "%,d/s", steady.perSecond);
            case ClosedLoop flatOut -> "flat out";
        };
    }
}
