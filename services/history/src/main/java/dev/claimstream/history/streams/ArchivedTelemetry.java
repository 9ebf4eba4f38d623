package dev.claimstream.history.streams;

import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.streams.TelemetryArchive;
import dev.claimstream.audit.streams.TelemetryHour;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.UtilizationHour;
import dev.claimstream.kafka.Topics;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Adds the archived hours of utilization to a store before it reads {@code telemetry.v1}. */
public final class ArchivedTelemetry {
    /** The name under which the store has the time up to which archived hours were added, in microseconds since 1970. */
    private static final String POSITION = "telemetry-archive";

    private static final int FLUSH_EVERY = 200_000;

    private final HistoryStore store;
    private final Consumer<String> warnings;
    private Optional<Instant> present = Optional.empty();
    private long unflushed;

    /** @param warnings receives a line about an hour that is left out */
    public ArchivedTelemetry(HistoryStore store, Consumer<String> warnings) {
        this.store = store;
        this.warnings = warnings;
    }

    /** The time after the archived hours that the store has; empty if it has none. */
    static Optional<Instant> end(HistoryStore store) {
        OptionalLong micros = store.position(POSITION, 0);
        return micros.isPresent()
                ? Optional.of(Instant.EPOCH.plus(micros.getAsLong(), ChronoUnit.MICROS))
                : Optional.empty();
    }

    /**
     * Adds the hours that the store does not have. They are stored by the next flush.
     *
     * @throws AuditException if the archive cannot be read
     */
    public void add(ArchiveStore archive) {
        if (store.position(Topics.TELEMETRY, 0).isEmpty()) {
            TelemetryArchive.forEach(archive, end(store).orElse(Instant.EPOCH), this::add, warnings);
            keep();
        }
    }

    private void add(TelemetryHour hour) {
        if (present.filter(hour.hour()::equals).isEmpty()) {
            keep();
            present = Optional.of(hour.hour());
        }
        hour.utilizationMean()
                .ifPresent(mean -> store.add(new UtilizationHour(
                        hour.device().driver(),
                        hour.device().pool(),
                        hour.device().device(),
                        EventReader.micros(hour.hour()),
                        hour.samples(),
                        mean * hour.samples())));
        unflushed++;
    }

    /** Ends an hour. A restart continues after the last hour that was flushed. */
    private void keep() {
        present.ifPresent(hour -> store.position(POSITION, 0, EventReader.micros(hour.plus(1, ChronoUnit.HOURS))));
        if (unflushed >= FLUSH_EVERY) {
            store.flush();
            unflushed = 0;
        }
    }
}
