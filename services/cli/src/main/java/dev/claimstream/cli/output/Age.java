package dev.claimstream.cli.output;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;

/** Formats the age of an object as kubectl does: {@code 45s}, {@code 3m20s}, {@code 5h}, {@code 12d}. */
public final class Age {
    private static final int DAYS_OF_YEAR = 365;

    private Age() {}

    /** Returns the age of an object, or {@code <unknown>} if the creation time cannot be parsed. */
    public static String since(String created, InstantSource clock) {
        try {
            return of(Duration.between(Instant.parse(created), clock.instant()));
        } catch (DateTimeParseException e) {
            return "<unknown>";
        }
    }

    static String of(Duration age) {
        long seconds = Math.max(0, age.toSeconds());
        long minutes = seconds / 60;
        long hours = minutes / 60;
        long days = hours / 24;
        if (minutes < 2) {
            return seconds + "s";
        }
        if (minutes < 10) {
            return both(minutes, "m", seconds % 60, "s");
        }
        if (hours < 3) {
            return minutes + "m";
        }
        if (hours < 8) {
            return both(hours, "h", minutes % 60, "m");
        }
        if (hours < 48) {
            return hours + "h";
        }
        if (days < 8) {
            return both(days, "d", hours % 24, "h");
        }
        if (days < 2 * DAYS_OF_YEAR) {
            return days + "d";
        }
        return days < 8 * DAYS_OF_YEAR
                ? both(days / DAYS_OF_YEAR, "y", days % DAYS_OF_YEAR, "d")
                : days / DAYS_OF_YEAR + "y";
    }

    private static String both(long large, String one, long small, String other) {
        return small == 0 ? large + one : large + one + small + other;
    }
}
