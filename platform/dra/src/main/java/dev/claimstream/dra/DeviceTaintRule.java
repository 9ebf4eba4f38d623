package dev.claimstream.dra;

import java.util.Optional;

/**
 * Adds one taint to every device that the selector names.
 *
 * @param selector absent: no device; present with nothing in it: every device
 */
public record DeviceTaintRule(ObjectMeta meta, Optional<Selector> selector, Taint taint) implements ClusterObject {
    @Override
    public Kind kind() {
        return Kind.DEVICE_TAINT_RULE;
    }

    /** Whether the taint falls on this device. */
    public boolean selects(DeviceId device) {
        return selector.isPresent()
                && selector.get().driver().map(device.driver()::equals).orElse(true)
                && selector.get().pool().map(device.pool()::equals).orElse(true)
                && selector.get().device().map(device.device()::equals).orElse(true);
    }

    /** Names that must all be equal where they are given. */
    public record Selector(Optional<String> driver, Optional<String> pool, Optional<String> device) {}
}
