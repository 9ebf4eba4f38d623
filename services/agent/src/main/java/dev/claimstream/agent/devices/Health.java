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
public final class Health {
    private final Duration recovery;
    private final String effect;
    private final Map<PciAddress, Map<Sign, Illness>> ill = new HashMap<>();

    /** Source of a reading; each has its own taint key. */
    public enum Sign {
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

    /** A health reading. */
    public sealed interface Seen {
        /** The device works. */
        record Well() implements Seen {}

        /** The device must not be used. The cause becomes the value of the taint. */
        record Ill(String cause) implements Seen {}

        /** The state of the device is unknown. */
        record Nothing() implements Seen {}
    }

    private record Illness(String cause, Instant since, Optional<Instant> wellSince) {}

    /**
     * @param recovery time of healthy readings after which a taint ends
     * @param effect effect of the taints: NoSchedule, NoExecute or None
     */
    public Health(Duration recovery, String effect) {
        this.recovery = recovery;
        this.effect = effect;
    }

    /** Applies a reading of a device. */
    public void see(PciAddress device, Sign sign, Seen seen, Instant now) {
        Map<Sign, Illness> signs = ill.computeIfAbsent(device, key -> new EnumMap<>(Sign.class));
        Optional<Illness> before = Optional.ofNullable(signs.get(sign));
        after(before, seen, now).ifPresentOrElse(illness -> signs.put(sign, illness), () -> signs.remove(sign));
    }

    private Optional<Illness> after(Optional<Illness> before, Seen seen, Instant now) {
        return switch (seen) {
            case Seen.Nothing() -> before;
            case Seen.Ill(String cause) ->
                Optional.of(before.filter(known -> known.cause().equals(cause))
                        .map(known -> new Illness(cause, known.since(), Optional.empty()))
                        .orElseGet(() -> new Illness(cause, now, Optional.empty())));
            case Seen.Well() -> before.flatMap(known -> better(known, now));
        };
    }

    private Optional<Illness> better(Illness illness, Instant now) {
        Instant wellSince = illness.wellSince().orElse(now);
        return Duration.between(wellSince, now).compareTo(recovery) >= 0
                ? Optional.empty()
                : Optional.of(new Illness(illness.cause(), illness.since(), Optional.of(wellSince)));
    }

    /** Returns the current taints of a device. */
    public List<Taint> taints(PciAddress device) {
        return ill.getOrDefault(device, Map.of()).entrySet().stream()
                .map(each -> new Taint(
                        each.getKey().taintKey(),
                        each.getValue().cause(),
                        effect,
                        Optional.of(each.getValue().since())))
                .toList();
    }

    /** Forgets all other devices; a device that returns starts without taints. */
    public void keep(Set<PciAddress> devices) {
        ill.keySet().retainAll(devices);
    }
}
