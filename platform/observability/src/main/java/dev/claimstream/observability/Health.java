package dev.claimstream.observability;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** The health of a process, composed of its parts. Safe for many threads. */
public final class Health {
    private static final String VERSION = Optional.ofNullable(
                    Health.class.getPackage().getImplementationVersion())
            .orElse("unpacked");

    /** The status of a part, from best to worst. The worst part determines the status of the process. */
    public enum HealthStatus {
        UP,
        /** It works with limitations, or recovers by itself. */
        DEGRADED,
        /** It does not work now. */
        DOWN
    }

    /**
     * The condition of one part.
     *
     * @param sentence description for people, with numbers
     * @param isTerminal whether the part cannot recover in this process
     */
    public record Condition(HealthStatus status, String sentence, boolean isTerminal) {
        public static Condition up(String sentence) {
            return new Condition(HealthStatus.UP, sentence, false);
        }

        public static Condition degraded(String sentence) {
            return new Condition(HealthStatus.DEGRADED, sentence, false);
        }

        public static Condition down(String sentence) {
            return new Condition(HealthStatus.DOWN, sentence, false);
        }

        /** Down for good: the process should be restarted. */
        public static Condition terminal(String sentence) {
            return new Condition(HealthStatus.DOWN, sentence, true);
        }
    }

    /** The condition of one part of a process, such as a consumer or a watch. */
    public record HealthComponent(String name, Condition condition) {}

    /** All parts, ordered by name. */
    public record HealthReport(List<HealthComponent> parts) {
        public HealthReport {
            parts = parts.stream()
                    .sorted(Comparator.comparing(HealthComponent::name))
                    .toList();
        }

        /** The worst status; down if there is no part yet, because the process has not started. */
        public HealthStatus status() {
            return parts.stream()
                    .map(part -> part.condition().status())
                    .max(Comparator.naturalOrder())
                    .orElse(HealthStatus.DOWN);
        }

        /** Whether the process is ready: no part is down. */
        public boolean isReady() {
            return status() != HealthStatus.DOWN;
        }

        /** Whether the process can still become ready without a restart. */
        public boolean isLive() {
            return parts.stream().noneMatch(part -> part.condition().isTerminal());
        }

        /** JSON: {@code {"status":"up","parts":{"broker":{"status":"up","sentence":"…"}},"version":"1.0.0"}}. */
        public String json() {
            var json = new StringBuilder("{\"status\":")
                    .append(Json.text(status().name().toLowerCase(java.util.Locale.ROOT)));
            json.append(",\"parts\":{");
            for (int i = 0; i < parts.size(); i++) {
                HealthComponent part = parts.get(i);
                json.append(i == 0 ? "" : ",")
                        .append(Json.text(part.name()))
                        .append(":{\"status\":")
                        .append(Json.text(part.condition().status().name().toLowerCase(java.util.Locale.ROOT)))
                        .append(",\"sentence\":")
                        .append(Json.text(part.condition().sentence()))
                        .append('}');
            }
            return json.append("},\"version\":")
                    .append(Json.text(VERSION))
                    .append('}')
                    .toString();
        }
    }

    private record HealthIndicator(String name, Supplier<Condition> condition) {
        HealthComponent check() {
            try {
                return new HealthComponent(name, condition.get());
            } catch (RuntimeException e) {
                return new HealthComponent(name, Condition.down("health cannot be read: " + e.getMessage()));
            }
        }
    }

    private final List<HealthIndicator> indicators = new CopyOnWriteArrayList<>();

    /** Adds a part. Its condition is read on the thread that wants a report, so it must not block. */
    public void register(String part, Supplier<Condition> condition) {
        indicators.add(new HealthIndicator(part, condition));
    }

    /** Reads the conditions of all parts. */
    public HealthReport report() {
        List<HealthComponent> parts = new ArrayList<>();
        indicators.forEach(each -> parts.add(each.check()));
        return new HealthReport(parts);
    }
}
