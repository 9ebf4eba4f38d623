package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelReference;
import dev.claimstream.selectors.functions.Library;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * Arithmetic and order go by the values alone in Go, whichever overload the type checker has found; the evaluator here calls the one that
 * it has found. The two differ where a value has no type of its own, as in {@code dyn([1])[?0].value() < dyn(2)}.
 */
final class Dispatch {
    private static final Map<String, ImmutableList<String>> OVERLOADS = Library.operators().stream()
            .collect(Collectors.toUnmodifiableMap(
                    function -> function.name(),
                    function -> function.overloads().stream()
                            .map(CelOverloadDecl::overloadId)
                            .collect(ImmutableList.toImmutableList())));

    private Dispatch() {}

    /** The tree with every overload of each operator, where some value may have no type. */
    static CelAbstractSyntaxTree byValue(CelAbstractSyntaxTree tree) {
        if (isTyped(tree.getExpr())) {
            return tree;
        }
        Map<Long, CelReference> references = new HashMap<>(tree.getReferenceMap());
        Trees.walk(tree.getExpr(), each -> {
            if (each.getKind() == Kind.CALL && OVERLOADS.containsKey(each.call().function())) {
                references.computeIfPresent(
                        each.id(),
                        (_, found) -> widened(found, OVERLOADS.get(each.call().function())));
            }
        });
        return CelAbstractSyntaxTree.newCheckedAst(tree.getExpr(), tree.getSource(), references, tree.getTypeMap());
    }

    private static CelReference widened(CelReference found, ImmutableList<String> overloads) {
        return CelReference.newBuilder()
                .setName(found.name())
                .addOverloadIds(overloads)
                .build();
    }

    private static boolean isTyped(CelExpr expression) {
        var isUntyped = new AtomicBoolean();
        Trees.walk(expression, each -> {
            boolean isEmptyList =
                    each.getKind() == Kind.LIST && each.list().elements().isEmpty();
            boolean isEmptyMap =
                    each.getKind() == Kind.MAP && each.map().entries().isEmpty();
            if (isEmptyList || isEmptyMap || Trees.isCall(each, "dyn")) {
                isUntyped.set(true);
            }
        });
        return !isUntyped.get();
    }
}
