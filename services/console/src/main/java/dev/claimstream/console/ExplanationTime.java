package dev.claimstream.console;

import java.time.Instant;

/**
 * The time for which the explanation of a pending item is true, by the timestamps of the cell's input.
 *
 * @param asOf when the item was explained, or its explanation was last confirmed
 * @param isCurrent whether no relevant change is known since
 * @param isRefreshed whether the cell recomputes the explanation after a change; otherwise only the next decision does
 */
public record ExplanationTime(Instant asOf, boolean isCurrent, boolean isRefreshed) {
    /** Returns whether the explanation reflects the state at a time, or will not be refreshed. */
    boolean isFreshAt(Instant time) {
        return isCurrent || !isRefreshed || !asOf.isBefore(time);
    }

    /** Returns one line for people. */
    String text() {
        if (isCurrent) {
            return "as of %s: nothing has changed since".formatted(asOf);
        }
        return isRefreshed
                ? "as of %s: the cluster has changed since; the reason is computed again within 30 s".formatted(asOf)
                : "as of %s: the cluster has changed since; the reason is computed again with the next decision"
                        .formatted(asOf);
    }
}
