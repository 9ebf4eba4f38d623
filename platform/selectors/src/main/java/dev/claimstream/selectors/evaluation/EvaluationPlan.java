package dev.claimstream.selectors.evaluation;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.claimstream.selectors.functions.FunctionRegistry.FunctionBody;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** An expression that can be evaluated. Thread-safe. */
public final class EvaluationPlan {
    private final PlanStep root;
    private final int idsMax;
    private final int variables;

    EvaluationPlan(PlanStep root, int idsMax, int variables) {
        this.root = root;
        this.idsMax = idsMax;
        this.variables = variables;
    }

    /**
     * The result of an evaluation.
     *
     * @param value a value or a {@link EvaluationFailure}
     * @param cost in the units of {@code CELSelectorExpressionMaxCost} of the API, up to the end of the evaluation
     */
    public record PlanResult(Object value, long cost) {}

    /**
     * Plans an expression.
     *
     * @param part the expression, possibly a part of the tree's expression
     * @param functions the implementation by function name and overload id; the id is empty if the overload is chosen at run time
     * @throws PlanException if a part that upstream computes at planning time is an error
     */
    public static EvaluationPlan of(
            CelAbstractSyntaxTree tree, CelExpr part, BiFunction<String, String, Optional<FunctionBody>> functions)
            throws PlanException {
        return new ExpressionPlanner(tree, functions).plan(part);
    }

    /** Evaluates the expression for a device, up to a cost limit. */
    public PlanResult evaluate(Object device, long limit) {
        var meter = new CostMeter(idsMax, limit);
        Object value;
        try {
            value = root.eval(new EvaluationFrame(meter, device, new @Nullable Object[variables]));
        } catch (EvaluationAbortException e) {
            value = e.failure();
        }
        return new PlanResult(value, meter.cost());
    }
}
