package dev.claimstream.console;

import java.time.Instant;

/**
 * When the explanation of a pending item was true, by the clock of the input of its cell.
 *
 * @param asOf when the item was explained, or found to be explained truly
 * @param current whether nothing is known to have changed since
 */
public record TextTime(Instant asOf, boolean current) {
    /** In a line. */
    String text() {
        return current
                ? "as of %s: nothing has changed since".formatted(asOf)
                : "as of %s: something has changed since, and the reason is computed again within 30 s".formatted(asOf);
    }
}
