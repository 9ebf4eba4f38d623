package dev.claimstream.lint;

import java.util.List;

/** The edits that correct one mistake; they are applied together or not at all. */
record Fix(Rule rule, List<Edit> edits) {
    Fix {
        edits = List.copyOf(edits);
    }

    static Fix of(Rule rule, Edit... edits) {
        return new Fix(rule, List.of(edits));
    }

    boolean overlaps(Edit other) {
        return edits.stream().anyMatch(each -> each.overlaps(other));
    }
}
