package dev.claimstream.selectors.evaluation;

import dev.cel.common.values.CelByteString;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Limits the values that calls inspect, where upstream's cost is too low: a nested list costs one and is compared element by element.
 *
 * <p>The limit is counted in steps and never in time, so that an expression always ends at the same point. Errors of a library also count,
 * because it takes long to create them.
 */
final class InspectionBudget {
    /** Maximum number of steps, one or two seconds at most. A selector that compares all attributes of a device takes hundreds of steps. */
    private static final long STEPS_MAX = 4_000_000;

    private static final int TEXT_PER_STEP = 64;
    private static final long STEPS_PER_ERROR = 20;

    private long steps;

    void inspectAll(Object[] values) {
        for (Object value : values) {
            inspect(value);
        }
    }

    /** Counts an error of a library. */
    void countError() {
        step(STEPS_PER_ERROR);
    }

    private void inspect(Object value) {
        switch (value) {
            case String text -> step(text.length() / TEXT_PER_STEP);
            case CelByteString bytes -> step(bytes.size() / TEXT_PER_STEP);
            case Optional<?> optional -> optional.ifPresent(this::inspect);
            case Map<?, ?> map -> {
                inspect(map.keySet());
                inspect(map.values());
            }
            case Collection<?> list -> list.forEach(this::inspect);
            default -> {}
        }
        step(1);
    }

    private void step(long more) {
        steps += more;
        if (steps > STEPS_MAX) {
            throw EvaluationAbortException.byCost();
        }
    }
}
