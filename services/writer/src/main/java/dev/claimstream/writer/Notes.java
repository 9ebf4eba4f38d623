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

/**
 * Reports as Kubernetes Events why pods and claims are pending, if the cluster supports Events.
 *
 * <p>A thread of its own publishes the due Events. Safe for use by several threads.
 */
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

    /** Publishes the due Events. An unexpected exception is logged and does not stop later Events. */
    private void tell(WaitNotes cluster) {
        try {
            waiting.tell(cluster, clock.instant());
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a note cannot be told");
        }
    }

    /** Whether Events are published at all. */
    boolean areTaken() {
        return looking.isPresent();
    }

    /** Starts a restore: all explanations come again, and no Event is published before {@link #go}. */
    void begin() {
        waiting.begin();
    }

    /** Ends a restore: all explanations have come. */
    void go() {
        waiting.go();
    }

    @Override
    public void see(String id, Instant since, Explanation explanation) {
        waiting.see(id, since, explanation, clock.instant());
    }

    /** Records that a decision failed and will be retried. */
    void failed(Decision decision, Outcome outcome) {
        if (areTaken()) {
            waiting.failed(decision, outcome, clock.instant());
        }
    }

    /** Records that a decision is committed or dropped. */
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
