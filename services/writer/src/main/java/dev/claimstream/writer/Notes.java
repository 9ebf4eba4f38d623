package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.kubernetes.WaitNotes;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Tells the users of the cluster why something waits, where the cluster takes such notes. */
@Singleton
final class Notes {
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
                () -> waiting.tell(cluster, clock.instant()), LOOK_EVERY_MS, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
        return executor;
    }

    /** Whether anybody is told. */
    boolean areTaken() {
        return looking.isPresent();
    }

    /** Why an item stands as it does; the id is the same where it comes again. */
    void see(String id, Explanation explanation) {
        waiting.see(id, explanation, clock.instant());
    }

    /** An item is gone. */
    void gone(ItemId item) {
        waiting.gone(item);
    }

    @PreDestroy
    void stop() {
        looking.ifPresent(ScheduledExecutorService::shutdownNow);
    }
}
