package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import java.time.Duration;
import java.time.Instant;

/**
 * Waits up to a few seconds for the cell's next refresh of explanations.
 * The cell refreshes explanations by itself. A request causes no work in the cell.
 */
final class PresentState {
    /** The cell refreshes one second after a change, and ticks come once per second. */
    static final Duration WAIT_MAX = Duration.ofSeconds(3);

    private PresentState() {}

    /** Waits until the explanation of an item reflects the state at the time of this call. Later changes do not prolong the wait. */
    static void await(World world, ItemId item) {
        Instant asked = world.look(World.Moment::changed);
        try {
            world.await(moment -> isOf(moment, item, asked), WAIT_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether the explanation reflects the state at a time. An explanation of an allocation is never refreshed. */
    private static boolean isOf(World.Moment moment, ItemId item, Instant time) {
        boolean isPending = moment.explanation(item)
                .filter(each -> each.because() instanceof Explanation.Because.Waits)
                .isPresent();
        return !isPending || moment.time(item).map(each -> each.isOf(time)).orElse(true);
    }
}
