package dev.claimstream.dra;

import java.util.Optional;

/**
 * A rule that adds a taint to every selected device.
 *
 * @param selector absent: no device; empty: every device
 */
public record DeviceTaintRule(ObjectMeta meta, Optional<DeviceTaintSelector> selector, Taint taint)
        implements ClusterObject {
    @Override
    public Kind kind() {
        return Kind.DEVICE_TAINT_RULE;
    }

    public boolean selects(DeviceId device) {
        return selector.isPresent()
                && selector.get().driver().map(device.driver()::equals).orElse(true)
                && selector.get().pool().map(device.pool()::equals).orElse(true)
                && selector.get().device().map(device.device()::equals).orElse(true);
    }

    /** Names that a device must have; an absent name matches every device. */
    public record DeviceTaintSelector(Optional<String> driver, Optional<String> pool, Optional<String> device) {}
}
