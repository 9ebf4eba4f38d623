package dev.claimstream.scenarios.validity;

import java.util.ArrayList;
import java.util.List;

/** Collects violations. */
final class ViolationCollector {
    private final List<Violation> violations = new ArrayList<>();

    /** Adds a violation if the rule is broken. */
    void expect(boolean isKept, Rule rule, Object where, Object detail) {
        if (!isKept) {
            violations.add(new Violation(rule, where + ": " + detail));
        }
    }

    List<Violation> violations() {
        return List.copyOf(violations);
    }
}
