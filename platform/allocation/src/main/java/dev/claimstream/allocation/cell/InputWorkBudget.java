package dev.claimstream.allocation.cell;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The remaining work budget of one input: its own share and the reserve, or one slice.
 *
 * <p>Renewing explanations has a separate budget.
 */
final class InputWorkBudget {
    private final WorkBudget budget;
    private final boolean isSlice;
    private final WorkBudgetRow.BudgetRow before;
    private final long reserve;
    private final Instant at;
    private long spent;
    private long reservedForTurns;
    private long textsMax;
    private long spentOnTexts;
    private boolean isTextBudgetExhausted;

    InputWorkBudget(State state, Input input) {
        this.budget = state.settings().work();
        this.before = state.budget();
        this.isSlice = input.observation() instanceof Observation.WorkSliceDue next && next.number() == before.slices();
        this.at = input.at().isAfter(before.at()) ? input.at() : before.at();
        this.reserve = budget.reserve(before.reserve(), Duration.between(before.at(), at));
    }

    /** Whether the input is the next work slice, and not a repeated one. */
    boolean isSlice() {
        return isSlice;
    }

    /** Remaining units of this input. */
    long remaining() {
        return Math.max(0, total() - spent - reservedForTurns);
    }

    private long total() {
        return isSlice ? budget.slice() : budget.perInput() + Math.max(0, reserve);
    }

    /**
     * Reserves half of a slice for namespace turns, until {@link #releaseTurns}.
     *
     * <p>Otherwise a pass over triggered items, which every input can restart, could starve unfinished work.
     */
    void reserveTurns() {
        reservedForTurns = isSlice ? budget.slice() / 2 : 0;
    }

    void releaseTurns() {
        reservedForTurns = 0;
    }

    /** Remaining units without the reserve. For namespaces that already have unfinished work. */
    long remainingWithoutReserve() {
        return isSlice ? remaining() : Math.max(0, Math.min(remaining(), budget.perInput() - spent));
    }

    /** Whether the reserve is overdrawn and not repaid yet. */
    boolean isOverdrawn() {
        return !isSlice && reserve < 0;
    }

    /** Whether no units remain. */
    boolean isExhausted() {
        return remaining() == 0;
    }

    void spend(long units) {
        spent += units;
    }

    /** Charged units, including those for texts. */
    long spent() {
        return spent + spentOnTexts;
    }

    /** Sets the budget for renewing explanations, in multiples of an input's share. It does not use the reserve. */
    void setTextBudget(long shares) {
        textsMax = shares * budget.perInput();
    }

    /** Remaining units for renewing explanations. */
    long remainingForTexts() {
        return Math.max(0, textsMax - spentOnTexts);
    }

    void spendOnTexts(long units) {
        spentOnTexts += units;
    }

    /** Records that the text budget was too small for the last item. The next slice starts with that item. */
    void exhaustTextBudget() {
        isTextBudgetExhausted = true;
    }

    boolean isTextBudgetExhausted() {
        return isTextBudgetExhausted;
    }

    /** The budget row after this input, if it changes. */
    Optional<Fact> row(String turn) {
        long over = isSlice ? 0 : Math.max(0, spent - budget.perInput());
        return over == 0 && !isSlice
                ? Optional.empty()
                : Optional.of(new Fact.Put(
                        new WorkBudgetRow.BudgetRow(reserve - over, at, turn, before.slices() + (isSlice ? 1 : 0))));
    }
}
