package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ObjectMeta;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.function.Supplier;

/** What an API server gives to a new object. */
record Births(InstantSource clock, Supplier<String> uids) {
    static final Births REAL =
            new Births(InstantSource.system(), () -> UUID.randomUUID().toString());

    /** With uid, time and place in the order of creation; nobody has asked for its deletion. */
    ObjectMeta born(ObjectMeta meta, long sequence) {
        return new ObjectMeta(
                        meta.namespace(),
                        meta.name(),
                        uids.get(),
                        meta.created(),
                        sequence,
                        meta.labels(),
                        meta.annotations(),
                        meta.controller(),
                        false)
                .withCreated(clock.instant().truncatedTo(ChronoUnit.SECONDS));
    }

    /** Some number, for a name that nobody has. */
    int chance() {
        return uids.get().hashCode();
    }
}
