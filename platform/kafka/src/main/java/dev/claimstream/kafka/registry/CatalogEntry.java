package dev.claimstream.kafka.registry;

import java.util.Optional;

/** A change of a catalog of schemas: all of them in order make it again. */
sealed interface CatalogEntry {
    /** A schema got a version under a subject. */
    record Registered(String subject, int version, int id, String schema) implements CatalogEntry {}

    /** A compatibility level was set, for one subject or for all that have none. */
    record LevelSet(Optional<String> subject, CompatibilityLevel level) implements CatalogEntry {}
}
