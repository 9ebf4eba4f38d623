package dev.claimstream.watcher;

import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.observability.Health;
import dev.claimstream.process.ServiceProcess;
import dev.claimstream.watcher.streams.PublishException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes a listing and retries with backoff until the broker acknowledges it. Safe for use by several threads. */
final class SnapshotJob implements ServiceProcess.ServiceHandle {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotJob.class);

    private final SnapshotPublisher publisher;
    private final RetryPolicy backoff = RetryPolicy.withJitter(Duration.ofSeconds(1), Duration.ofSeconds(10));
    private final CountDownLatch published = new CountDownLatch(1);
    private volatile Optional<String> problem = Optional.empty();

    /** Starts a daemon thread that publishes. */
    SnapshotJob(SnapshotPublisher publisher) {
        this.publisher = publisher;
        Thread.ofPlatform().daemon().name("show").start(this::publish);
    }

    private void publish() {
        try {
            while (!isDone()) {
                try {
                    publisher.publish();
                    published.countDown();
                } catch (PublishException e) {
                    problem = Optional.of(String.valueOf(e.getMessage()));
                    LOG.atWarn().addKeyValue("why", e.getMessage()).log("files not published yet; retrying");
                    var unused = published.await(backoff.next().toMillis(), TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The state for the health check. */
    Health.Condition condition() {
        return isDone()
                ? Health.Condition.up("files published")
                : publisher
                        .disconnectReason()
                        .or(() -> problem)
                        .map(reason -> Health.Condition.down("files not published yet, retrying: " + reason))
                        .orElseGet(() -> Health.Condition.down("publishing files"));
    }

    @Override
    public Optional<String> failure() {
        return Optional.empty();
    }

    @Override
    public boolean isDone() {
        return published.getCount() == 0;
    }
}
