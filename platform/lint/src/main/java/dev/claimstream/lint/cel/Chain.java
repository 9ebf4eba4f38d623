package dev.claimstream.lint.cel;

import java.util.List;
import java.util.Optional;

/**
 * A variable or a function and what is selected of it, for example {@code device.attributes["gpu.example.com"].model}.
 *
 * @param first the index of its first word
 * @param behind the index of the word behind it
 */
record Chain(List<Step> steps, int first, int behind) {
    private static final List<String> MAPS = List.of("attributes", "capacity");

    Chain {
        steps = List.copyOf(steps);
    }

    /**
     * A name, an index or the arguments of a call.
     *
     * @param text the name, or the text in brackets where there is nothing else in them; empty for a call
     * @param start index in the expression, of the dot or the bracket
     */
    record Step(Sort sort, String text, int start, int end) {}

    enum Sort {
        NAME,
        INDEX,
        OTHER_INDEX,
        CALL
    }

    /** What is looked up of a device. */
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

    /** A lookup in the attributes or the capacity of a device; empty where it is none, or is not by plain texts. */
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

    /** Whether it is a call of a function, without anything behind it. */
    boolean isCall(String function) {
        return steps.size() == 2 && steps.getFirst().text.equals(function) && steps.get(1).sort == Sort.CALL;
    }
}
