package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation;
import java.util.Optional;

/**
 * Where a constraint finds the value of its attribute: published by the device, or derived by the request.
 *
 * @param attribute the place of the name in the question
 * @param expression what the request derives, where it does
 */
record Source(int attribute, String name, Optional<String> expression, Optional<Derivation> derivation) {
    /** The value, absent where the device has none. */
    Optional<AttributeValue> value(Slot slot) {
        if (derivation.isEmpty()) {
            return Attributes.of(slot.driver(), slot.device(), name);
        }
        return derived(slot) instanceof Derivation.Value.Found found ? Optional.of(found.value()) : Optional.empty();
    }

    /** Why there is no value, where the derivation failed; in upstream's words. */
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
