package dev.claimstream.watcher;

import dev.claimstream.observability.Health;
import dev.claimstream.process.ServiceProcess;
import dev.claimstream.watcher.streams.OutletFault;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes a listing and retries with backoff until the broker acknowledges it. Safe for use by several threads. */
final class Showing implements ServiceProcess.Work {
    private static final Logger LOG = LoggerFactory.getLogger(Showing.class);

    private final Watcher watcher;
    private final Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(10), new SplittableRandom());
    private final CountDownLatch shown = new CountDownLatch(1);
    private volatile Optional<String> trouble = Optional.empty();

    /** Starts a daemon thread that publishes. */
    Showing(Watcher watcher) {
        this.watcher = watcher;
        Thread.ofPlatform().daemon().name("show").start(this::show);
    }

    private void show() {
        try {
            while (!isDone()) {
                try {
                    watcher.show();
                    shown.countDown();
                } catch (OutletFault e) {
                    trouble = Optional.of(String.valueOf(e.getMessage()));
                    LOG.atWarn().addKeyValue("why", e.getMessage()).log("not shown yet, tried again");
                    var unused = shown.await(backoff.next().toMillis(), TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The state for the health check. */
    Health.Condition condition() {
        return isDone()
                ? Health.Condition.up("has shown its files")
                : watcher.cutOff()
                        .or(() -> trouble)
                        .map(why -> Health.Condition.down("has not shown its files yet, trying again: " + why))
                        .orElseGet(() -> Health.Condition.down("shows its files"));
    }

    @Override
    public Optional<String> failure() {
        return Optional.empty();
    }

    @Override
    public boolean isDone() {
        return shown.getCount() == 0;
    }
}
