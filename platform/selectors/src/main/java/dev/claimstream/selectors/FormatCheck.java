package dev.claimstream.selectors;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.claimstream.selectors.evaluation.ExpressionTrees;
import dev.claimstream.selectors.functions.StringFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Checks whether the clauses of a literal format string accept the types of its arguments. */
final class FormatCheck {
    private static final Set<CelKind> NUMBERS = Set.of(CelKind.INT, CelKind.UINT);
    private static final Set<CelKind> DOUBLES = Set.of(CelKind.DOUBLE, CelKind.STRING);
    private static final Set<CelKind> BITS = Set.of(CelKind.INT, CelKind.UINT, CelKind.BOOL);
    private static final Set<CelKind> HEX = Set.of(CelKind.INT, CelKind.UINT, CelKind.STRING, CelKind.BYTES);
    private static final Set<CelKind> TEXT = Set.of(
            CelKind.LIST,
            CelKind.MAP,
            CelKind.INT,
            CelKind.UINT,
            CelKind.DOUBLE,
            CelKind.BOOL,
            CelKind.STRING,
            CelKind.TIMESTAMP,
            CelKind.BYTES,
            CelKind.DURATION,
            CelKind.TYPE,
            CelKind.NULL_TYPE);

    private final CelAbstractSyntaxTree tree;
    private final List<CelExpr> arguments;
    private Optional<CelExpr> badArgument = Optional.empty();
    private int argumentCount;

    private FormatCheck(CelAbstractSyntaxTree tree, List<CelExpr> arguments) {
        this.tree = tree;
        this.arguments = arguments;
    }

    /** The problem and the argument that causes it. */
    record FormatProblem(String text, Optional<CelExpr> at) {}

    static Optional<FormatProblem> problem(CelAbstractSyntaxTree tree, String form, List<CelExpr> arguments) {
        FormatCheck check = new FormatCheck(tree, arguments);
        try {
            StringFormat.walk(form, arguments.size(), check::accept);
        } catch (IllegalArgumentException e) {
            return Optional.of(new FormatProblem(String.valueOf(e.getMessage()), check.badArgument));
        }
        return check.argumentCount == arguments.size()
                ? Optional.empty()
                : Optional.of(new FormatProblem(
                        "too many arguments supplied to string.format (expected %d, got %d)"
                                .formatted(check.argumentCount, arguments.size()),
                        Optional.empty()));
    }

    private String accept(int index, char clause, OptionalInt precision) {
        argumentCount++;
        CelExpr argument = arguments.get(index);
        if (clause == 's') {
            acceptText(argument);
        } else {
            accept(argument, clause, kinds(clause));
        }
        return "";
    }

    private static Set<CelKind> kinds(char clause) {
        return switch (clause) {
            case 'f', 'e' -> DOUBLES;
            case 'b' -> BITS;
            case 'x', 'X' -> HEX;
            default -> NUMBERS;
        };
    }

    private void acceptText(CelExpr argument) {
        accept(argument, 's', TEXT);
        if (argument.getKind() == CelExpr.ExprKind.Kind.LIST || argument.getKind() == CelExpr.ExprKind.Kind.MAP) {
            ExpressionTrees.children(argument).forEach(this::acceptText);
        }
    }

    private void accept(CelExpr argument, char clause, Set<CelKind> kinds) {
        CelType type = tree.getType(argument.id()).orElse(SimpleType.DYN);
        // Upstream skips only dyn. The type any of an attribute that cannot be a list is checked.
        if (type.kind() != CelKind.DYN && !kinds.contains(type.kind())) {
            badArgument = Optional.of(argument);
            throw StringFormat.typeError(clause, type.name());
        }
    }
}
