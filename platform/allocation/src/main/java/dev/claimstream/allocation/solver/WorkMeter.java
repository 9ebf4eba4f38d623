package dev.claimstream.allocation.solver;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Counts the work of one attempt to plan an item, and ends the attempt at a limit. A unit is about 100 ns. Charges
 * depend only on the state: a cached result costs the same as a new one.
 */
public final class WorkMeter {
    /** Charge for visiting an equivalence class of nodes. */
    private static final long NODE_CLASS = 1;
    /** Minimum charge for a search step beyond the first {@link #CHEAP_STEPS}. */
    private static final long SEARCH_STEP = 8;
    /** A step visits devices: this number of devices adds one unit. */
    private static final long DEVICES_PER_UNIT = 2;

    private static final long STEP_OVER_DEVICES = 4;

    private static final long CHEAP_STEPS = 50;
    private static final long CHEAP_STEPS_PER_UNIT = 10;
    /** Comparison of a device with one selector. */
    static final long DEVICE = 30;
    /** Eligibility of a device for a request, without its selectors. */
    static final long REQUEST = 5;
    /** Unit of compilation cost, for a compiler that is not warmed up. */
    static final long COMPILATION_COST = 75;
    /** Look-up of a cached result, with the attributes that the expression reads. */
    static final long LOOKUP = 20;
    /** A cheaper preparation is charged at each use, so that it needs no row. */
    static final long PREPARATION_ROW_MIN = 1_000;
    /** Unit of evaluation cost; the API limits the cost of an expression with {@code CELSelectorExpressionMaxCost}. */
    static final long EVALUATION_COST = 2;
    /** Evaluation of an expression, without its own cost. */
    static final long EVALUATION = 200;
    /** A cheaper index is charged at each use, so that it needs no row. */
    static final long INDEX_ROW_MIN = 5_000;

    private final long limit;
    private final ChargedWork chargedBefore;
    private final Set<String> indexedShapes = new LinkedHashSet<>();
    private final Set<String> countedShapes = new LinkedHashSet<>();
    private long spent;

    /** Earlier charges for shapes and their expressions, which are identified by digests. */
    public interface ChargedWork {
        /** Treats everything as charged. */
        ChargedWork ALL = new ChargedWork() {
            @Override
            public boolean isIndexed(String shape) {
                return true;
            }

            @Override
            public long uncountedDevices(String shape) {
                return 0;
            }

            @Override
            public long compiledCost(String expressions) {
                return Long.MAX_VALUE;
            }

            @Override
            public long uncheckedDevices(String expressions) {
                return 0;
            }
        };

        /** Returns whether the index of a shape was charged. */
        boolean isIndexed(String shape);

        /**
         * Devices of slices that changed since the last charged candidate count of a shape; {@code Long.MAX_VALUE} if
         * there was none.
         */
        long uncountedDevices(String shape);

        /** Cost of the compiled expressions that were charged; -1 if there is no row. */
        long compiledCost(String expressions);

        /**
         * Devices without a charged look-up of these expressions' results; {@code Long.MAX_VALUE} if no look-up was
         * charged.
         */
        long uncheckedDevices(String expressions);
    }

    /** @param limit units; the charge that exceeds the limit ends the attempt */
    public WorkMeter(long limit, ChargedWork chargedBefore) {
        this.limit = limit;
        this.chargedBefore = chargedBefore;
    }

    /** Returns a meter without a limit, for plans outside a cell. */
    public static WorkMeter unlimited() {
        return new WorkMeter(Long.MAX_VALUE, ChargedWork.ALL);
    }

    /** The attempt exceeded its limit; the item is undecided. Only the cell catches this exception. */
    public static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private ExhaustedException(long limit) {
            super("more than %d units of work".formatted(limit), null, false, false);
        }
    }

    /**
     * Adds work.
     *
     * @throws ExhaustedException if the limit is exceeded
     */
    public void charge(long units) {
        spent += units;
        if (spent > limit) {
            throw new ExhaustedException(limit);
        }
    }

    /**
     * Charges the search in one class. Most searches end after a few steps and are cached; they are cheap, so that a
     * problem with many classes stays cheap.
     *
     * @param devices matching devices of a node of the class
     */
    void chargeSearch(long steps, int devices) {
        charge(NODE_CLASS
                + Math.min(steps, CHEAP_STEPS) / CHEAP_STEPS_PER_UNIT
                + searchStep(devices) * Math.max(0, steps - CHEAP_STEPS));
    }

    private static long searchStep(int devices) {
        return Math.max(SEARCH_STEP, STEP_OVER_DEVICES + devices / DEVICES_PER_UNIT);
    }

    /** Number of steps in a class that the limit still allows. */
    long affordableSteps(int devices) {
        long cheap = NODE_CLASS + CHEAP_STEPS / CHEAP_STEPS_PER_UNIT;
        return CHEAP_STEPS + Math.max(0, remaining() - cheap) / searchStep(devices);
    }

    /** Returns the exception for an attempt that cannot end within the limit. */
    ExhaustedException exhausted() {
        return new ExhaustedException(limit);
    }

    /** Units that remain before the limit. */
    public long remaining() {
        return Math.max(0, limit - spent);
    }

    /** Units charged so far. */
    public long spent() {
        return spent;
    }

    /** Returns whether an index is charged, by a row or in this attempt. */
    boolean isIndexed(String shape) {
        return chargedBefore.isIndexed(shape) || indexedShapes.contains(shape);
    }

    /** Charges a completed index. */
    void chargeIndex(String shape, long units) {
        charge(units);
        if (units >= INDEX_ROW_MIN) {
            indexedShapes.add(shape);
        }
    }

    /**
     * Number of devices to count for the candidates of a shape.
     *
     * @param devices number of all devices
     */
    long uncounted(String shape, long devices) {
        return countedShapes.contains(shape) ? 0 : Math.min(devices, chargedBefore.uncountedDevices(shape));
    }

    /** Charges a completed candidate count, unless there was nothing to count. */
    void chargeCount(String shape, long units) {
        if (!countedShapes.contains(shape) && chargedBefore.uncountedDevices(shape) > 0) {
            charge(units);
            countedShapes.add(shape);
        }
    }

    /** Digests of the shapes with a candidate count in this attempt. */
    public Set<String> newCounts() {
        return Collections.unmodifiableSet(countedShapes);
    }

    /** Digests of the shapes whose index was charged in this attempt and needs a row. */
    public Set<String> newIndexes() {
        return Collections.unmodifiableSet(indexedShapes);
    }
}
