package dev.claimstream.allocator;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that follows the log, and opens it again after a fault. */
final class FollowerThread {
    private static final Logger LOG = LoggerFactory.getLogger(FollowerThread.class);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);

    /** Time after a failure. The search for a first state may read all inputs. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(10);

    private final String name;
    private final Duration every;
    private final Supplier<AuditLog> opening;
    private final Function<AuditLog, Runnable> start;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;
    private volatile Optional<String> problem = Optional.empty();

    /**
     * @param opening opens the log
     * @param start begins to follow a log; returns what reads its new records
     */
    FollowerThread(String name, Duration every, Supplier<AuditLog> opening, Function<AuditLog, Runnable> start) {
        this.name = name;
        this.every = every;
        this.opening = opening;
        this.start = start;
        thread = Thread.ofPlatform().name(name).daemon().unstarted(this::work);
    }

    void start() {
        thread.start();
    }

    void close() throws InterruptedException {
        stop.countDown();
        thread.join(STOP_WITHIN);
    }

    /** Why the log is not followed now; empty if it is. */
    Optional<String> problem() {
        return problem;
    }

    private void work() {
        try {
            do {
                follow();
            } while (!stop.await(RETRY_AFTER.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Follows the log until the process stops or a fault occurs. */
    private void follow() throws InterruptedException {
        try (AuditLog log = opening.get()) {
            Runnable advance = start.apply(log);
            do {
                advance.run();
                problem = Optional.empty();
            } while (!stop.await(every.toMillis(), TimeUnit.MILLISECONDS));
        } catch (AuditException e) {
            problem = Optional.of(String.valueOf(e.getMessage()));
            LOG.atWarn().log("{} cannot read the log: {}", name, e.getMessage());
        } catch (RuntimeException e) {
            problem = Optional.of(e.toString());
            LOG.atError().setCause(e).log("{} failed", name);
        }
    }
}
