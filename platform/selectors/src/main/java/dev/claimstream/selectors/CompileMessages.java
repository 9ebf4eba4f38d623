package dev.claimstream.selectors;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.Source;
import dev.claimstream.selectors.evaluation.ExpressionTrees;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Translates compiler messages of CEL for Java into the words of CEL for Go, sorted by location. */
final class CompileMessages {
    private record CompileMessagePattern(Pattern java, String go) {
        static CompileMessagePattern of(String java, String go) {
            return new CompileMessagePattern(Pattern.compile(java), go);
        }
    }

    private static final List<CompileMessagePattern> WORDINGS = List.of(
            CompileMessagePattern.of(
                    "^(mismatched input|extraneous input|token recognition error|no viable alternative|missing )",
                    "Syntax error: $1"),
            CompileMessagePattern.of(
                    "^(Syntax error: mismatched input .*) expecting \\{<EOF>, .*\\}$", "$1 expecting <EOF>"),
            CompileMessagePattern.of(
                    "^(Syntax error: mismatched input .*) expecting \\{.* ':', .*\\}$", "$1 expecting ':'"),
            CompileMessagePattern.of("^String value \\d+ exceeds range of unsigned long\\.", "invalid uint literal"),
            CompileMessagePattern.of(
                    "^type '(kubernetes\\.[^']*)' does not support field selection",
                    "unexpected failed resolution of '$1'"),
            CompileMessagePattern.of("(?s)^(found no matching overload for .*) \\(candidates: .*\\)$", "$1"),
            CompileMessagePattern.of("^'(list|map)\\(.*\\)' is not a message type", "'$1' is not a message type"),
            CompileMessagePattern.of("^For input string: \"[^\"]*\".*", "invalid int literal"),
            CompileMessagePattern.of("^The argument must be a simple name", "argument must be a simple name"));

    private static final Pattern NAMES_TYPES = Pattern.compile("^(found no matching overload|expected type|type ')");

    private static final Pattern TERMS =
            Pattern.compile("^found no matching overload for '_(?:&&|\\|\\|)_' applied to '\\((.*)\\)' \\(candidates");

    private static final Set<String> BOOLS = Set.of("bool", "dyn", "any", "*error*", "wrapper(bool)");

    private static final Comparator<CelIssue> BY_PLACE = Comparator.comparing(
            CelIssue::getSourceLocation,
            Comparator.comparingInt(CelSourceLocation::getLine).thenComparingInt(CelSourceLocation::getColumn));

    private CompileMessages() {}

    /**
     * Returns the message for all issues.
     *
     * @param parsed the expression, if it could be parsed
     */
    static String of(Collection<CelIssue> issues, Source source, Optional<CelAbstractSyntaxTree> parsed) {
        return issues.stream()
                .flatMap(issue -> parsed.map(tree -> termIssues(issue, tree)).orElse(Stream.of(issue)))
                .sorted(BY_PLACE)
                .map(issue -> goWords(issue, source).toDisplayString(source))
                .collect(Collectors.joining("\n", "compilation failed: ", ""));
    }

    /** Replaces an issue of {@code &&} or {@code ||} by issues of the terms that are not bool, as upstream does. */
    private static Stream<CelIssue> termIssues(CelIssue issue, CelAbstractSyntaxTree tree) {
        Matcher types = TERMS.matcher(issue.getMessage());
        if (!types.find()) {
            return Stream.of(issue);
        }
        List<CelIssue> problems = new ArrayList<>();
        ExpressionTrees.walk(tree.getExpr(), operator -> {
            if (operator.id() == issue.getExprId()) {
                List<String> found = parts(types.group(1));
                for (int i = 0; i < found.size(); i++) {
                    if (!BOOLS.contains(found.get(i))) {
                        problems.add(LiteralChecks.issue(
                                tree,
                                ExpressionTrees.arguments(operator).get(i),
                                "expected type 'bool' but found '%s'".formatted(found.get(i))));
                    }
                }
            }
        });
        return problems.isEmpty() ? Stream.of(issue) : problems.stream();
    }

    /** Splits a list at the commas outside parentheses. */
    private static List<String> parts(String list) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int at = 0; at < list.length(); at++) {
            switch (list.charAt(at)) {
                case '(' -> depth++;
                case ')' -> depth--;
                case ',' -> {
                    if (depth == 0) {
                        parts.add(list.substring(from, at).strip());
                        from = at + 1;
                    }
                }
                default -> {}
            }
        }
        parts.add(list.substring(from).strip());
        return parts;
    }

    /** Returns the location of an issue: upstream reports {@code has()} after its parenthesis, CEL for Java at the parenthesis. */
    private static CelSourceLocation location(CelIssue issue, Source source) {
        CelSourceLocation location = issue.getSourceLocation();
        if (!issue.getMessage().equals("invalid argument to has() macro")) {
            return location;
        }
        String line = source.getSnippet(location.getLine()).orElse("");
        int at = location.getColumn() + 1;
        while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
            at++;
        }
        return CelSourceLocation.of(location.getLine(), at);
    }

    private static CelIssue goWords(CelIssue issue, Source source) {
        return CelIssue.newBuilder()
                .setExprId(issue.getExprId())
                .setSeverity(issue.getSeverity())
                .setSourceLocation(location(issue, source))
                .setMessage(goWords(issue.getMessage()))
                .build();
    }

    /** Replaces names of types; the free type parameters of a type, as in {@code list(%elem0)}, become {@code dyn}. */
    private static String goTypes(String message) {
        return message.replace("google.protobuf.Duration", "duration")
                .replace("google.protobuf.Timestamp", "timestamp")
                .replaceAll("%[A-Za-z]+\\d+", "dyn");
    }

    private static String goWords(String message) {
        String words = NAMES_TYPES.matcher(message).find() ? goTypes(message) : message;
        for (CompileMessagePattern wording : WORDINGS) {
            words = wording.java.matcher(words).replaceFirst(wording.go);
        }
        return words;
    }
}
