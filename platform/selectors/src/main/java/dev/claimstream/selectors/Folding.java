package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExprConverter;
import dev.cel.common.ast.CelReference;
import dev.cel.common.navigation.CelNavigableMutableExpr;
import java.util.HashSet;
import java.util.Set;

/** What upstream decides when it plans: nothing is in an empty list, whatever it is, so that it is never asked what it is. */
final class Folding {
    private Folding() {}

    /** The tree with {@code false} in the place of each question whether something is in {@code []}. */
    static CelAbstractSyntaxTree fold(CelAbstractSyntaxTree tree) {
        Set<Long> decided = new HashSet<>();
        Trees.walk(tree.getExpr(), each -> {
            if (isInNothing(tree, each)) {
                decided.add(each.id());
            }
        });
        if (decided.isEmpty()) {
            return tree;
        }
        CelMutableExpr root = CelMutableExprConverter.fromCelExpr(tree.getExpr());
        CelNavigableMutableExpr.fromExpr(root)
                .allNodes()
                .map(node -> node.expr())
                .filter(each -> decided.contains(each.id()))
                .toList()
                .forEach(each -> each.setConstant(CelConstant.ofValue(false)));
        return CelAbstractSyntaxTree.newCheckedAst(
                CelMutableExprConverter.fromMutableExpr(root),
                tree.getSource(),
                tree.getReferenceMap(),
                tree.getTypeMap());
    }

    private static boolean isInNothing(CelAbstractSyntaxTree tree, CelExpr expression) {
        return Trees.isCall(expression, "@in")
                && overloads(tree, expression).equals(ImmutableList.of("in_list"))
                && isEmpty(expression.call().args().getLast());
    }

    private static boolean isEmpty(CelExpr list) {
        return list.getKind() == Kind.LIST && list.list().elements().isEmpty();
    }

    private static ImmutableList<String> overloads(CelAbstractSyntaxTree tree, CelExpr call) {
        return tree.getReference(call.id()).map(CelReference::overloadIds).orElse(ImmutableList.of());
    }
}
