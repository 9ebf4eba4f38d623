package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import dev.claimstream.kafka.registry.SchemaRegistry;
import org.apache.avro.Schema;

/** The schemas of a log as a registry that accepts no schema. Every schema that is registered has the id 0. */
record LogSchemas(AuditLog log) implements SchemaRegistry {
    @Override
    public int register(String subject, Schema schema) {
        return 0;
    }

    @Override
    public Schema byId(int id) {
        return log.schema(id)
                .orElseThrow(() -> new RegistryException(
                        RegistryErrorCode.UNKNOWN_ID, "%s has no schema %d".formatted(log.location(), id), null));
    }
}
