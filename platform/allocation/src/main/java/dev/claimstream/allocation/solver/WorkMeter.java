package dev.claimstream.allocation.solver;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Counts the work of one look at an item, in units of about 100 ns, and ends the look at a limit. What is charged follows from the
 * state alone: cached results cost the same as new ones.
 */
public final class WorkMeter {
    /** A node class that is considered. */
    private static final long NODE_CLASS = 1;
    /** One step of a search beyond the first ones in a node class with few devices. */
    private static final long SEARCH_STEP = 8;
    /** A step goes over devices: so many of them cost a unit more. */
    private static final long DEVICES_PER_UNIT = 2;

    private static final long STEP_OVER_DEVICES = 4;

    private static final long CHEAP_STEPS = 50;
    private static final long CHEAP_STEPS_PER_UNIT = 10;
    /** A device that is compared with one selector. */
    static final long DEVICE = 30;
    /** What a request says of a device, beside its selectors. */
    static final long REQUEST = 5;
    /** A unit of the cost of a compilation, by a compiler that has not run often yet. */
    static final long COMPILATION_COST = 75;
    /** Finding out what an expression reads of a device, and whether the answer is paid. */
    static final long LOOK_UP = 20;
    /** To prepare expressions that cost less is charged at every use, so that they need no row. */
    static final long PREPARATION_ROW_MIN = 1_000;
    /** A unit of the cost of an evaluation ({@code CELSelectorExpressionMaxCost}). */
    static final long EVALUATION_COST = 2;
    /** An evaluation of an expression, beside its own cost. */
    static final long EVALUATION = 200;
    /** Indexes that cost less are charged at every use, so that they need no row. */
    static final long INDEX_ROW_MIN = 5_000;

    private final long limit;
    private final PaidShapes paid;
    private final Set<String> indexed = new LinkedHashSet<>();
    private final Set<String> counted = new LinkedHashSet<>();
    private long spent;

    /** What was charged before for shapes and their expressions, which are named by digests. */
    public interface PaidShapes {
        /** Everything counts as charged. */
        PaidShapes ALL = new PaidShapes() {
            @Override
            public boolean isIndexed(String shape) {
                return true;
            }

            @Override
            public long uncounted(String shape) {
                return 0;
            }

            @Override
            public long compiled(String expressions) {
                return Long.MAX_VALUE;
            }

            @Override
            public long unchecked(String expressions) {
                return 0;
            }
        };

        /** Whether the index of a shape was charged. */
        boolean isIndexed(String shape);

        /** Devices of the slices that changed since the count of candidates of a shape was charged; no limit if it never was. */
        long uncounted(String shape);

        /** Cost of those of these expressions whose compilation was charged; -1 if there is no row. */
        long compiled(String expressions);

        /** Devices for which the answers of these expressions are still to be checked; no limit if that was never charged. */
        long unchecked(String expressions);
    }

    /** @param limit units; the charge that exceeds it ends the look */
    public WorkMeter(long limit, PaidShapes paid) {
        this.limit = limit;
        this.paid = paid;
    }

    /** Without a limit, for plans outside of a cell. */
    public static WorkMeter unlimited() {
        return new WorkMeter(Long.MAX_VALUE, PaidShapes.ALL);
    }

    /** The limit of a look is exceeded; the item is not decided yet. Never leaves the cell. */
    public static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private ExhaustedException(long limit) {
            super("more than %d units of work".formatted(limit), null, false, false);
        }
    }

    /**
     * Adds work.
     *
     * @throws ExhaustedException beyond the limit
     */
    public void charge(long units) {
        spent += units;
        if (spent > limit) {
            throw new ExhaustedException(limit);
        }
    }

    /**
     * Charges the search in one node class. Most searches end after a few steps and are remembered; these cost little, so that a
     * question about many node classes does.
     *
     * @param devices that count on a node of the class
     */
    void chargeSearch(long steps, int devices) {
        charge(NODE_CLASS
                + Math.min(steps, CHEAP_STEPS) / CHEAP_STEPS_PER_UNIT
                + searchStep(devices) * Math.max(0, steps - CHEAP_STEPS));
    }

    private static long searchStep(int devices) {
        return Math.max(SEARCH_STEP, STEP_OVER_DEVICES + devices / DEVICES_PER_UNIT);
    }

    /** A search in a node class that takes more steps exceeds the limit. */
    long searchSteps(int devices) {
        long cheap = NODE_CLASS + CHEAP_STEPS / CHEAP_STEPS_PER_UNIT;
        return CHEAP_STEPS + Math.max(0, left() - cheap) / searchStep(devices);
    }

    /** What a look throws that cannot be completed within the limit. */
    ExhaustedException exhausted() {
        return new ExhaustedException(limit);
    }

    /** The units that can be charged before the limit. */
    public long left() {
        return Math.max(0, limit - spent);
    }

    /** The units charged so far. */
    public long spent() {
        return spent;
    }

    /** Whether an index is paid for: by a row, or within this look. */
    boolean isIndexed(String shape) {
        return paid.isIndexed(shape) || indexed.contains(shape);
    }

    /** Charges an index that is complete now. */
    void chargeIndex(String shape, long units) {
        charge(units);
        if (units >= INDEX_ROW_MIN) {
            indexed.add(shape);
        }
    }

    /**
     * How many devices have to be counted for the candidates of a shape.
     *
     * @param devices all devices
     */
    long uncounted(String shape, long devices) {
        return counted.contains(shape) ? 0 : Math.min(devices, paid.uncounted(shape));
    }

    /** Charges a count of candidates that is complete now; nothing where there was nothing to count. */
    void chargeCount(String shape, long units) {
        if (!counted.contains(shape) && paid.uncounted(shape) > 0) {
            charge(units);
            counted.add(shape);
        }
    }

    /** The digests of the shapes whose devices were counted in this look. */
    public Set<String> newCounts() {
        return Collections.unmodifiableSet(counted);
    }

    /** The digests of the shapes whose indexes were charged in this look and deserve a row. */
    public Set<String> newIndexes() {
        return Collections.unmodifiableSet(indexed);
    }
}
