package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.kubernetes.EventRecorder;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.streams.ExplanationDispatcher;
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
final class EventReporter implements ExplanationDispatcher.ExplanationListener {
    private static final Logger LOG = LoggerFactory.getLogger(EventReporter.class);
    private static final long INTERVAL_MS = 500;

    private final EventSchedule schedule = new EventSchedule();
    private final InstantSource clock = InstantSource.system();
    private final Optional<ScheduledExecutorService> publisher;

    EventReporter(Optional<EventRecorder> cluster) {
        publisher = cluster.map(this::startPublisher);
    }

    private ScheduledExecutorService startPublisher(EventRecorder cluster) {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("notes").factory());
        var unused = executor.scheduleWithFixedDelay(
                () -> publishDue(cluster), INTERVAL_MS, INTERVAL_MS, TimeUnit.MILLISECONDS);
        return executor;
    }

    /** Publishes the due Events. An unexpected exception is logged and does not stop later Events. */
    private void publishDue(EventRecorder cluster) {
        try {
            schedule.publishDue(cluster, clock.instant());
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("an Event cannot be published");
        }
    }

    /** Whether Events are published at all. */
    boolean isEnabled() {
        return publisher.isPresent();
    }

    /** Starts a restore: all explanations come again, and no Event is published before {@link #completeRestore}. */
    @Override
    public void beginRestore() {
        schedule.begin();
    }

    /** Ends a restore: all explanations have come. */
    @Override
    public void completeRestore() {
        schedule.completeRestore();
    }

    @Override
    public void onExplanation(String id, Instant since, Explanation explanation) {
        schedule.onExplanation(id, since, explanation, clock.instant());
    }

    /** Records that a decision failed and will be retried. */
    void onRetry(Decision decision, CommitResult outcome) {
        if (isEnabled()) {
            schedule.onRetry(decision, outcome, clock.instant());
        }
    }

    /** Records that a decision is committed or dropped. */
    void onEnd(Decision decision) {
        schedule.onEnd(decision);
    }

    @Override
    public void onItemDeleted(ItemId item) {
        schedule.onItemDeleted(item);
    }

    @Override
    public void onAlarm(String key, Instant since, Alarm alarm) {
        schedule.onAlarm(key, since, alarm, clock.instant());
    }

    @Override
    public void onAlarmCleared(String key) {
        schedule.onAlarmCleared(key, clock.instant());
    }

    @PreDestroy
    void stop() {
        publisher.ifPresent(ScheduledExecutorService::shutdownNow);
    }
}
