package dev.claimstream.simulator;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.streams.CellFollower;
import dev.claimstream.observability.Health;
import dev.claimstream.simulation.SimulatedCell;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The states of all cells, which a thread keeps up to date with the log.
 *
 * <p>All methods are thread-safe. A request and the thread use the states in turn.
 */
final class WarmState implements CellAccess, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WarmState.class);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Supplier<OpenLog> opening;
    private final Object lock = new Object();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::follow, "simulator-follower");
    private Optional<OpenLog> open = Optional.empty();
    private volatile boolean isCaughtUp;
    private volatile Optional<String> problem = Optional.empty();

    record OpenLog(AuditLog log, List<CellFollower> followers) {
        OpenLog {
            followers = List.copyOf(followers);
        }

        long catchUp() {
            return followers.stream().mapToLong(CellFollower::catchUp).sum();
        }

        List<SimulatedCell> cells() {
            return followers.stream()
                    .map(each -> new SimulatedCell(each.cell(), each.at().orElse(Instant.EPOCH), each.offset()))
                    .toList();
        }
    }

    /** @param opening opens the log; it is repeated after a failure */
    WarmState(Supplier<OpenLog> opening) {
        this.opening = opening;
    }

    void start() {
        thread.start();
    }

    private void follow() {
        while (stopped.getCount() > 0) {
            try {
                pause(catchUp() > 0 ? Duration.ZERO : POLL);
            } catch (AuditException e) {
                report(String.valueOf(e.getMessage()));
                pause(RETRY);
            }
        }
        synchronized (lock) {
            open.ifPresent(each -> each.log.close());
        }
    }

    /** Applies the new inputs. Returns their number. */
    private long catchUp() {
        synchronized (lock) {
            OpenLog current = open.orElseGet(opening);
            open = Optional.of(current);
            long applied = current.catchUp();
            isCaughtUp = true;
            problem = Optional.empty();
            return applied;
        }
    }

    private void report(String reason) {
        if (!problem.equals(Optional.of(reason))) {
            LOG.atWarn().addKeyValue("why", reason).log("the log cannot be followed; retrying");
        }
        problem = Optional.of(reason);
    }

    private void pause(Duration time) {
        try {
            boolean unused = stopped.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped.countDown();
        }
    }

    @Override
    public <T> Optional<T> read(Function<List<SimulatedCell>, T> use) {
        if (!isCaughtUp) {
            return Optional.empty();
        }
        synchronized (lock) {
            return open.map(each -> use.apply(each.cells()));
        }
    }

    @Override
    public Optional<String> problem() {
        return problem;
    }

    Health.Condition condition() {
        if (!isCaughtUp) {
            return Health.Condition.down(
                    "still reads the log" + problem.map(reason -> ": " + reason).orElse(""));
        }
        return problem.map(reason -> Health.Condition.degraded("simulates the last known state: " + reason))
                .orElseGet(() -> Health.Condition.up("follows the log"));
    }

    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join(RETRY.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
