package dev.claimstream.selectors;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.SimpleType;
import dev.claimstream.selectors.evaluation.Trees;
import dev.claimstream.selectors.functions.Patterns;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What Kubernetes demands of literals beyond their types: lists and maps of one type, durations, timestamps and regular expressions that
 * can be read, forms of {@code format} that fit their arguments.
 */
final class LiteralChecks {
    private final CelAbstractSyntaxTree tree;
    private final Predicate<CelExpr> computes;
    private final List<CelIssue> issues = new ArrayList<>();

    private LiteralChecks(CelAbstractSyntaxTree tree, Predicate<CelExpr> computes) {
        this.tree = tree;
        this.computes = computes;
    }

    /** All issues, those of texts before those of types; {@code computes} tells whether a call on a literal has a result. */
    static List<CelIssue> issues(CelAbstractSyntaxTree tree, Predicate<CelExpr> computes) {
        LiteralChecks checks = new LiteralChecks(tree, computes);
        Trees.walk(tree.getExpr(), checks::checkText);
        checks.checkTypes(tree.getExpr());
        Trees.walk(tree.getExpr(), checks::checkFormat);
        return checks.issues;
    }

    private void checkText(CelExpr expression) {
        if (expression.getKind() != Kind.CALL || expression.call().args().isEmpty()) {
            return;
        }
        CelExpr literal = expression.call().args().getFirst();
        if (literal.getKind() != Kind.CONSTANT) {
            return;
        }
        String function = expression.call().function();
        boolean isReadable = switch (function) {
            case "duration", "timestamp" -> computes.test(expression);
            case "matches" -> text(literal).map(LiteralChecks::isPattern).orElse(true);
            default -> true;
        };
        if (!isReadable) {
            report(literal, "invalid %s argument".formatted(function));
        }
    }

    private static Optional<String> text(CelExpr literal) {
        return literal.constant().getKind() == CelConstant.Kind.STRING_VALUE
                ? Optional.of(literal.constant().stringValue())
                : Optional.empty();
    }

    private static boolean isPattern(String text) {
        try {
            Patterns.of(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The arguments of {@code format} may be of any types. */
    private void checkTypes(CelExpr expression) {
        if (Trees.isCall(expression, "format")) {
            return;
        }
        if (expression.getKind() == Kind.LIST) {
            checkList(expression.list());
        } else if (expression.getKind() == Kind.MAP) {
            checkMap(expression.map());
        }
        Trees.children(expression).forEach(this::checkTypes);
    }

    private void checkList(CelExpr.CelList list) {
        CelType first = null;
        for (int i = 0; i < list.elements().size(); i++) {
            CelExpr element = list.elements().get(i);
            CelType type = type(element, list.optionalIndices().contains(i));
            if (first == null) {
                first = type;
            } else if (!isSame(first, type)) {
                report(element, mismatch(first, type));
                return;
            }
        }
    }

    private void checkMap(CelExpr.CelMap map) {
        CelType keys = null;
        CelType values = null;
        for (CelExpr.CelMap.Entry entry : map.entries()) {
            CelType key = type(entry.key(), false);
            CelType value = type(entry.value(), entry.optionalEntry());
            if (keys == null || values == null) {
                keys = key;
                values = value;
                continue;
            }
            if (!isSame(keys, key)) {
                report(entry.key(), mismatch(keys, key));
            }
            if (!isSame(values, value)) {
                report(entry.value(), mismatch(values, value));
            }
        }
    }

    private CelType type(CelExpr expression, boolean optional) {
        CelType type = tree.getType(expression.id()).orElse(SimpleType.DYN);
        return optional ? type.parameters().getFirst() : type;
    }

    /** Types that nothing has fixed, such as that of {@code []}, count as equal. */
    private static boolean isSame(CelType a, CelType b) {
        return a.equals(b) || (a.isAssignableFrom(b) && b.isAssignableFrom(a) && !isOpen(a) && !isOpen(b));
    }

    private static boolean isOpen(CelType type) {
        return type.kind().isDyn() || type.parameters().stream().anyMatch(LiteralChecks::isOpen);
    }

    private static String mismatch(CelType expected, CelType found) {
        return "expected type '%s' but found '%s'".formatted(CelTypes.format(expected), CelTypes.format(found));
    }

    private void checkFormat(CelExpr expression) {
        if (Trees.isCall(expression, "format") && expression.call().args().size() == 1) {
            Optional<String> form = expression
                    .call()
                    .target()
                    .filter(target -> target.getKind() == Kind.CONSTANT)
                    .flatMap(LiteralChecks::text);
            CelExpr arguments = expression.call().args().getFirst();
            if (form.isPresent() && arguments.getKind() == Kind.LIST) {
                FormatCheck.problem(tree, form.get(), arguments.list().elements())
                        .ifPresent(problem -> report(problem.at().orElse(expression), problem.text()));
            }
        }
    }

    private void report(CelExpr at, String message) {
        CelSourceLocation location = Optional.ofNullable(
                        tree.getSource().getPositionsMap().get(at.id()))
                .flatMap(tree.getSource()::getOffsetLocation)
                .orElse(CelSourceLocation.NONE);
        issues.add(CelIssue.formatError(at.id(), location, message));
    }
}
