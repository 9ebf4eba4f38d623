package dev.claimstream.kafka.registry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;

/** Allowed changes of a subject's schema. Names and meanings are Confluent's. */
public enum CompatibilityLevel {
    NONE(false, false, false),
    /** The new schema can read values of the last schema. */
    BACKWARD(true, false, false),
    /** The new schema can read values of all earlier schemas. */
    BACKWARD_TRANSITIVE(true, false, true),
    /** The last schema can read values of the new schema. */
    FORWARD(false, true, false),
    /** All earlier schemas can read values of the new schema. */
    FORWARD_TRANSITIVE(false, true, true),
    /** Backward and forward, with the last schema. */
    FULL(true, true, false),
    /** Backward and forward, with all earlier schemas: producers and consumers of all versions can be mixed. */
    FULL_TRANSITIVE(true, true, true);

    private final boolean backward;
    private final boolean forward;
    private final boolean transitive;

    CompatibilityLevel(boolean backward, boolean forward, boolean transitive) {
        this.backward = backward;
        this.forward = forward;
        this.transitive = transitive;
    }

    public static Optional<CompatibilityLevel> parse(String name) {
        return Arrays.stream(values())
                .filter(level -> level.name().equals(name))
                .findFirst();
    }

    /**
     * Checks a schema against the existing schemas.
     *
     * @param existing the subject's schemas, oldest first
     * @return one line per incompatibility, with its location; empty if the change is allowed
     */
    public List<String> objections(Schema proposed, List<Schema> existing) {
        int first = transitive ? 0 : Math.max(0, existing.size() - 1);
        List<String> found = new ArrayList<>();
        for (int i = first; i < existing.size(); i++) {
            String version = "version " + (i + 1);
            if (backward) {
                incompatibilities(proposed, existing.get(i), "reading " + version)
                        .forEach(found::add);
            }
            if (forward) {
                incompatibilities(existing.get(i), proposed, "read by " + version)
                        .forEach(found::add);
            }
        }
        return found;
    }

    private static Stream<String> incompatibilities(Schema reader, Schema writer, String direction) {
        return SchemaCompatibility.checkReaderWriterCompatibility(reader, writer)
                .getResult()
                .getIncompatibilities()
                .stream()
                .map(each ->
                        "%s: %s at %s: %s".formatted(direction, each.getType(), each.getLocation(), each.getMessage()));
    }
}
