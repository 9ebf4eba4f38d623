package dev.claimstream.console;

import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.selectors.CelSelectors;
import java.util.List;
import java.util.Optional;

/** Finds expressions that do not compile, at their places. An API server refuses objects that have one, and so do we. */
public final class Expressions {
    private final CelSelectors selectors;

    /** With a compiler that may have other work. */
    public Expressions(CelSelectors selectors) {
        this.selectors = selectors;
    }

    /** What is wrong with the expressions of an object. */
    public List<Finding> findings(Manifest manifest) {
        return manifest.expressions().stream()
                .flatMap(expression -> problem(expression).stream()
                        .map(problem -> manifest.error(
                                expression.field(),
                                expression.text(),
                                "CEL compile error: " + problem,
                                "correct the expression; the variable is device with driver, attributes and capacity")))
                .toList();
    }

    private Optional<String> problem(Manifest.Expression expression) {
        return switch (expression.purpose()) {
            case SELECTOR -> selectors.problem(expression.text());
            case DERIVED_ATTRIBUTE -> selectors.problemOfDerived(expression.text());
        };
    }
}
