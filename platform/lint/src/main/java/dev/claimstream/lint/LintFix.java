package dev.claimstream.lint;

import java.util.List;

/** The edits that correct one mistake; they are applied together or not at all. */
record LintFix(LintRule rule, List<TextEdit> edits) {
    LintFix {
        edits = List.copyOf(edits);
    }

    static LintFix of(LintRule rule, TextEdit... edits) {
        return new LintFix(rule, List.of(edits));
    }

    boolean overlaps(TextEdit other) {
        return edits.stream().anyMatch(each -> each.overlaps(other));
    }
}
