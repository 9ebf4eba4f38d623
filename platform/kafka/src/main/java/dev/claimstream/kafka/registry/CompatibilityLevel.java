package dev.claimstream.kafka.registry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;

/** Which changes of a subject's schema are allowed; names and meanings are Confluent's. */
public enum CompatibilityLevel {
    NONE(false, false, false),
    /** The new schema reads what the last one wrote. */
    BACKWARD(true, false, false),
    /** The new schema reads what any one wrote. */
    BACKWARD_TRANSITIVE(true, false, true),
    /** The last schema reads what the new one writes. */
    FORWARD(false, true, false),
    /** Every schema reads what the new one writes. */
    FORWARD_TRANSITIVE(false, true, true),
    /** Both, for the last schema. */
    FULL(true, true, false),
    /** Both, for every schema: readers and writers of all versions mix in any order. */
    FULL_TRANSITIVE(true, true, true);

    private final boolean backward;
    private final boolean forward;
    private final boolean transitive;

    CompatibilityLevel(boolean backward, boolean forward, boolean transitive) {
        this.backward = backward;
        this.forward = forward;
        this.transitive = transitive;
    }

    /** The level of this name. */
    public static Optional<CompatibilityLevel> named(String name) {
        return Arrays.stream(values())
                .filter(level -> level.name().equals(name))
                .findFirst();
    }

    /**
     * What this level has against a schema after these.
     *
     * @param existing the subject's schemas, oldest first
     * @return one line per difference, with its place; empty: it is allowed
     */
    public List<String> objections(Schema proposed, List<Schema> existing) {
        int first = transitive ? 0 : Math.max(0, existing.size() - 1);
        List<String> found = new ArrayList<>();
        for (int i = first; i < existing.size(); i++) {
            String version = "version " + (i + 1);
            if (backward) {
                reading(proposed, existing.get(i), "reading " + version).forEach(found::add);
            }
            if (forward) {
                reading(existing.get(i), proposed, "read by " + version).forEach(found::add);
            }
        }
        return found;
    }

    private static Stream<String> reading(Schema reader, Schema writer, String direction) {
        return SchemaCompatibility.checkReaderWriterCompatibility(reader, writer)
                .getResult()
                .getIncompatibilities()
                .stream()
                .map(each ->
                        "%s: %s at %s: %s".formatted(direction, each.getType(), each.getLocation(), each.getMessage()));
    }
}
