package dev.claimstream.kafka.registry;

import dev.claimstream.kafka.registry.CatalogEntry.LevelChange;
import dev.claimstream.kafka.registry.CatalogEntry.SchemaRegistration;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.avro.Schema;

/**
 * Stores subjects, versions and schema ids in memory. Safe for many threads.
 *
 * <p>A change is written to the journal before it applies, so that replaying the journal gives the same catalog. Two schemas are equal if
 * their text is, in Avro's format.
 */
final class SchemaCatalog implements SchemaRegistry {
    private final Consumer<CatalogEntry> journal;
    private final SortedMap<Integer, Schema> byId = new TreeMap<>();
    private final Map<String, Integer> idByText = new HashMap<>();
    private final SortedMap<String, List<SchemaVersion>> subjects = new TreeMap<>();
    private final SortedMap<String, CompatibilityLevel> levels = new TreeMap<>();
    // Numbers are not reused if a write to the journal failed, because the journal may still contain the change.
    private final Map<String, Integer> lastVersions = new HashMap<>();
    private int lastId;
    private CompatibilityLevel defaultLevel = CompatibilityLevel.FULL_TRANSITIVE;

    SchemaCatalog(Consumer<CatalogEntry> journal) {
        this.journal = journal;
    }

    /** A version of a subject's schema, counted from 1. */
    record SchemaVersion(String subject, int version, int id, Schema schema) {}

    @Override
    public synchronized int register(String subject, Schema schema) {
        Optional<SchemaVersion> there = find(subject, schema);
        if (there.isPresent()) {
            return there.get().id();
        }
        List<String> objections = objections(subject, schema);
        if (!objections.isEmpty()) {
            throw RegistryException.of(
                    RegistryErrorCode.INCOMPATIBLE,
                    "subject %s (%s) rejects this schema: %s"
                            .formatted(subject, level(subject), String.join("; ", objections)));
        }
        String text = schema.toString();
        Integer known = idByText.get(text);
        int id = known == null ? ++lastId : known;
        change(new SchemaRegistration(subject, lastVersions.merge(subject, 1, Integer::sum), id, text));
        return id;
    }

    /**
     * Registers a schema with a given id, without a check of its compatibility: it was registered with this id before. Idempotent.
     *
     * @throws RegistryException if the id belongs to another schema, or the schema has another id ({@code INCOMPATIBLE})
     */
    synchronized int restore(String subject, Schema schema, int id) {
        String text = schema.toString();
        Schema other = byId.get(id);
        int known = idByText.getOrDefault(text, id);
        if (known != id || (other != null && !other.toString().equals(text))) {
            throw RegistryException.of(
                    RegistryErrorCode.INCOMPATIBLE,
                    "subject %s: id %d belongs to another schema, or this schema has id %d"
                            .formatted(subject, id, known));
        }
        if (find(subject, schema).isEmpty()) {
            change(new SchemaRegistration(subject, lastVersions.merge(subject, 1, Integer::sum), id, text));
        }
        return id;
    }

    @Override
    public synchronized Schema byId(int id) {
        Schema schema = byId.get(id);
        if (schema == null) {
            throw RegistryException.of(RegistryErrorCode.UNKNOWN_ID, "no schema has id %d".formatted(id));
        }
        return schema;
    }

    synchronized List<String> subjects() {
        return List.copyOf(subjects.keySet());
    }

    /** The versions of a subject, oldest first; empty if the subject is unknown. */
    synchronized List<SchemaVersion> versions(String subject) {
        return List.copyOf(subjects.getOrDefault(subject, List.of()));
    }

    synchronized List<SchemaVersion> uses(int id) {
        return subjects.values().stream()
                .flatMap(List::stream)
                .filter(version -> version.id() == id)
                .toList();
    }

    synchronized Optional<SchemaVersion> find(String subject, Schema schema) {
        String text = schema.toString();
        return versions(subject).stream()
                .filter(version -> version.schema().toString().equals(text))
                .findFirst();
    }

    /** Incompatibilities of a schema as the next version of a subject. */
    synchronized List<String> objections(String subject, Schema schema) {
        return objections(subject, schema, versions(subject));
    }

    /** Incompatibilities of a schema with only these versions of a subject. */
    synchronized List<String> objections(String subject, Schema schema, List<SchemaVersion> versions) {
        return level(subject)
                .objections(schema, versions.stream().map(SchemaVersion::schema).toList());
    }

    /** The level that applies to a subject. */
    synchronized CompatibilityLevel level(String subject) {
        return levels.getOrDefault(subject, defaultLevel);
    }

    /** The level of the subject itself. */
    synchronized Optional<CompatibilityLevel> ownLevel(String subject) {
        return Optional.ofNullable(levels.get(subject));
    }

    /** The level of subjects without a level. */
    synchronized CompatibilityLevel defaultLevel() {
        return defaultLevel;
    }

    /** Sets the level of a subject, or the default level. */
    synchronized void setLevel(Optional<String> subject, CompatibilityLevel level) {
        change(new LevelChange(subject, level));
    }

    private void change(CatalogEntry entry) {
        journal.accept(entry);
        apply(entry);
    }

    /** Applies a change that is in the journal. */
    synchronized void apply(CatalogEntry entry) {
        switch (entry) {
            case SchemaRegistration registered -> add(registered);
            case LevelChange(Optional<String> subject, CompatibilityLevel level) ->
                subject.ifPresentOrElse(name -> levels.put(name, level), () -> defaultLevel = level);
        }
    }

    private void add(SchemaRegistration entry) {
        Schema schema = byId.computeIfAbsent(entry.id(), id -> new Schema.Parser().parse(entry.schema()));
        idByText.put(entry.schema(), entry.id());
        lastId = Math.max(lastId, entry.id());
        lastVersions.merge(entry.subject(), entry.version(), Math::max);
        subjects.computeIfAbsent(entry.subject(), name -> new ArrayList<>())
                .add(new SchemaVersion(entry.subject(), entry.version(), entry.id(), schema));
    }
}
