package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import java.time.Duration;
import java.time.Instant;

/**
 * Waits for the next refresh of explanations by the cell, for a few seconds. The cell refreshes them of its own accord: a question costs
 * it nothing.
 */
final class PresentState {
    /** A refresh is due a second after a change, and ticks come once per second. */
    static final Duration WAIT_MAX = Duration.ofSeconds(3);

    private PresentState() {}

    /** Waits until the explanation of an item is of the state at this call. Later changes do not prolong the wait. */
    static void await(World world, ItemId item) {
        Instant asked = world.look(World.Moment::changed);
        try {
            world.await(moment -> isOf(moment, item, asked), WAIT_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The explanation of an allocation stays that of its time. */
    private static boolean isOf(World.Moment moment, ItemId item, Instant time) {
        boolean isPending = moment.explanation(item)
                .filter(each -> each.because() instanceof Explanation.Because.Waits)
                .isPresent();
        return !isPending || moment.time(item).map(each -> each.isOf(time)).orElse(true);
    }
}
