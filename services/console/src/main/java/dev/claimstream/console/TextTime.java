package dev.claimstream.console;

import java.time.Instant;

/**
 * When the explanation of a pending item was true, by the clock of the input of its cell.
 *
 * @param asOf when the item was explained, or found to be explained truly
 * @param current whether nothing is known to have changed since
 * @param isRefreshed whether the cell computes the text again after a change; else with the next decision on the item
 */
public record TextTime(Instant asOf, boolean current, boolean isRefreshed) {
    /** Whether the text is of the state at a time, or no refresh makes it so. */
    boolean isOf(Instant time) {
        return current || !isRefreshed || !asOf.isBefore(time);
    }

    /** In a line. */
    String text() {
        if (current) {
            return "as of %s: nothing has changed since".formatted(asOf);
        }
        return isRefreshed
                ? "as of %s: something has changed since, and the reason is computed again within 30 s".formatted(asOf)
                : "as of %s: something has changed since, and the reason is computed again with the next decision"
                        .formatted(asOf);
    }
}
