package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ObjectMeta;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Creates the metadata that an API server assigns to a new object.
 *
 * @param clock for creation timestamps
 * @param uids new uids
 */
record MetadataFactory(InstantSource clock, Supplier<String> uids) {
    static final MetadataFactory SYSTEM =
            new MetadataFactory(InstantSource.system(), () -> UUID.randomUUID().toString());

    /** Assigns uid, creation timestamp and sequence number; clears the deletion timestamp. */
    ObjectMeta newMetadata(ObjectMeta meta, long sequence) {
        return meta.toBuilder()
                .uid(uids.get())
                .sequence(sequence)
                .deleting(false)
                .build()
                .withCreated(clock.instant().truncatedTo(ChronoUnit.SECONDS));
    }

    /** Returns a pseudo-random number for a generated name. */
    int randomNumber() {
        return uids.get().hashCode();
    }
}
