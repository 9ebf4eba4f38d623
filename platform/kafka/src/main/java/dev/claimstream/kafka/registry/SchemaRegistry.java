package dev.claimstream.kafka.registry;

import org.apache.avro.Schema;

/** Gives every schema an id that stays. Implementations are safe for many threads. */
public interface SchemaRegistry {
    /**
     * The id of this schema, under this subject from now on. Safe to repeat: a schema that is there keeps its id, and one schema has
     * one id under all subjects.
     *
     * @throws RegistryException if the subject's other versions do not allow it ({@code INCOMPATIBLE}), or nothing answers
     */
    int register(String subject, Schema schema);

    /**
     * The schema with this id.
     *
     * @throws RegistryException if there is none ({@code UNKNOWN_ID}), or nothing answers
     */
    Schema byId(int id);

    /** A registry of this process that forgets everything with it. */
    static SchemaRegistry inMemory() {
        return new SchemaCatalog(entry -> {});
    }
}
