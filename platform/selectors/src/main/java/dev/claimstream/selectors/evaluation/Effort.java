package dev.claimstream.selectors.evaluation;

import dev.cel.common.values.CelByteString;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * What calls look at, where upstream's cost says too little of it: a list in a list costs one and is compared element by element. Counted
 * in steps and never in time, so that the same expression always ends at the same place. Errors that come from a library, which takes long to make them, count as well.
 */
final class Effort {
    /** A second or two at most; a selector that compares all attributes of a device takes hundreds. */
    private static final long STEPS_MAX = 4_000_000;

    private static final int TEXT_PER_STEP = 64;
    private static final long STEPS_PER_ERROR = 20;

    private long steps;

    void weigh(Object[] values) {
        for (Object value : values) {
            look(value);
        }
    }

    /** A library made an error. */
    void error() {
        step(STEPS_PER_ERROR);
    }

    private void look(Object value) {
        switch (value) {
            case String text -> step(text.length() / TEXT_PER_STEP);
            case CelByteString bytes -> step(bytes.size() / TEXT_PER_STEP);
            case Optional<?> optional -> optional.ifPresent(this::look);
            case Map<?, ?> map -> {
                look(map.keySet());
                look(map.values());
            }
            case Collection<?> list -> list.forEach(this::look);
            default -> {}
        }
        step(1);
    }

    private void step(long more) {
        steps += more;
        if (steps > STEPS_MAX) {
            throw Ended.byCost();
        }
    }
}
