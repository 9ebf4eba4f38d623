package dev.claimstream.allocation.cell;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The work that one input may still cause: its own share and the reserve, or one slice. What explaining items again costs counts apart. */
final class Allowance {
    private final WorkBudget budget;
    private final boolean isSlice;
    private final Row.BudgetRow before;
    private final long reserve;
    private final Instant at;
    private long spent;
    private long keptForTurns;
    private long textsMax;
    private long spentOnTexts;
    private boolean areTextsCutShort;

    Allowance(State state, Input input) {
        this.budget = state.settings().work();
        this.before = state.budget();
        this.isSlice = input.what() instanceof Observation.Continue next && next.number() == before.slices();
        this.at = input.at().isAfter(before.at()) ? input.at() : before.at();
        this.reserve = budget.reserve(before.reserve(), Duration.between(before.at(), at));
    }

    /** Whether the input is a slice of work, and not one that was done before. */
    boolean isSlice() {
        return isSlice;
    }

    /** Units that are left for this input. */
    long left() {
        return Math.max(0, total() - spent - keptForTurns);
    }

    private long total() {
        return isSlice ? budget.slice() : budget.perInput() + Math.max(0, reserve);
    }

    /**
     * Keeps half of a slice for the turns of the namespaces, until {@link #releaseTurns}: a pass over woken items, which can begin again
     * with every input, must not keep unfinished work from going on.
     */
    void keepTurns() {
        keptForTurns = isSlice ? budget.slice() / 2 : 0;
    }

    void releaseTurns() {
        keptForTurns = 0;
    }

    /** Units that are left without the reserve: for a namespace that has unfinished work already. */
    long leftWithoutReserve() {
        return isSlice ? left() : Math.max(0, Math.min(left(), budget.perInput() - spent));
    }

    /** Whether more was spent than the reserve allowed, and that is not repaid yet. */
    boolean isOverdrawn() {
        return !isSlice && reserve < 0;
    }

    /** Whether nothing is left. */
    boolean isSpent() {
        return left() == 0;
    }

    void spend(long units) {
        spent += units;
    }

    /** Units that are spent, on texts included. */
    long spent() {
        return spent + spentOnTexts;
    }

    /** Allows to explain pending items again, for so many shares of an input; the reserve is not drawn on. */
    void allowTexts(long shares) {
        textsMax = shares * budget.perInput();
    }

    /** Units that are left for explaining items again. */
    long leftForTexts() {
        return Math.max(0, textsMax - spentOnTexts);
    }

    void spendOnTexts(long units) {
        spentOnTexts += units;
    }

    /** Notes that the units for texts do not suffice for the last item: the next slice begins with it. */
    void cutTextsShort() {
        areTextsCutShort = true;
    }

    boolean areTextsCutShort() {
        return areTextsCutShort;
    }

    /** The budget after this input, where it changes. */
    Optional<Fact> row(String turn) {
        long over = isSlice ? 0 : Math.max(0, spent - budget.perInput());
        return over == 0 && !isSlice
                ? Optional.empty()
                : Optional.of(
                        new Fact.Put(new Row.BudgetRow(reserve - over, at, turn, before.slices() + (isSlice ? 1 : 0))));
    }
}
