package dev.claimstream.lint.cel;

import java.util.List;
import java.util.Optional;

/**
 * An identifier with the selections, indexes and calls after it, for example {@code device.attributes["gpu.example.com"].model}.
 *
 * @param first index of the first token
 * @param behind index of the token after the chain
 */
record Chain(List<Step> steps, int first, int behind) {
    private static final List<String> MAPS = List.of("attributes", "capacity");

    Chain {
        steps = List.copyOf(steps);
    }

    /**
     * A name, an index or the arguments of a call.
     *
     * @param text the name, or the string in brackets if the brackets contain nothing else; empty for a call
     * @param start index in the expression, of the dot or bracket
     */
    record Step(Sort sort, String text, int start, int end) {}

    enum Sort {
        NAME,
        INDEX,
        OTHER_INDEX,
        CALL
    }

    /** A lookup in a map of a device. */
    record Lookup(Step map, Step domain, Optional<Step> name, Optional<Step> accessor) {
        boolean isCapacity() {
            return map.text().equals("capacity");
        }
    }

    private Optional<Step> step(int index) {
        return index < steps.size() ? Optional.of(steps.get(index)) : Optional.empty();
    }

    private static boolean isKey(Step step) {
        return step.sort == Sort.NAME || step.sort == Sort.INDEX;
    }

    /** Returns the lookup in the attributes or capacity of a device. Empty if the chain is none, or a key is not a literal. */
    Optional<Lookup> lookup() {
        boolean isDevice = steps.size() > 2
                && steps.getFirst().text.equals("device")
                && steps.get(1).sort == Sort.NAME
                && MAPS.contains(steps.get(1).text)
                && isKey(steps.get(2));
        if (!isDevice) {
            return Optional.empty();
        }
        Optional<Step> name = step(3).filter(Chain::isKey);
        boolean isMethod = step(4).map(Step::sort).filter(Sort.CALL::equals).isPresent();
        if (isMethod) {
            name = Optional.empty();
        }
        boolean hasCall = step(5).map(Step::sort).filter(Sort.CALL::equals).isPresent();
        Optional<Step> accessor = name.flatMap(_ -> step(4)).filter(step -> step.sort == Sort.NAME && !hasCall);
        return Optional.of(new Lookup(steps.get(1), steps.get(2), name, accessor));
    }

    /** Returns whether the chain is only a call of a function. */
    boolean isCall(String function) {
        return steps.size() == 2 && steps.getFirst().text.equals(function) && steps.get(1).sort == Sort.CALL;
    }
}
