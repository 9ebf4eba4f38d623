package dev.claimstream.selectors.evaluation;

import java.util.Optional;

/** The value of an {@link Attribute}; with a last key of type {@link Key.Tested}, whether the value exists. */
final class Path extends Step {
    private final Attribute attribute;
    private boolean tests;

    Path(Attribute attribute) {
        this.attribute = attribute;
    }

    Attribute attribute() {
        return attribute;
    }

    void add(Key key) {
        attribute.add(key);
    }

    /** Ends the chain with a test for a field. */
    void test(Key.Tested key) {
        attribute.add(key);
        tests = true;
    }

    @Override
    int id() {
        return attribute.id();
    }

    @Override
    Object eval(Frame frame) {
        Object value = attribute.resolve(frame);
        if (tests && value instanceof Optional<?> optional) {
            value = optional.isPresent();
        }
        Meter meter = frame.meter();
        // The conditional operator and presence tests are free; qualifiers are charged separately.
        long cost = tests ? -1 : 0;
        if (attribute instanceof Attribute.Choice choice) {
            meter.drop(choice.no().id());
            meter.drop(choice.yes().id());
            meter.drop(choice.condition().id());
        } else {
            meter.drop(attribute.id());
            cost++;
        }
        meter.charge(cost);
        meter.push(id(), value);
        return value;
    }
}
