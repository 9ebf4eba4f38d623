package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation;
import java.util.Optional;

/**
 * Source of the attribute value that a constraint compares: published by the device, or derived by the request.
 *
 * @param attribute index of the name in {@link Question#attributes}
 * @param expression CEL expression of a derived attribute
 */
record Source(int attribute, String name, Optional<String> expression, Optional<Derivation> derivation) {
    /** Returns the value; empty if the device has none. */
    Optional<AttributeValue> value(Slot slot) {
        if (derivation.isEmpty()) {
            return Attributes.of(slot.driver(), slot.device(), name);
        }
        return derived(slot) instanceof Derivation.Value.Found found ? Optional.of(found.value()) : Optional.empty();
    }

    /** Returns upstream's message if the derivation failed. */
    Optional<String> failure(Slot slot) {
        if (derivation.isEmpty() || !(derived(slot) instanceof Derivation.Value.Failed failed)) {
            return Optional.empty();
        }
        return Optional.of(
                failed.isCompilation()
                        ? "compile derived attribute %s failed: %s".formatted(name, failed.message())
                        : "evaluate derived attribute %s on device %s failed: %s"
                                .formatted(name, slot.holding().device(), failed.message()));
    }

    private Derivation.Value derived(Slot slot) {
        return derivation.orElseThrow().of(slot.driver(), slot.device());
    }
}
