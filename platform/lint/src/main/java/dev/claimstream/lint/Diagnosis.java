package dev.claimstream.lint;

import dev.claimstream.manifests.Finding;

/** A finding and the rule that it violates. */
public record Diagnosis(Rule rule, Finding finding) {
    /** Returns the finding without its location. */
    public String text() {
        return finding.toString().substring(finding.place().toString().length() + 2);
    }

    /** Formats the finding on one line: {@code file:line:column: field: message (value): remedy [rule]}. */
    @Override
    public String toString() {
        String place = finding.place().toString();
        int column = finding.place().column();
        String where = column == 0 ? place : place + ":" + column;
        return where + ": " + text() + " [" + rule.id() + "]";
    }
}
