package dev.claimstream.selectors;

import com.google.common.primitives.ImmutableIntArray;
import dev.cel.common.ast.CelExpr;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The terms of the logical operators of one expression. An operator absorbs the errors of its terms, and the evaluator tells nobody; but it
 * reports every node that has a value, so a term that was evaluated and not reported has failed.
 */
final class Terms {
    private record Operator(int id, ImmutableIntArray terms, boolean decides) {}

    private final @Nullable Operator[] operators;
    private final boolean[] isTerm;

    Terms(CelExpr root, int size) {
        operators = new @Nullable Operator[size];
        isTerm = new boolean[size];
        List<Operator> found = new ArrayList<>();
        Trees.walk(root, expression -> {
            if (Trees.isCall(expression, "_&&_") || Trees.isCall(expression, "_||_")) {
                found.add(operator(expression));
            }
        });
        for (Operator operator : found) {
            operators[operator.id] = operator;
            operator.terms.forEach(term -> isTerm[term] = true);
        }
    }

    private static Operator operator(CelExpr expression) {
        int[] terms = Trees.arguments(expression).stream()
                .mapToInt(term -> (int) term.id())
                .toArray();
        return new Operator((int) expression.id(), ImmutableIntArray.copyOf(terms), Trees.isCall(expression, "_||_"));
    }

    /** What has been reported in one evaluation. */
    final class Watch {
        private final @Nullable Object[] reported = new @Nullable Object[isTerm.length];

        /** A node has given a value; returns how many terms have failed if it is an operator. */
        int report(int id, Object value) {
            Operator operator = operators[id];
            int failed = operator == null ? 0 : failed(operator);
            if (isTerm[id]) {
                reported[id] = value;
            }
            return failed;
        }

        /** Evaluation goes from left to right and stops behind the term that decides. */
        private int failed(Operator operator) {
            int failed = 0;
            boolean isDecided = false;
            for (int i = 0; i < operator.terms.length(); i++) {
                int term = operator.terms.get(i);
                Object value = reported[term];
                reported[term] = null;
                failed += !isDecided && value == null ? 1 : 0;
                isDecided |= value instanceof Boolean bool && bool == operator.decides;
            }
            return failed;
        }
    }
}
