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
 * Turns what is seen of a device into taints. A device that was ill is well when it was seen well, and never ill, for a while; not to know
 * changes nothing. Time is a parameter.
 */
public final class Health {
    private final Duration recovery;
    private final String effect;
    private final Map<PciAddress, Map<Sign, Illness>> ill = new HashMap<>();

    /** What is looked at. */
    public enum Sign {
        /** Whether the device answers on its bus. */
        UNREACHABLE,
        /** What an exporter says of it. */
        UNHEALTHY;

        private String taintKey() {
            return Accelerator.DOMAIN
                    + switch (this) {
                        case UNREACHABLE -> "/unreachable";
                        case UNHEALTHY -> "/unhealthy";
                    };
        }
    }

    /** What was seen. */
    public sealed interface Seen {
        /** As it should be. */
        record Well() implements Seen {}

        /** Not to be used; the cause is a part of a label value. */
        record Ill(String cause) implements Seen {}

        /** Nothing was seen. */
        record Nothing() implements Seen {}
    }

    private record Illness(String cause, Instant since, Optional<Instant> wellSince) {}

    /**
     * @param recovery how long a device must be seen well
     * @param effect of the taints: NoSchedule, NoExecute or None
     */
    public Health(Duration recovery, String effect) {
        this.recovery = recovery;
        this.effect = effect;
    }

    /** Takes note of what was seen of a device. */
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

    /** The taints of a device now. */
    public List<Taint> taints(PciAddress device) {
        return ill.getOrDefault(device, Map.of()).entrySet().stream()
                .map(each -> new Taint(
                        each.getKey().taintKey(),
                        each.getValue().cause(),
                        effect,
                        Optional.of(each.getValue().since())))
                .toList();
    }

    /** Forgets the devices that are not there any more: one that comes back starts anew. */
    public void keep(Set<PciAddress> devices) {
        ill.keySet().retainAll(devices);
    }
}
