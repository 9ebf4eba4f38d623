package dev.claimstream.selectors.evaluation;

import dev.claimstream.selectors.functions.FunctionRegistry.FunctionBody;

/** The call of a function or operator. */
final class FunctionCall extends PlanStep.PlanNode {
    /** The treatment of errors among the arguments. */
    enum ArgumentStrictness {
        /** Evaluates all arguments; the first error is the result. */
        STRICT,
        /** Stops evaluation at the first error. */
        STOP_AT_FIRST_ERROR,
        /** Passes errors to the function. */
        LENIENT
    }

    private final PlanStep[] arguments;
    private final ArgumentStrictness strictness;
    private final CostRule charge;
    private final boolean inspectsArguments;
    private final FunctionBody body;

    /**
     * Creates a call.
     *
     * @param looks whether the function inspects all values in its arguments
     */
    FunctionCall(
            int id,
            PlanStep[] arguments,
            ArgumentStrictness strictness,
            CostRule charge,
            boolean looks,
            FunctionBody body) {
        super(id);
        this.arguments = arguments;
        this.strictness = strictness;
        this.charge = charge;
        this.inspectsArguments = looks;
        this.body = body;
    }

    @Override
    Object eval(EvaluationFrame frame) {
        Object[] values = new Object[arguments.length];
        Object result = evaluateArguments(frame, values);
        CostMeter meter = frame.meter();
        Object[] seen = meter.removeAll(arguments);
        // The cost is charged before the call, so that a call that is too expensive is not executed. Only a cost that
        // depends on the result is charged after it.
        if (seen != null && !charge.needsResult()) {
            meter.charge(charge.cost(seen, values));
        }
        if (!(result instanceof EvaluationFailure)) {
            result = call(meter, values);
        }
        if (seen != null && charge.needsResult()) {
            meter.charge(charge.cost(seen, result));
        }
        meter.push(id, result);
        return result;
    }

    /** Evaluates the arguments; returns the first error or another value. */
    private Object evaluateArguments(EvaluationFrame frame, Object[] values) {
        Object result = values;
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments[i].eval(frame);
            if (values[i] instanceof EvaluationFailure
                    && !(result instanceof EvaluationFailure)
                    && strictness != ArgumentStrictness.LENIENT) {
                result = values[i];
                if (strictness == ArgumentStrictness.STOP_AT_FIRST_ERROR) {
                    return result;
                }
            }
        }
        return result;
    }

    private Object call(CostMeter meter, Object[] values) {
        if (inspectsArguments) {
            meter.countInspection(values);
        }
        try {
            return body.call(values);
        } catch (IllegalArgumentException e) {
            if (e.getCause() != null) {
                meter.countError();
            }
            return new EvaluationFailure(String.valueOf(e.getMessage()));
        }
    }
}
