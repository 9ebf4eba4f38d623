package dev.claimstream.agent.devices;

import dev.claimstream.dra.Taint;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Derives device taints from health readings. Time is a parameter. Not thread-safe.
 *
 * <p>An unhealthy device becomes healthy after healthy readings only, for the recovery time. Unknown readings change
 * nothing.
 */
public final class DeviceHealth {
    private final Duration recovery;
    private final String effect;
    private final Map<PciAddress, Map<HealthSignal, HealthFault>> faults = new HashMap<>();

    /** Source of a reading; each has its own taint key. */
    public enum HealthSignal {
        /** The PCI configuration space of the device. */
        UNREACHABLE,
        /** The health metrics of an exporter. */
        UNHEALTHY;

        private String taintKey() {
            return Accelerator.DOMAIN
                    + switch (this) {
                        case UNREACHABLE -> "/unreachable";
                        case UNHEALTHY -> "/unhealthy";
                    };
        }
    }

    /** The report of one source about a device at one time. */
    public sealed interface HealthReading {
        /** The device works. */
        record Healthy() implements HealthReading {}

        /** The device must not be used. The cause becomes the value of the taint. */
        record Unhealthy(String cause) implements HealthReading {}

        /** The state of the device is unknown. */
        record Unknown() implements HealthReading {}
    }

    private record HealthFault(String cause, Instant since, Optional<Instant> healthySince) {}

    /**
     * @param recovery time of healthy readings after which a taint ends
     * @param effect effect of the taints: NoSchedule, NoExecute or None
     */
    public DeviceHealth(Duration recovery, String effect) {
        this.recovery = recovery;
        this.effect = effect;
    }

    /** Applies a reading of a device. */
    public void observe(PciAddress device, HealthSignal sign, HealthReading reading, Instant now) {
        Map<HealthSignal, HealthFault> signs = faults.computeIfAbsent(device, key -> new EnumMap<>(HealthSignal.class));
        Optional<HealthFault> before = Optional.ofNullable(signs.get(sign));
        nextFault(before, reading, now).ifPresentOrElse(fault -> signs.put(sign, fault), () -> signs.remove(sign));
    }

    private Optional<HealthFault> nextFault(Optional<HealthFault> before, HealthReading reading, Instant now) {
        return switch (reading) {
            case HealthReading.Unknown() -> before;
            case HealthReading.Unhealthy(String cause) ->
                Optional.of(before.filter(known -> known.cause().equals(cause))
                        .map(known -> new HealthFault(cause, known.since(), Optional.empty()))
                        .orElseGet(() -> new HealthFault(cause, now, Optional.empty())));
            case HealthReading.Healthy() -> before.flatMap(known -> recovering(known, now));
        };
    }

    private Optional<HealthFault> recovering(HealthFault fault, Instant now) {
        Instant wellSince = fault.healthySince().orElse(now);
        return Duration.between(wellSince, now).compareTo(recovery) >= 0
                ? Optional.empty()
                : Optional.of(new HealthFault(fault.cause(), fault.since(), Optional.of(wellSince)));
    }

    public List<Taint> taints(PciAddress device) {
        return faults.getOrDefault(device, Map.of()).entrySet().stream()
                .map(each -> new Taint(
                        each.getKey().taintKey(),
                        each.getValue().cause(),
                        effect,
                        Optional.of(each.getValue().since())))
                .toList();
    }

    /** Forgets all other devices; a device that returns starts without taints. */
    public void retainOnly(Set<PciAddress> devices) {
        faults.keySet().retainAll(devices);
    }
}
