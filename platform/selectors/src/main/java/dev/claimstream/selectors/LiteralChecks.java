package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.NullableType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.claimstream.selectors.evaluation.ExpressionTrees;
import dev.claimstream.selectors.functions.RegexCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Checks the rules of Kubernetes that the compiler of CEL for Java does not check.
 *
 * <p>They are: no use of the type {@code dyn} as a value, no infinite number literals, one type per list and map, valid literal durations,
 * timestamps and regular expressions, and format strings that fit their arguments.
 */
final class LiteralChecks {
    private final CelAbstractSyntaxTree tree;
    private final Predicate<CelExpr> computes;
    private final List<CelIssue> issues = new ArrayList<>();

    private LiteralChecks(CelAbstractSyntaxTree tree, Predicate<CelExpr> computes) {
        this.tree = tree;
        this.computes = computes;
    }

    /**
     * Returns all issues, those of texts before those of types.
     *
     * @param computes tells whether a call on a literal has a result
     */
    static List<CelIssue> issues(CelAbstractSyntaxTree tree, Predicate<CelExpr> computes) {
        LiteralChecks checks = new LiteralChecks(tree, computes);
        ExpressionTrees.walk(tree.getExpr(), checks::checkPlain);
        if (!checks.issues.isEmpty()) {
            return checks.issues;
        }
        ExpressionTrees.walk(tree.getExpr(), checks::checkText);
        checks.checkTypes(tree.getExpr());
        ExpressionTrees.walk(tree.getExpr(), checks::checkFormat);
        return checks.issues;
    }

    /** Reports {@code dyn} as a value, which upstream does not declare, and numbers that are too large. */
    private void checkPlain(CelExpr expression) {
        if (expression.getKind() == Kind.IDENT
                && expression.ident().name().equals("dyn")
                && tree.getType(expression.id()).orElse(SimpleType.DYN).kind() == CelKind.TYPE) {
            report(expression, "undeclared reference to 'dyn' (in container '')");
        } else if (expression.getKind() == Kind.CONSTANT
                && expression.constant().getKind() == CelConstant.Kind.DOUBLE_VALUE
                && Double.isInfinite(expression.constant().doubleValue())) {
            report(expression, "invalid double literal");
        }
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
            RegexCache.of(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Checks types; the arguments of {@code format} may have different types. */
    private void checkTypes(CelExpr expression) {
        if (ExpressionTrees.isCall(expression, "format")) {
            return;
        }
        if (expression.getKind() == Kind.LIST) {
            checkList(expression.list());
        } else if (expression.getKind() == Kind.MAP) {
            checkMap(expression.map());
        }
        ExpressionTrees.children(expression).forEach(this::checkTypes);
    }

    private void checkList(CelExpr.CelList list) {
        CelType first = null;
        for (int i = 0; i < list.elements().size(); i++) {
            CelExpr element = list.elements().get(i);
            CelType type = type(element, list.optionalIndices().contains(i));
            if (first == null) {
                first = type;
            } else if (!isSame(unwrapped(first), unwrapped(type))) {
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
            if (!isSame(unwrapped(keys), unwrapped(key))) {
                report(entry.key(), mismatch(keys, key));
            }
            if (!isSame(unwrapped(values), unwrapped(value))) {
                report(entry.value(), mismatch(values, value));
            }
        }
    }

    private CelType type(CelExpr expression, boolean optional) {
        CelType type = tree.getType(expression.id()).orElse(SimpleType.DYN);
        return optional ? type.parameters().getFirst() : type;
    }

    /** Returns whether two types are equal. Types that are not determined, such as the element type of {@code []}, count as equal. */
    private static boolean isSame(CelType a, CelType b) {
        return a.equals(b)
                || (a.isAssignableFrom(b) && b.isAssignableFrom(a) && !hasTypeParameter(a) && !hasTypeParameter(b));
    }

    /** Replaces wrapper messages by the type that they wrap: number, string, bytes or bool. */
    private static CelType unwrapped(CelType type) {
        return switch (type) {
            case NullableType message -> message.targetType();
            case OptionalType optional ->
                OptionalType.create(unwrapped(optional.parameters().getFirst()));
            default ->
                type.withParameters(type.parameters().stream()
                        .map(LiteralChecks::unwrapped)
                        .collect(ImmutableList.toImmutableList()));
        };
    }

    private static boolean hasTypeParameter(CelType type) {
        return type.kind().isDyn() || type.parameters().stream().anyMatch(LiteralChecks::hasTypeParameter);
    }

    private static String mismatch(CelType expected, CelType found) {
        return "expected type '%s' but found '%s'".formatted(CelTypes.format(expected), CelTypes.format(found));
    }

    private void checkFormat(CelExpr expression) {
        if (ExpressionTrees.isCall(expression, "format")
                && expression.call().args().size() == 1) {
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
        issues.add(issue(tree, at, message));
    }

    /** Creates an issue at a part of an expression. */
    static CelIssue issue(CelAbstractSyntaxTree tree, CelExpr at, String message) {
        CelSourceLocation location = Optional.ofNullable(
                        tree.getSource().getPositionsMap().get(at.id()))
                .flatMap(tree.getSource()::getOffsetLocation)
                .orElse(CelSourceLocation.NONE);
        return CelIssue.formatError(at.id(), location, message);
    }
}
