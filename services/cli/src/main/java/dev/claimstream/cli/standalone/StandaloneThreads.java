package dev.claimstream.cli.standalone;

import dev.claimstream.cli.output.RunFailure;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of one start of all services.
 * All threads of a start inherit its thread group. The group shows when the last of them has ended.
 */
public final class StandaloneThreads {
    private static final Logger LOG = LoggerFactory.getLogger(StandaloneThreads.class);
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private static final Duration CLOSE_TIMEOUT = Duration.ofMinutes(5);

    /**
     * Name prefixes of threads that outlive a start.
     * One belongs to a library for the whole process. The JDK ends the others after their pool or client is garbage-collected.
     */
    private static final List<String> PROCESS_WIDE_THREADS =
            List.of("metrics-meter-tick-thread", "ForkJoinPool", "HttpClient-");

    private final ThreadGroup group = new ThreadGroup("up");

    /** Runs the start in a thread of the group and rethrows its exception. */
    public <T> T start(Supplier<T> start) {
        var begun = new CompletableFuture<T>();
        Thread.ofPlatform().group(group).name("start").start(() -> {
            try {
                begun.complete(start.get());
            } catch (Throwable e) { // the caller must see an Error too
                begun.completeExceptionally(e);
            }
        });
        try {
            return begun.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case RuntimeException why -> throw why;
                case Error why -> throw why;
                case null, default -> throw e;
            }
        }
    }

    /**
     * Closes the services in a thread of their own.
     *
     * @return whether the services closed within the time; otherwise closing continues
     */
    public boolean close(Runnable close, Duration within) throws InterruptedException {
        return closing(close).join(within);
    }

    private Thread closing(Runnable close) {
        return Thread.ofPlatform().daemon().group(group).name("close").start(close);
    }

    /**
     * Closes services after a failure. Returns when all their threads have ended or {@code stop} is signalled.
     * Clients of a broker that is gone block until their timeout.
     *
     * @param meanwhile called once per second until then
     * @throws RunFailure if threads do not end: two brokers on one folder, or two allocators, would be worse than an exit
     */
    public void closeBroken(Runnable close, Runnable meanwhile, CountDownLatch stop) throws InterruptedException {
        closing(() -> {
            try {
                close.run();
            } catch (RuntimeException e) {
                LOG.atDebug().setCause(e).log("close failed");
            }
        });
        long giveUpAt = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        for (List<Thread> left = remainingThreads(); !left.isEmpty(); left = remainingThreads()) {
            if (stop.await(CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
            meanwhile.run();
            if (System.nanoTime() > giveUpAt) {
                throw new RunFailure("threads do not stop (%s); nothing that was acknowledged is lost, start it again"
                        .formatted(left.stream().map(Thread::getName).collect(Collectors.joining(", "))));
            }
        }
    }

    private List<Thread> remainingThreads() {
        Thread[] all = new Thread[group.activeCount() + 100];
        group.enumerate(all);
        return Arrays.stream(all)
                .filter(Objects::nonNull)
                .filter(each -> PROCESS_WIDE_THREADS.stream().noneMatch(each.getName()::startsWith))
                .toList();
    }
}
