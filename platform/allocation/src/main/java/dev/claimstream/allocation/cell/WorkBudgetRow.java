package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.ExpressionResult;
import dev.claimstream.dra.ReadKey;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** A row of the work budget: charged work, unfinished work, or the budget itself. */
public sealed interface WorkBudgetRow extends Row {
    /**
     * Cached answers of one expression, split into parts of bounded size.
     *
     * <p>An answer has at most 1,000 characters.
     *
     * @param expression fingerprint of the expression
     * @param namespace of the item that needed the expression first
     * @param sinceOffset offset of the input that evaluated it first
     */
    record EvaluationRow(
            String expression,
            int part,
            String namespace,
            long sinceOffset,
            SortedMap<ReadKey, ExpressionResult> answers)
            implements WorkBudgetRow {
        private static final RowRange<EvaluationRow> ALL = new RowRange<>(EvaluationRow.class, "evaluation/");

        /** Maximum number of answers in one row. */
        static final int ANSWERS_MAX = 256;

        public EvaluationRow {
            answers = Collections.unmodifiableSortedMap(new TreeMap<>(answers));
        }

        static RowKey<EvaluationRow> key(String expression, int part) {
            return ALL.key(expression + "/" + part);
        }

        @Override
        public String key() {
            return key(expression, part).text();
        }
    }

    /**
     * The index of an item shape is complete and its cost is charged. From then on only node changes cost work.
     *
     * @param shape digest of the shape
     * @param namespace of the item that was charged
     * @param sinceOffset offset of the input that completed the index
     * @param counted {@link SliceChangesRow#devices} when the devices that pass the selectors were counted; -1 for never
     */
    record IndexRow(String shape, String namespace, long sinceOffset, long counted) implements WorkBudgetRow {
        private static final RowRange<IndexRow> ALL = new RowRange<>(IndexRow.class, "index/");

        static RowKey<IndexRow> key(String shape) {
            return ALL.key(shape);
        }

        @Override
        public String key() {
            return key(shape).text();
        }
    }

    /**
     * Progress of preparing the expressions of a shape: compiled, and compared with cached answers.
     *
     * @param expressions digest of the expressions
     * @param namespace of the item that was charged last
     * @param sinceOffset offset of the input that was charged last
     * @param compiled cost of the compiled expressions, roughly their characters
     * @param checked {@link SliceChangesRow#devices} up to which device answers were checked; -1 for never
     */
    record PreparationRow(String expressions, String namespace, long sinceOffset, long compiled, long checked)
            implements WorkBudgetRow {
        private static final RowRange<PreparationRow> ALL = new RowRange<>(PreparationRow.class, "preparation/");

        static RowKey<PreparationRow> key(String expressions) {
            return ALL.key(expressions);
        }

        @Override
        public String key() {
            return key(expressions).text();
        }
    }

    /**
     * Counter of slice changes.
     *
     * @param devices devices of all slices that were added, changed or deleted; each change adds the devices before and
     *     after it
     */
    record SliceChangesRow(long devices) implements WorkBudgetRow {
        static final RowKey<SliceChangesRow> KEY = new RowKey<>(SliceChangesRow.class, "slice-changes");

        /** The counter of a state; 0 before the first slice. */
        static SliceChangesRow of(State state) {
            return state.row(KEY).orElseGet(() -> new SliceChangesRow(0));
        }

        SliceChangesRow plus(long more) {
            return new SliceChangesRow(devices + more);
        }

        @Override
        public String key() {
            return KEY.text();
        }
    }

    /**
     * Unfinished work of an item.
     *
     * @param credit units charged for an index or a search that must complete in one piece
     * @param spent units charged in total
     * @param slices number of turns of the item
     */
    record WorkRow(ItemId item, Rank rank, long credit, long spent, int slices) implements WorkBudgetRow {
        private static final RowRange<WorkRow> ALL = new RowRange<>(WorkRow.class, "work/");

        static RowKey<WorkRow> key(ItemId item) {
            return ALL.key(item);
        }

        @Override
        public String key() {
            return key(item).text();
        }
    }

    /**
     * State of the work budget.
     *
     * @param reserve units that inputs may use beyond their own share; negative if overdrawn
     * @param at time of that reserve
     * @param turn namespace that had the last turn
     * @param slices slices done; the number of the next slice
     */
    record BudgetRow(long reserve, Instant at, String turn, long slices) implements WorkBudgetRow {
        static final RowKey<BudgetRow> KEY = new RowKey<>(BudgetRow.class, "budget");

        /** The state before the first input: the reserve is full. */
        static BudgetRow full(WorkBudget budget) {
            return new BudgetRow(budget.reserveMax(), Instant.EPOCH, "", 0);
        }

        @Override
        public String key() {
            return KEY.text();
        }
    }

    /** Time of the last {@link Output.WorkAlarmRaised} for a namespace. */
    record WorkAlarmRow(String namespace, Instant at) implements WorkBudgetRow {
        private static final RowRange<WorkAlarmRow> ALL = new RowRange<>(WorkAlarmRow.class, "work-alarm/");

        static RowKey<WorkAlarmRow> key(String namespace) {
            return ALL.key(namespace);
        }

        @Override
        public String key() {
            return key(namespace).text();
        }
    }
}
