package dev.claimstream.selectors;

import dev.cel.common.ast.CelExpr;
import dev.cel.runtime.CelEvaluationListener;
import org.jspecify.annotations.Nullable;

/** Adds up the cost and the effort of one evaluation and ends it where either is too high. */
final class CostMeter implements CelEvaluationListener {
    /** {@code CELSelectorExpressionMaxCost} of the API. */
    static final long LIMIT = 1_000_000;

    private final CostPlan plan;
    private final long limit;
    private final @Nullable Object[] values;
    private final boolean[] reported;
    private final Terms.Watch terms;
    private final Effort effort = new Effort();
    private long cost;
    private boolean hasAbsorbed;

    CostMeter(CostPlan plan, long limit) {
        this.plan = plan;
        this.limit = limit;
        this.values = new @Nullable Object[plan.size()];
        this.reported = new boolean[plan.size()];
        this.terms = plan.terms().new Watch();
    }

    long cost() {
        return cost;
    }

    /** Whether an operator has absorbed an error of one of its terms. */
    boolean hasAbsorbed() {
        return hasAbsorbed;
    }

    @Override
    public void callback(CelExpr expression, Object result) {
        int id = (int) expression.id();
        cost += plan.cost(id, result, values, reported);
        effort.step(result);
        for (int failed = terms.report(id, result); failed > 0; failed--) {
            effort.error();
            hasAbsorbed = true;
        }
        if (plan.isKept(id)) {
            values[id] = result;
        }
        if (cost > limit || effort.isTooMuch()) {
            throw new CostLimitExceeded();
        }
    }
}
