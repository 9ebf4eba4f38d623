package dev.claimstream.lint.cel;

import java.util.List;
import java.util.Optional;

/**
 * An identifier with the selections, indexes and calls after it, for example {@code device.attributes["gpu.example.com"].model}.
 *
 * @param firstToken index of the first token
 * @param endToken index of the token after the chain
 */
record SelectionChain(List<ChainStep> steps, int firstToken, int endToken) {
    private static final List<String> MAPS = List.of("attributes", "capacity");

    SelectionChain {
        steps = List.copyOf(steps);
    }

    /**
     * A name, an index or the arguments of a call.
     *
     * @param text the name, or the string in brackets if the brackets contain nothing else; empty for a call
     * @param start index in the expression, of the dot or bracket
     */
    record ChainStep(StepKind sort, String text, int start, int end) {}

    enum StepKind {
        NAME,
        INDEX,
        OTHER_INDEX,
        CALL
    }

    /** The parts of {@code device.attributes["domain"].name}; an accessor follows the name. */
    record DeviceLookup(ChainStep map, ChainStep domain, Optional<ChainStep> name, Optional<ChainStep> accessor) {
        boolean isCapacity() {
            return map.text().equals("capacity");
        }
    }

    private Optional<ChainStep> step(int index) {
        return index < steps.size() ? Optional.of(steps.get(index)) : Optional.empty();
    }

    private static boolean isKey(ChainStep step) {
        return step.sort == StepKind.NAME || step.sort == StepKind.INDEX;
    }

    /** Returns the lookup in the attributes or capacity of a device. Empty if the chain is none, or a key is not a literal. */
    Optional<DeviceLookup> lookup() {
        boolean isDevice = steps.size() > 2
                && steps.getFirst().text.equals("device")
                && steps.get(1).sort == StepKind.NAME
                && MAPS.contains(steps.get(1).text)
                && isKey(steps.get(2));
        if (!isDevice) {
            return Optional.empty();
        }
        Optional<ChainStep> name = step(3).filter(SelectionChain::isKey);
        boolean isMethod =
                step(4).map(ChainStep::sort).filter(StepKind.CALL::equals).isPresent();
        if (isMethod) {
            name = Optional.empty();
        }
        boolean hasCall =
                step(5).map(ChainStep::sort).filter(StepKind.CALL::equals).isPresent();
        Optional<ChainStep> accessor =
                name.flatMap(_ -> step(4)).filter(step -> step.sort == StepKind.NAME && !hasCall);
        return Optional.of(new DeviceLookup(steps.get(1), steps.get(2), name, accessor));
    }

    /** Returns whether the chain is only a call of a function. */
    boolean isCall(String function) {
        return steps.size() == 2 && steps.getFirst().text.equals(function) && steps.get(1).sort == StepKind.CALL;
    }
}
