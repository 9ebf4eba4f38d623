package dev.claimstream.scenarios.validity;

/** A broken rule, with the object and details. */
public record Violation(Rule rule, String text) {
    @Override
    public String toString() {
        return rule + ": " + text;
    }
}
