package dev.claimstream.allocator.streams;

import dev.claimstream.observability.Meters;
import dev.claimstream.observability.Traces;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.selectors.CelSelectors;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;

/** A log that is intact, for a cell without continuity errors. */
final class IntactCellLog implements CellLog {
    static TaskEnvironment environment(long snapshotEvery) {
        return environment(snapshotEvery, "engine");
    }

    static TaskEnvironment environment(long snapshotEvery, String engine) {
        return new TaskEnvironment(
                1,
                new CelSelectors(),
                new IntactCellLog(),
                engine,
                StateFormat.CURRENT,
                snapshotEvery,
                new CellMeters(new Meters(), Traces.off(new Meters()), false, Duration.ZERO),
                new Watchdog(new MemoryAttemptLog(), new Meters(), InstantSource.system(), System::nanoTime),
                InstantSource.system());
    }

    @Override
    public LogPosition position(TopicPartition log) {
        return new LogPosition("log", 0, Long.MAX_VALUE, OptionalLong.empty());
    }

    @Override
    public boolean hasInputs(TopicPartition log, long from, long to) {
        return false;
    }

    @Override
    public boolean isRebuild(TopicPartition log, long offset) {
        return false;
    }

    /** Reports a ledger whose events have all expired. */
    @Override
    public PublicationStatus publicationStatus(TopicPartition ledger, Predicate<DecisionRecord> isPublished) {
        return new PublicationStatus(1, Optional.empty(), Optional.empty());
    }
}
