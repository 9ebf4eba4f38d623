package dev.claimstream.selectors;

import dev.cel.common.CelIssue;
import dev.cel.common.Source;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** What the compiler of CEL for Java says, in the words of CEL for Go. */
final class CompileMessages {
    private static final List<String> SYNTAX_ERRORS = List.of(
            "mismatched input", "extraneous input", "token recognition error", "no viable alternative", "missing ");

    private CompileMessages() {}

    static String of(Collection<CelIssue> issues, Source source) {
        return "compilation failed: "
                + issues.stream()
                        .map(issue -> goWords(issue).toDisplayString(source))
                        .collect(Collectors.joining("\n"));
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
        boolean isSyntax = SYNTAX_ERRORS.stream().anyMatch(message::startsWith);
        return isSyntax ? "Syntax error: " + message : message;
    }
}
