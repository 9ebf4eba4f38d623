package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.ItemShape;
import java.util.List;
import java.util.Optional;

/**
 * The result of one attempt to allocate an item; not applied yet.
 *
 * @param steps search steps
 * @param failedShape the shape that did not fit, if that holds for every item of the shape
 * @param isPlaced whether the item fits; with several cells it may have to be offered first
 */
record ItemResult(
        List<Fact> facts, List<Output> outputs, long steps, Optional<ItemShape> failedShape, boolean isPlaced) {
    static final ItemResult NOTHING = new ItemResult(List.of(), List.of(), 0);

    ItemResult(List<Fact> facts, List<Output> outputs, long steps) {
        this(facts, outputs, steps, Optional.empty(), false);
    }

    /** The result of an attempt without any effect. */
    static ItemResult unchanged(long steps) {
        return new ItemResult(List.of(), List.of(), steps);
    }

    /** The same result after this number of steps. */
    ItemResult withSteps(long total) {
        return new ItemResult(facts, outputs, total);
    }

    ItemResult withFailedShape(ItemShape shape) {
        return new ItemResult(facts, outputs, steps, Optional.of(shape), false);
    }

    /** The same result of an item that fits. */
    ItemResult asPlaced() {
        return new ItemResult(facts, outputs, steps, failedShape, true);
    }

    /** Whether at most the text of the item changes. */
    boolean keepsReason(SchedulingRow.ItemRow before) {
        return facts.stream().allMatch(fact -> switch (fact) {
            case Fact.Put(SchedulingRow.LeaseRow lease) -> !lease.isOffered();
            case Fact.Put(SchedulingRow.ItemRow after) ->
                after.item().equals(before.item()) && after.reason().equals(before.reason());
            case Fact.Put _, Fact.Drop _ -> false;
        });
    }

    /** Whether the result decides a deallocation. */
    boolean isDeallocation() {
        return facts.stream().anyMatch(fact -> fact instanceof Fact.Put(ClaimRow.DeallocationRow _));
    }
}
