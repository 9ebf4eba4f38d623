package dev.claimstream.console;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.lint.cel.ExpressionAdvice;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.selectors.CelSelectors;
import java.util.List;
import java.util.Optional;

/**
 * Finds CEL expressions that do not compile, with their position in the manifest.
 * As in an API server, new objects may only use what the feature gates of the cluster allow. Stored objects are evaluated whatever the
 * gates are.
 */
public final class ExpressionValidator {
    private static final List<Feature> NEEDED = List.of(Feature.CONSUMABLE_CAPACITY, Feature.LIST_TYPE_ATTRIBUTES);

    private final CelSelectors selectors;
    private final FeatureGates gates;

    /** Creates the validator of new objects in a cluster with these gates. */
    public ExpressionValidator(FeatureGates gates) {
        this.selectors = selectorsFor(gates);
        this.gates = gates;
    }

    public FeatureGates gates() {
        return gates;
    }

    private static CelSelectors selectorsFor(FeatureGates gates) {
        return new CelSelectors(dev.claimstream.selectors.Features.ofNew(gates));
    }

    /** Returns the errors in the expressions of an object. */
    public List<ManifestFinding> findings(Manifest manifest) {
        return manifest.expressions().stream()
                .flatMap(expression -> problem(selectors, expression).stream()
                        .map(problem -> manifest.error(
                                expression.field(),
                                expression.text(),
                                "CEL compile error: " + problem,
                                remedy(expression, problem))))
                .toList();
    }

    private static Optional<String> problem(CelSelectors selectors, Manifest.CelExpression expression) {
        return switch (expression.purpose()) {
            case SELECTOR -> selectors.problem(expression.text());
            case DERIVED_ATTRIBUTE -> selectors.derivationProblem(expression.text());
        };
    }

    private String remedy(Manifest.CelExpression expression, String problem) {
        return NEEDED.stream()
                .filter(feature -> !gates.has(feature))
                .filter(feature -> problem(selectorsFor(gates.with(feature, true)), expression)
                        .isEmpty())
                .findFirst()
                .map(feature -> "it needs the feature gate %s: enable it in the cluster and pass --features %1$s=true"
                        .formatted(feature.gate()))
                .orElseGet(() -> ExpressionAdvice.of(expression.text(), problem));
    }
}
