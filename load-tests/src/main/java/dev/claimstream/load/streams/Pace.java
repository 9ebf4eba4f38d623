package dev.claimstream.load.streams;

import java.util.Locale;

/** When claims are made. */
public sealed interface Pace {
    /** So many a second, evenly, whatever comes back. */
    record Steady(int perSecond) implements Pace {
        public Steady {
            if (perSecond < 1) {
                throw new IllegalArgumentException("a rate is 1/s at least, not " + perSecond);
            }
        }

        /** Nanoseconds after the start at which the claim of this number, from 0, is due. */
        long due(long number) {
            return number / perSecond * 1_000_000_000L + number % perSecond * 1_000_000_000L / perSecond;
        }
    }

    /** The next one whenever fewer than so many are under way; a claim is under way until its release was read. */
    record FlatOut(int underWayMax) implements Pace {}

    /** For tables: 1,000/s or flat out. */
    default String text() {
        return switch (this) {
            case Steady steady -> String.format(Locale.ROOT, "%,d/s", steady.perSecond);
            case FlatOut flatOut -> "flat out";
        };
    }
}
