package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.List;

/** What goes out. */
public sealed interface Output {
    /** For {@code decisions.v1} and the ledger. */
    record Decided(Decision decision) implements Output {}

    /** For {@code explanations.v1}. */
    record Explained(Explanation explanation) implements Output {}

    /** A claim is gone, and the decisions on it with it; the last word on it. With several cells it is the router's. */
    record Ended(String claimUid) implements Output {}

    /** Something went wrong that nobody here can set right, or is over. */
    record Alarmed(Alarm alarm, boolean over) implements Output {}

    /**
     * An item needs very much work; at most one report per namespace and hour.
     *
     * @param claims of the item
     * @param message the expression or the search, with units
     * @param spent units of work so far
     */
    record WorkAlarmed(ItemId item, List<ObjectKey> claims, String message, long spent) implements Output {}

    /** For the router, where there is one. */
    record ToRouter(Verdict verdict) implements Output {}

    /** An item is gone, and its explanation with it. */
    record Forgotten(ItemId item) implements Output {}

    /**
     * Every pending item with a refreshed reason has been explained for a state of this time or a later one. With several cells it is not
     * said.
     *
     * @param except items whose texts are older
     */
    record Refreshed(Instant begun, List<ItemId> except) implements Output {
        public Refreshed {
            except = List.copyOf(except);
        }
    }

    /**
     * Every item that was known before the probe is decided.
     *
     * @param granted items that have everything
     * @param waiting items that wait
     */
    record Answered(String probe, int granted, int waiting) implements Output {}
}
