package dev.claimstream.kafka.registry;

import java.util.Optional;

/** A change of the schema catalog. Replaying all changes in order restores the catalog. */
sealed interface CatalogEntry {
    /** A schema became a version of a subject. */
    record SchemaRegistration(String subject, int version, int id, String schema) implements CatalogEntry {}

    /** The compatibility level of a subject was set, or the default level if there is no subject. */
    record LevelChange(Optional<String> subject, CompatibilityLevel level) implements CatalogEntry {}
}
