package dev.claimstream.selectors.evaluation;

import java.util.Optional;

/** The value of an {@link Attribute}; with a last key of type {@link Qualifier.PresenceQualifier}, whether the value exists. */
final class AttributeStep extends PlanStep {
    private final Attribute attribute;
    private boolean isPresenceTest;

    AttributeStep(Attribute attribute) {
        this.attribute = attribute;
    }

    Attribute attribute() {
        return attribute;
    }

    void add(Qualifier key) {
        attribute.add(key);
    }

    /** Ends the chain with a test for a field. */
    void addPresenceTest(Qualifier.PresenceQualifier key) {
        attribute.add(key);
        isPresenceTest = true;
    }

    @Override
    int id() {
        return attribute.id();
    }

    @Override
    Object eval(EvaluationFrame frame) {
        Object value = attribute.resolve(frame);
        if (isPresenceTest && value instanceof Optional<?> optional) {
            value = optional.isPresent();
        }
        CostMeter meter = frame.meter();
        // The conditional operator and presence tests are free; qualifiers are charged separately.
        long cost = isPresenceTest ? -1 : 0;
        if (attribute instanceof Attribute.ConditionalAttribute choice) {
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
