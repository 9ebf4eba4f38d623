package dev.claimstream.kafka.contracts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.avro.Schema;

/** All records of some schemas by name, and where each of them is used. */
final class RecordCatalog {
    private final SortedMap<String, Schema> records = new TreeMap<>();
    private final SortedMap<String, SortedSet<String>> users = new TreeMap<>();

    RecordCatalog(Collection<Schema> roots) {
        roots.forEach(this::collect);
    }

    /** The records, ordered by name. */
    Collection<Schema> all() {
        return Collections.unmodifiableCollection(records.values());
    }

    /** Names of the records with a field of this record. */
    List<String> usersOf(String name) {
        return List.copyOf(users.getOrDefault(name, Collections.emptySortedSet()));
    }

    private void collect(Schema schema) {
        if (records.putIfAbsent(schema.getName(), schema) != null) {
            return;
        }
        for (Schema.Field field : schema.getFields()) {
            for (Schema nested : recordsIn(field.schema())) {
                users.computeIfAbsent(nested.getName(), name -> new TreeSet<>()).add(schema.getName());
                collect(nested);
            }
        }
    }

    private static List<Schema> recordsIn(Schema schema) {
        return switch (schema.getType()) {
            case RECORD -> List.of(schema);
            case ARRAY -> recordsIn(schema.getElementType());
            case MAP -> recordsIn(schema.getValueType());
            case UNION -> {
                List<Schema> all = new ArrayList<>();
                schema.getTypes().forEach(branch -> all.addAll(recordsIn(branch)));
                yield all;
            }
            default -> List.of();
        };
    }
}
