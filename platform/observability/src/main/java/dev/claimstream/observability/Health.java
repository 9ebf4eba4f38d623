package dev.claimstream.observability;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** The health of a process, composed of its parts. Safe for many threads. */
public final class Health {
    /** The status of a part, from best to worst. The worst part determines the status of the process. */
    public enum Status {
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
     * @param isOver whether the part cannot recover in this process
     */
    public record Condition(Status status, String sentence, boolean isOver) {
        public static Condition up(String sentence) {
            return new Condition(Status.UP, sentence, false);
        }

        public static Condition degraded(String sentence) {
            return new Condition(Status.DEGRADED, sentence, false);
        }

        public static Condition down(String sentence) {
            return new Condition(Status.DOWN, sentence, false);
        }

        /** Down for good: the process should be restarted. */
        public static Condition over(String sentence) {
            return new Condition(Status.DOWN, sentence, true);
        }
    }

    /** A part and its condition. */
    public record Part(String name, Condition condition) {}

    /** All parts, ordered by name. */
    public record Report(List<Part> parts) {
        public Report {
            parts = parts.stream().sorted(Comparator.comparing(Part::name)).toList();
        }

        /** The worst status; down if there is no part yet, because the process has not started. */
        public Status status() {
            return parts.stream()
                    .map(part -> part.condition().status())
                    .max(Comparator.naturalOrder())
                    .orElse(Status.DOWN);
        }

        /** Whether the process is ready: no part is down. */
        public boolean isReady() {
            return status() != Status.DOWN;
        }

        /** Whether the process can still become ready without a restart. */
        public boolean isLive() {
            return parts.stream().noneMatch(part -> part.condition().isOver());
        }

        /** JSON: {@code {"status":"up","parts":{"broker":{"status":"up","sentence":"…"}}}}. */
        public String json() {
            var json = new StringBuilder("{\"status\":")
                    .append(Json.text(status().name().toLowerCase(java.util.Locale.ROOT)));
            json.append(",\"parts\":{");
            for (int i = 0; i < parts.size(); i++) {
                Part part = parts.get(i);
                json.append(i == 0 ? "" : ",")
                        .append(Json.text(part.name()))
                        .append(":{\"status\":")
                        .append(Json.text(part.condition().status().name().toLowerCase(java.util.Locale.ROOT)))
                        .append(",\"sentence\":")
                        .append(Json.text(part.condition().sentence()))
                        .append('}');
            }
            return json.append("}}").toString();
        }
    }

    private record Asked(String name, Supplier<Condition> condition) {
        Part now() {
            try {
                return new Part(name, condition.get());
            } catch (RuntimeException e) {
                return new Part(name, Condition.down("cannot be asked: " + e.getMessage()));
            }
        }
    }

    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    /** Adds a part. Its condition is read on the thread that wants a report, so it must not block. */
    public void watch(String part, Supplier<Condition> condition) {
        asked.add(new Asked(part, condition));
    }

    /** Reads the conditions of all parts. */
    public Report report() {
        List<Part> parts = new ArrayList<>();
        asked.forEach(each -> parts.add(each.now()));
        return new Report(parts);
    }
}
