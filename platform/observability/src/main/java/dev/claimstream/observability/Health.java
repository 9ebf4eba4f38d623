package dev.claimstream.observability;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** What the parts of a process say about themselves when they are asked. Safe for many threads. */
public final class Health {
    /** How well something works. The worst part speaks for the whole. */
    public enum Status {
        UP,
        /** It works, or will again by itself, but not as well as it should. */
        DEGRADED,
        /** It does not work now. */
        DOWN
    }

    /**
     * What one part says.
     *
     * @param sentence for a person: what is, with numbers
     * @param isOver whether it will not come back in this process
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

        /** It has ended for good: the process had better be started again. */
        public static Condition over(String sentence) {
            return new Condition(Status.DOWN, sentence, true);
        }
    }

    /** A part and what it says. */
    public record Part(String name, Condition condition) {}

    /** All parts, by name. */
    public record Report(List<Part> parts) {
        public Report {
            parts = parts.stream().sorted(Comparator.comparing(Part::name)).toList();
        }

        /** The worst of all parts; down where no part says anything yet, for then nothing has begun. */
        public Status status() {
            return parts.stream()
                    .map(part -> part.condition().status())
                    .max(Comparator.naturalOrder())
                    .orElse(Status.DOWN);
        }

        /** Whether everything is there to work: no part is down. */
        public boolean isReady() {
            return status() != Status.DOWN;
        }

        /** Whether the process can still become ready by itself. */
        public boolean isLive() {
            return parts.stream().noneMatch(part -> part.condition().isOver());
        }

        /** As JSON: {@code {"status":"up","parts":{"broker":{"status":"up","sentence":"…"}}}}. */
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

    /** Adds a part; it is asked on the thread of whoever wants a report, and must answer at once. */
    public void watch(String part, Supplier<Condition> condition) {
        asked.add(new Asked(part, condition));
    }

    /** What every part says now. */
    public Report report() {
        List<Part> parts = new ArrayList<>();
        asked.forEach(each -> parts.add(each.now()));
        return new Report(parts);
    }
}
