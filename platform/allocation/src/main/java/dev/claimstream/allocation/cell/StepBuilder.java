package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Applies each fact of an input at once, collects the facts with the outputs, and notes what they imply. */
final class StepBuilder {
    private final State state;
    private final List<Fact> facts = new ArrayList<>();
    private final List<Output> outputs = new ArrayList<>();
    private final NavigableSet<ItemId> changed = new TreeSet<>();
    /**
     * Reasons of items whose unfinished work ended because they changed or were deleted. Equivalent items were skipped
     * for that work, so they are triggered.
     */
    private final Set<Reason> reasonsOfEndedWork = EnumSet.noneOf(Reason.class);

    private boolean hasOfferEnded;
    private boolean areTextsOutdated;
    private long steps;

    StepBuilder(State state) {
        this.state = state;
    }

    void apply(ItemResult result) {
        addSteps(result.steps());
        apply(result.facts(), result.outputs());
    }

    void apply(List<? extends Fact> more, List<Output> moreOutputs) {
        more.forEach(this::apply);
        outputs.addAll(moreOutputs);
    }

    void apply(Fact fact) {
        facts.add(fact);
        Row before = state.rows().get(fact.key());
        item(before).ifPresent(changed::add);
        areTextsOutdated |= !areTextsOutdated && RefreshPass.mayChangeTexts(Optional.ofNullable(before), fact);
        hasOfferEnded |= state.coordination().endsOffer(before, fact);
        Optional<SchedulingRow.ItemRow> worked = withWork(before);
        state.apply(fact);
        worked.filter(row -> !keepsReason(row))
                .flatMap(SchedulingRow.ItemRow::reason)
                .ifPresent(reasonsOfEndedWork::add);
        endedWork(before).ifPresent(ended -> {
            facts.add(ended);
            state.apply(ended);
        });
    }

    private static Optional<ItemId> item(@Nullable Row row) {
        return switch (row) {
            case SchedulingRow.ItemRow item -> Optional.of(item.item());
            case ClaimRow.AllocationRow decided -> Optional.of(decided.item());
            case null, default -> Optional.empty();
        };
    }

    /** The row of a pending item with unfinished work, if the item and its equivalents wait for devices of others. */
    private Optional<SchedulingRow.ItemRow> withWork(@Nullable Row row) {
        return row instanceof SchedulingRow.ItemRow item
                        && state.work(item.item()).isPresent()
                        && item.reason().filter(Reason::isDeviceContention).isPresent()
                ? Optional.of(item)
                : Optional.empty();
    }

    private boolean keepsReason(SchedulingRow.ItemRow before) {
        return state.item(before.item())
                .filter(now -> now.reason().equals(before.reason()))
                .isPresent();
    }

    /** Unfinished work ends when its item is allocated, deleted, or changes its rank. */
    private Optional<Fact> endedWork(@Nullable Row before) {
        return before instanceof SchedulingRow.ItemRow row
                ? state.work(row.item())
                        .filter(work -> state.item(row.item())
                                .filter(now -> now.isPending() && now.rank().equals(work.rank()))
                                .isEmpty())
                        .map(work -> new Fact.Drop(work.key()))
                : Optional.empty();
    }

    void addOutputs(List<Output> more) {
        outputs.addAll(more);
    }

    /** Adds search steps. */
    void addSteps(long more) {
        steps += more;
    }

    /** Whether an offer has ended since the last call. If so, another offer may take its place. */
    boolean takeOfferEnded() {
        boolean isOver = hasOfferEnded;
        hasOfferEnded = false;
        return isOver;
    }

    /** Returns and clears the reasons of items whose unfinished work has ended. */
    Set<Reason> takeReasonsOfEndedWork() {
        Set<Reason> taken = EnumSet.copyOf(reasonsOfEndedWork);
        reasonsOfEndedWork.clear();
        return taken;
    }

    /** Whether the text of a pending item may be outdated. */
    boolean areTextsOutdated() {
        return areTextsOutdated;
    }

    /** The items whose row or allocations have changed. */
    NavigableSet<ItemId> changedItems() {
        return changed;
    }

    /** @param units charged units of work */
    Step build(long units, List<IgnoredObservation> ignored) {
        return new Step(facts, outputs, steps, units, ignored);
    }
}
