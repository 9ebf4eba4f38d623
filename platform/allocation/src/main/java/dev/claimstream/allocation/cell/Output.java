package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.List;

/** An output of the cell. The allocator publishes it. */
public sealed interface Output {
    /** A decision, for {@code decisions.v1} and the ledger. */
    record Decided(Decision decision) implements Output {}

    /** An explanation, for {@code explanations.v1}. */
    record Explained(Explanation explanation) implements Output {}

    /**
     * A claim was deleted, and its decisions with it. The last output on this claim. With several cells the router
     * writes it.
     */
    record Ended(String claimUid) implements Output {}

    /** An alarm was raised or cleared. The allocator itself cannot fix its cause. */
    record Alarmed(Alarm alarm, boolean over) implements Output {}

    /**
     * An item needs an unusual amount of work. At most one report per namespace and hour.
     *
     * @param claims of the item
     * @param message the expression or the search, with units
     * @param spent units of work so far
     */
    record WorkAlarmed(ItemId item, List<ObjectKey> claims, String message, long spent) implements Output {}

    /** A report to the router. Only with several cells. */
    record ToRouter(Verdict verdict) implements Output {}

    /** An item was deleted, and its explanation with it. */
    record Forgotten(ItemId item) implements Output {}

    /**
     * Every pending item with a refreshed reason was explained for a state of this time or later.
     *
     * <p>Not written with several cells.
     *
     * @param except items whose texts are older
     */
    record Refreshed(Instant begun, List<ItemId> except) implements Output {
        public Refreshed {
            except = List.copyOf(except);
        }
    }

    /**
     * All items known before a probe are decided.
     *
     * @param granted number of allocated items
     * @param waiting number of pending items
     */
    record Answered(String probe, int granted, int waiting) implements Output {}
}
