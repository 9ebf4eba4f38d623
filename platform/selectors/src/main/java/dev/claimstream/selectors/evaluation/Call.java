package dev.claimstream.selectors.evaluation;

import dev.claimstream.selectors.functions.Functions.Body;

/** The call of a function or operator. */
final class Call extends Step.Node {
    /** The treatment of errors among the arguments. */
    enum Strictness {
        /** Evaluates all arguments; the first error is the result. */
        STRICT,
        /** Stops evaluation at the first error. */
        UP_TO_THE_FIRST_ERROR,
        /** Passes errors to the function. */
        LENIENT
    }

    private final Step[] arguments;
    private final Strictness strictness;
    private final Charge charge;
    private final boolean looks;
    private final Body body;

    /**
     * Creates a call.
     *
     * @param looks whether the function inspects all values in its arguments
     */
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
        // The cost is charged before the call, so that a call that is too expensive is not executed. Only a cost that
        // depends on the result is charged after it.
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

    /** Evaluates the arguments; returns the first error or another value. */
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
