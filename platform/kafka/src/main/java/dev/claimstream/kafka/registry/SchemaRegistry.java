package dev.claimstream.kafka.registry;

import org.apache.avro.Schema;

/** Assigns each schema a permanent id. Implementations are safe for many threads. */
public interface SchemaRegistry {
    /**
     * Registers a schema under a subject and returns its id. Idempotent; a schema has the same id under all subjects.
     *
     * @throws RegistryException if the schema is incompatible with the subject's versions ({@code INCOMPATIBLE}), or the registry does not
     *     respond
     */
    int register(String subject, Schema schema);

    /**
     * The schema with this id.
     *
     * @throws RegistryException if there is none ({@code UNKNOWN_ID}), or the registry does not respond
     */
    Schema byId(int id);

    /** A registry in memory, without persistence. */
    static SchemaRegistry inMemory() {
        return new SchemaCatalog(entry -> {});
    }
}
