package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation;
import java.util.Optional;

/**
 * Source of the attribute value that a constraint compares: published by the device, or derived by the request.
 *
 * @param attribute index of the name in {@link AllocationProblem#attributes}
 * @param expression CEL expression of a derived attribute
 */
record AttributeSource(int attribute, String name, Optional<String> expression, Optional<Derivation> derivation) {
    /** Returns the value; empty if the device has none. */
    Optional<AttributeValue> value(DeviceCandidate candidate) {
        if (derivation.isEmpty()) {
            return AttributeLookup.of(candidate.driver(), candidate.device(), name);
        }
        return derived(candidate) instanceof Derivation.DerivationOutcome.DerivedAttributeValue found
                ? Optional.of(found.value())
                : Optional.empty();
    }

    /** Returns upstream's message if the derivation failed. */
    Optional<String> failure(DeviceCandidate candidate) {
        if (derivation.isEmpty()
                || !(derived(candidate) instanceof Derivation.DerivationOutcome.DerivationError failed)) {
            return Optional.empty();
        }
        return Optional.of(
                failed.isCompilation()
                        ? "compile derived attribute %s failed: %s".formatted(name, failed.message())
                        : "evaluate derived attribute %s on device %s failed: %s"
                                .formatted(name, candidate.usage().device(), failed.message()));
    }

    private Derivation.DerivationOutcome derived(DeviceCandidate candidate) {
        return derivation.orElseThrow().of(candidate.driver(), candidate.device());
    }
}
