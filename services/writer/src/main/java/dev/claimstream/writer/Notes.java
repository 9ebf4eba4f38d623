package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.kubernetes.WaitNotes;
import dev.claimstream.writer.Commits.Outcome;
import dev.claimstream.writer.streams.Explained;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the users of the cluster why something waits, where the cluster takes such notes. */
@Singleton
final class Notes implements Explained.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Notes.class);
    private static final long LOOK_EVERY_MS = 500;

    private final Waiting waiting = new Waiting();
    private final InstantSource clock = InstantSource.system();
    private final Optional<ScheduledExecutorService> looking;

    Notes(Optional<WaitNotes> cluster) {
        looking = cluster.map(this::look);
    }

    private ScheduledExecutorService look(WaitNotes cluster) {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("notes").factory());
        var unused = executor.scheduleWithFixedDelay(
                () -> tell(cluster), LOOK_EVERY_MS, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
        return executor;
    }

    /** One that cannot be told for a reason that nobody thought of does not silence the others. */
    private void tell(WaitNotes cluster) {
        try {
            waiting.tell(cluster, clock.instant());
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a note cannot be told");
        }
    }

    /** Whether anybody is told. */
    boolean areTaken() {
        return looking.isPresent();
    }

    /** All that is explained comes again, and nobody is told before it is through. */
    void begin() {
        waiting.begin();
    }

    /** All that was explained has come. */
    void go() {
        waiting.go();
    }

    @Override
    public void see(String id, Instant since, Explanation explanation) {
        waiting.see(id, since, explanation, clock.instant());
    }

    /** What was decided has to be tried again. */
    void failed(Decision decision, Outcome outcome) {
        if (areTaken()) {
            waiting.failed(decision, outcome, clock.instant());
        }
    }

    /** What was decided is carried out, or will not be. */
    void ended(Decision decision) {
        waiting.ended(decision);
    }

    @Override
    public void gone(ItemId item) {
        waiting.gone(item);
    }

    @Override
    public void alarmed(String key, Instant since, Alarm alarm) {
        waiting.alarmed(key, since, alarm, clock.instant());
    }

    @Override
    public void alarmOver(String key) {
        waiting.alarmOver(key, clock.instant());
    }

    @PreDestroy
    void stop() {
        looking.ifPresent(ScheduledExecutorService::shutdownNow);
    }
}
