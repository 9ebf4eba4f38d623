package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.List;

/** An output of the cell. The allocator publishes it. */
public sealed interface Output {
    /** A decision, for {@code decisions.v1} and the ledger. */
    record DecisionMade(Decision decision) implements Output {}

    /** A comparison with the cluster, for {@code comparisons.v1}. Only in observe-only mode. */
    record ClaimCompared(Comparison comparison) implements Output {}

    /** An explanation, for {@code explanations.v1}. */
    record ItemExplained(Explanation explanation) implements Output {}

    /**
     * A claim was deleted, and its decisions with it. The last output on this claim. With several cells the router
     * writes it.
     */
    record ClaimDeleted(String claimUid) implements Output {}

    /** An alarm was raised or cleared. The allocator itself cannot fix its cause. */
    record AlarmChanged(Alarm alarm, boolean isCleared) implements Output {}

    /**
     * An item needs an unusual amount of work. At most one report per namespace and hour.
     *
     * @param claims of the item
     * @param message the expression or the search, with units
     * @param spent units of work so far
     */
    record WorkAlarmRaised(ItemId item, List<ObjectKey> claims, String message, long spent) implements Output {}

    /** A report to the router. Only with several cells. */
    record RouterMessage(CellReport report) implements Output {}

    /** An item was deleted, and its explanation with it. */
    record ExplanationDeleted(ItemId item) implements Output {}

    /**
     * Every pending item with a refreshed reason was explained for a state of this time or later.
     *
     * <p>Not written with several cells.
     *
     * @param except items whose texts are older
     */
    record TextsRefreshed(Instant beganAt, List<ItemId> except) implements Output {
        public TextsRefreshed {
            except = List.copyOf(except);
        }
    }

    /**
     * All items known before a probe are decided.
     *
     * @param allocated number of allocated items
     * @param pending number of pending items
     */
    record ProbeAnswered(String probe, int allocated, int pending) implements Output {}
}
