package dev.claimstream.cli;

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

/** One start of everything, in a group of threads: what a thread starts is in its group, so it can be seen when nothing is left of it. */
final class Life {
    private static final Logger LOG = LoggerFactory.getLogger(Life.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(5);

    /** Threads that are of no start: a library's own for the process, and those that the JDK ends once nobody knows their pool or client any more. */
    private static final List<String> OF_THE_PROCESS =
            List.of("metrics-meter-tick-thread", "ForkJoinPool", "HttpClient-");

    private final ThreadGroup group = new ThreadGroup("up");

    /** Does it in a thread of this life, and throws what that throws. */
    <T> T begin(Supplier<T> start) {
        var begun = new CompletableFuture<T>();
        Thread.ofPlatform().group(group).name("start").start(() -> {
            try {
                begun.complete(start.get());
            } catch (Throwable e) { // whoever waits has to hear of an Error too
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
     * Closes in a thread of its own.
     *
     * @return whether it was done within that time; it goes on otherwise
     */
    boolean end(Runnable close, Duration within) throws InterruptedException {
        return closing(close).join(within);
    }

    private Thread closing(Runnable close) {
        return Thread.ofPlatform().daemon().group(group).name("close").start(close);
    }

    /**
     * Closes what does not work any more, and returns when nothing is left of it, or when it is to stop. Clients of a broker that is gone wait for it
     * until their time is up.
     *
     * @param meanwhile what to do again and again until then
     * @throws RunFailure where something is left for good: two brokers on a folder, or two allocators, would be worse than none
     */
    void endBroken(Runnable close, Runnable meanwhile, CountDownLatch stop) throws InterruptedException {
        closing(() -> {
            try {
                close.run();
            } catch (RuntimeException e) {
                LOG.atDebug().setCause(e).log("not closed in good order");
            }
        });
        long giveUpAt = System.nanoTime() + GIVE_UP_AFTER.toNanos();
        for (List<Thread> left = left(); !left.isEmpty(); left = left()) {
            if (stop.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
            meanwhile.run();
            if (System.nanoTime() > giveUpAt) {
                throw new RunFailure(
                        "something of it does not stop (%s); nothing that was acknowledged is lost, start it again"
                                .formatted(left.stream().map(Thread::getName).collect(Collectors.joining(", "))));
            }
        }
    }

    private List<Thread> left() {
        Thread[] all = new Thread[group.activeCount() + 100];
        group.enumerate(all);
        return Arrays.stream(all)
                .filter(Objects::nonNull)
                .filter(each -> OF_THE_PROCESS.stream().noneMatch(each.getName()::startsWith))
                .toList();
    }
}
