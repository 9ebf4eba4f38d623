package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFinding;

/** A finding and the rule that it violates. */
public record LintFinding(LintRule rule, ManifestFinding finding) {
    /** Returns the finding without its location. */
    public String text() {
        return finding.toString().substring(finding.location().toString().length() + 2);
    }

    /** Formats the finding on one line: {@code file:line:column: field: message (value): remedy [rule]}. */
    @Override
    public String toString() {
        String location = finding.location().toString();
        int column = finding.location().column();
        String where = column == 0 ? location : location + ":" + column;
        return where + ": " + text() + " [" + rule.id() + "]";
    }
}
