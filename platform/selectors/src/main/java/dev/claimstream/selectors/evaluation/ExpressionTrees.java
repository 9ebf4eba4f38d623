package dev.claimstream.selectors.evaluation;

import dev.cel.common.ast.CelExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Traverses expression trees. */
public final class ExpressionTrees {
    private ExpressionTrees() {}

    /** Visits an expression and all its descendants, parents first. */
    public static void walk(CelExpr expression, Consumer<CelExpr> visitor) {
        visitor.accept(expression);
        children(expression).forEach(child -> walk(child, visitor));
    }

    /** Returns the direct parts of an expression, in the order of the text. */
    public static List<CelExpr> children(CelExpr expression) {
        return switch (expression.getKind()) {
            case SELECT -> List.of(expression.select().operand());
            case CALL -> arguments(expression);
            case LIST -> expression.list().elements();
            case MAP ->
                expression.map().entries().stream()
                        .<CelExpr>mapMulti((entry, sink) -> {
                            sink.accept(entry.key());
                            sink.accept(entry.value());
                        })
                        .toList();
            case STRUCT ->
                expression.struct().entries().stream()
                        .map(CelExpr.CelStruct.Entry::value)
                        .toList();
            case COMPREHENSION -> parts(expression.comprehension());
            case CONSTANT, IDENT, NOT_SET -> List.of();
        };
    }

    private static List<CelExpr> parts(CelExpr.CelComprehension fold) {
        return List.of(fold.iterRange(), fold.accuInit(), fold.loopCondition(), fold.loopStep(), fold.result());
    }

    /** Returns the arguments of a call, with the target first. */
    public static List<CelExpr> arguments(CelExpr call) {
        List<CelExpr> all = new ArrayList<>();
        call.call().target().ifPresent(all::add);
        all.addAll(call.call().args());
        return all;
    }

    public static boolean isCall(CelExpr expression, String function) {
        return expression.getKind() == CelExpr.ExprKind.Kind.CALL
                && expression.call().function().equals(function);
    }
}
