package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import java.time.Duration;
import java.time.Instant;

/**
 * Waits up to a few seconds for the cell's next refresh of explanations.
 * The cell refreshes explanations by itself. A request causes no work in the cell.
 */
final class ExplanationRefresh {
    /** The cell refreshes one second after a change, and ticks come once per second. */
    static final Duration WAIT_MAX = Duration.ofSeconds(3);

    private ExplanationRefresh() {}

    /** Waits until the explanation of an item reflects the state at the time of this call. Later changes do not prolong the wait. */
    static void await(ClusterView clusterView, ItemId item) {
        Instant requestedAt = clusterView.read(ClusterView.Snapshot::lastChange);
        try {
            clusterView.await(snapshot -> isCurrent(snapshot, item, requestedAt), WAIT_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether the explanation reflects the state at a time. An explanation of an allocation is never refreshed. */
    private static boolean isCurrent(ClusterView.Snapshot snapshot, ItemId item, Instant time) {
        boolean isPending = snapshot.explanation(item)
                .filter(each -> each.detail() instanceof Explanation.ExplanationDetail.Pending)
                .isPresent();
        return !isPending
                || snapshot.explanationTime(item)
                        .map(each -> each.isFreshAt(time))
                        .orElse(true);
    }
}
