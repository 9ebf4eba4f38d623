package dev.claimstream.selectors.evaluation;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.claimstream.selectors.functions.Functions.Body;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** An expression that can be evaluated, by many threads at once. */
public final class Plan {
    private final Step root;
    private final int idsMax;
    private final int variables;

    Plan(Step root, int idsMax, int variables) {
        this.root = root;
        this.idsMax = idsMax;
        this.variables = variables;
    }

    /**
     * What an evaluation came to.
     *
     * @param value a value, or a {@link Failure}
     * @param cost in the units of {@code CELSelectorExpressionMaxCost} of the API, as far as the evaluation came
     */
    public record Outcome(Object value, long cost) {}

    /**
     * Plans an expression.
     *
     * @param part the expression in the tree, which may be a part of the whole
     * @param functions what a function or operator does, by its name and the id of its overload, empty where that is open
     * @throws PlanException where what upstream computes beforehand is an error
     */
    public static Plan of(
            CelAbstractSyntaxTree tree, CelExpr part, BiFunction<String, String, Optional<Body>> functions)
            throws PlanException {
        return new Planner(tree, functions).plan(part);
    }

    /** Evaluates the expression for a device, up to a cost. */
    public Outcome evaluate(Object device, long limit) {
        var meter = new Meter(idsMax, limit);
        Object value;
        try {
            value = root.eval(new Frame(meter, device, new @Nullable Object[variables]));
        } catch (Ended e) {
            value = e.failure();
        }
        return new Outcome(value, meter.cost());
    }
}
