package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.lint.cel.ExpressionAdvice;
import dev.claimstream.lint.cel.ExpressionLinter;
import dev.claimstream.lint.cel.ExpressionMistake;
import dev.claimstream.manifests.source.SourceNode.SourceScalar;
import dev.claimstream.selectors.CelSelectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks that an API server accepts the expressions, and that they can be true. */
final class SelectorRules {
    private static final Pattern ERROR = Pattern.compile("ERROR: <input>:(\\d+):(\\d+): ([^\\n]*)");
    private static final Pattern FIELD_OF_VALUE =
            Pattern.compile("does not support field selection|unexpected failed resolution");

    private final CelSelectors selectors;

    SelectorRules(CelSelectors selectors) {
        this.selectors = selectors;
    }

    List<LintFinding> findings(SourceObject object) {
        List<LintFinding> found = new ArrayList<>();
        for (ObjectPart expression : ObjectParts.expressions(object)) {
            if (expression.node() instanceof SourceScalar scalar
                    && !scalar.text().isBlank()) {
                check(object, expression.path(), scalar, found);
            }
        }
        return found;
    }

    private void check(SourceObject object, String path, SourceScalar scalar, List<LintFinding> found) {
        Optional<ScalarOffsets> places = ScalarOffsets.of(object.source(), scalar);
        List<ExpressionMistake> mistakes = ExpressionLinter.mistakes(scalar.text());
        for (ExpressionMistake mistake : mistakes) {
            int index = places.map(each -> each.sourceIndex(mistake.start()))
                    .orElse(scalar.span().start());
            found.add(object.error(
                    rule(mistake.sort()), index, path, scalar.text().strip(), mistake.message(), mistake.remedy()));
        }
        selectors
                .problem(scalar.text())
                .filter(problem -> !isAlreadyReported(problem, mistakes))
                .ifPresent(problem -> found.add(compile(object, path, scalar, places, problem)));
    }

    static LintRule rule(ExpressionMistake.MistakeKind sort) {
        return switch (sort) {
            case UNKNOWN_DOMAIN -> LintRule.UNKNOWN_DOMAIN;
            case IMPOSSIBLE_NAME -> LintRule.IMPOSSIBLE_NAME;
            case TYPED_ACCESSOR -> LintRule.TYPED_ACCESSOR;
            case QUANTITY_LOOKUP -> LintRule.CEL_QUANTITY;
            case OPERATOR -> LintRule.QUANTITY_OPERATOR;
            case DRIVER_NAME -> LintRule.DRIVER_NAME;
        };
    }

    /** Returns whether all compiler errors are about operators and fields of values that were already reported. */
    private static boolean isAlreadyReported(String problem, List<ExpressionMistake> mistakes) {
        long errors = ERROR.matcher(problem).results().count();
        long orders = ExpressionAdvice.ordersOfValues(problem);
        long fields = FIELD_OF_VALUE.matcher(problem).results().count();
        return errors > 0
                && errors == orders + fields
                && orders <= count(mistakes, ExpressionMistake.MistakeKind.OPERATOR)
                && fields <= count(mistakes, ExpressionMistake.MistakeKind.TYPED_ACCESSOR);
    }

    private static long count(List<ExpressionMistake> mistakes, ExpressionMistake.MistakeKind sort) {
        return mistakes.stream().filter(each -> each.sort() == sort).count();
    }

    private static LintFinding compile(
            SourceObject object, String path, SourceScalar scalar, Optional<ScalarOffsets> places, String problem) {
        Matcher error = ERROR.matcher(problem);
        boolean isOrder = ExpressionAdvice.ordersOfValues(problem) > 0;
        boolean isPlaced = error.find();
        String message = isPlaced ? error.group(3) : problem;
        int start =
                isPlaced ? index(scalar.text(), Integer.parseInt(error.group(1)), Integer.parseInt(error.group(2))) : 0;
        return object.error(
                isOrder ? LintRule.QUANTITY_OPERATOR : LintRule.CEL_COMPILE,
                places.map(each -> each.sourceIndex(start)).orElse(scalar.span().start()),
                path,
                scalar.text().strip(),
                "CEL compile error: " + message,
                ExpressionAdvice.of(scalar.text(), problem));
    }

    /** Returns the index of a line and a column, both from 1. */
    private static int index(String text, int line, int column) {
        int start = 0;
        for (int i = 1; i < line; i++) {
            int end = text.indexOf('\n', start);
            start = end < 0 ? start : end + 1;
        }
        return Math.min(text.length(), start + column - 1);
    }
}
