package dev.claimstream.selectors;

import com.google.re2j.Pattern;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.Source;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** What the compiler of CEL for Java says, in the words of CEL for Go and in the order of the text. */
final class CompileMessages {
    private record Wording(Pattern java, String go) {
        static Wording of(String java, String go) {
            return new Wording(Pattern.compile(java), go);
        }
    }

    private static final List<Wording> WORDINGS = List.of(
            Wording.of(
                    "^(mismatched input|extraneous input|token recognition error|no viable alternative|missing )",
                    "Syntax error: $1"),
            Wording.of("(?s)^(found no matching overload for .*) \\(candidates: .*\\)$", "$1"),
            Wording.of("^For input string: \"[^\"]*\".*", "invalid int literal"),
            Wording.of("^The argument must be a simple name", "argument must be a simple name"));

    private static final Comparator<CelIssue> BY_PLACE = Comparator.comparing(
            CelIssue::getSourceLocation,
            Comparator.comparingInt(CelSourceLocation::getLine).thenComparingInt(CelSourceLocation::getColumn));

    private CompileMessages() {}

    static String of(Collection<CelIssue> issues, Source source) {
        return issues.stream()
                .sorted(BY_PLACE)
                .map(issue -> goWords(issue).toDisplayString(source))
                .collect(Collectors.joining("\n", "compilation failed: ", ""));
    }

    private static CelIssue goWords(CelIssue issue) {
        return CelIssue.newBuilder()
                .setExprId(issue.getExprId())
                .setSeverity(issue.getSeverity())
                .setSourceLocation(issue.getSourceLocation())
                .setMessage(goWords(issue.getMessage()))
                .build();
    }

    private static String goWords(String message) {
        String words = message;
        for (Wording wording : WORDINGS) {
            words = wording.java.matcher(words).replaceFirst(wording.go);
        }
        return words;
    }
}
