package dev.claimstream.scenarios.validity;

/** A rule that an allocation breaks, and where. */
public record Violation(Rule rule, String text) {
    @Override
    public String toString() {
        return rule + ": " + text;
    }
}
