package dev.claimstream.selectors;

import dev.cel.common.values.CelByteString;
import dev.claimstream.selectors.values.NameMap;
import java.util.Collection;
import java.util.Map;

/**
 * What an evaluation really takes, where upstream's cost says too little of it: the evaluator for Java walks a list or map down to its
 * last element whenever it hands it on, builds literals anew each time, and makes exceptions of errors that {@code &&} and {@code ||}
 * then absorb. Counted in steps, so that the same expression always ends at the same place.
 */
final class Effort {
    /** A second at most; a selector that looks at every attribute of a device takes hundreds. */
    private static final long STEPS_MAX = 4_000_000;

    private static final long STEPS_PER_ELEMENT = 2;
    private static final long STEPS_PER_ERROR = 200;
    private static final int TEXT_PER_STEP = 64;

    private long steps;

    boolean isTooMuch() {
        return steps > STEPS_MAX;
    }

    /** A node has given this value. */
    void step(Object value) {
        steps += 1 + weight(value);
    }

    private static long weight(Object value) {
        return switch (value) {
            case String text -> text.length() / TEXT_PER_STEP;
            case CelByteString bytes -> bytes.size() / TEXT_PER_STEP;
            case NameMap map -> 0;
            case Map<?, ?> map -> weight(map.values()) + STEPS_PER_ELEMENT * map.size();
            case Collection<?> list -> weight(list);
            default -> 0;
        };
    }

    private static long weight(Collection<?> list) {
        long steps = STEPS_PER_ELEMENT * list.size();
        for (Object element : list) {
            steps += weight(element);
        }
        return steps;
    }

    /** An error was made and absorbed. */
    void error() {
        steps += STEPS_PER_ERROR;
    }
}
