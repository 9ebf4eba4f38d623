package dev.claimstream.selectors.evaluation;

import dev.claimstream.selectors.functions.Functions.Body;

/** The call of a function or operator. */
final class Call extends Step.Node {
    /** How errors of arguments are met. */
    enum Strictness {
        /** All arguments are evaluated; the first error among them is the result. */
        STRICT,
        /** Evaluation ends at the first error. */
        UP_TO_THE_FIRST_ERROR,
        /** The function takes errors, too. */
        LENIENT
    }

    private final Step[] arguments;
    private final Strictness strictness;
    private final Charge charge;
    private final boolean looks;
    private final Body body;

    /** A call; {@code looks} says whether the function looks at all that is in its arguments. */
    Call(int id, Step[] arguments, Strictness strictness, Charge charge, boolean looks, Body body) {
        super(id);
        this.arguments = arguments;
        this.strictness = strictness;
        this.charge = charge;
        this.looks = looks;
        this.body = body;
    }

    @Override
    Object eval(Frame frame) {
        Object[] values = new Object[arguments.length];
        Object result = evaluateArguments(frame, values);
        Meter meter = frame.meter();
        Object[] seen = meter.take(arguments);
        // What a call costs is known before it, but for some that cost as much as they make: too dear a call is not
        // made.
        if (seen != null && !charge.needsResult()) {
            meter.charge(charge.cost(seen, values));
        }
        if (!(result instanceof Failure)) {
            result = call(meter, values);
        }
        if (seen != null && charge.needsResult()) {
            meter.charge(charge.cost(seen, result));
        }
        meter.push(id, result);
        return result;
    }

    /** The first error or something else. */
    private Object evaluateArguments(Frame frame, Object[] values) {
        Object result = values;
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments[i].eval(frame);
            if (values[i] instanceof Failure && !(result instanceof Failure) && strictness != Strictness.LENIENT) {
                result = values[i];
                if (strictness == Strictness.UP_TO_THE_FIRST_ERROR) {
                    return result;
                }
            }
        }
        return result;
    }

    private Object call(Meter meter, Object[] values) {
        if (looks) {
            meter.weigh(values);
        }
        try {
            return body.call(values);
        } catch (IllegalArgumentException e) {
            if (e.getCause() != null) {
                meter.error();
            }
            return new Failure(String.valueOf(e.getMessage()));
        }
    }
}
