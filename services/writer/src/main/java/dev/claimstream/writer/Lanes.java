package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.writer.Commits.Outcome;
import dev.claimstream.writer.Commits.Result;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits decisions in parallel: one at a time per claim, in their order, and several claims at once.
 *
 * <p>A decision that fails is retried with exponential backoff (50 ms to 5 s, with jitter), or after the longer pause
 * that the cluster requests. Only its claim waits for it. Retries end when the position of the decision is no longer
 * assigned to this process. Safe for use by several threads.
 *
 * @param <P> position of a decision in its topic
 */
final class Lanes<P> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Commits commits;
    private final Predicate<P> isOurs;
    private final Course course;
    private final ScheduledExecutorService workers;
    private final Pace pace;
    private final Queue<Runnable> ready = new ArrayDeque<>();
    private int running;

    /** By uid of the claim: why its current decision is being retried. */
    private final Map<String, String> troubles = new ConcurrentHashMap<>();

    private final Map<String, Queue<Work<P>>> waiting = new HashMap<>();
    private final Queue<Finished<P>> finished = new ConcurrentLinkedQueue<>();
    private Optional<RuntimeException> failure = Optional.empty();

    /**
     * @param parallel maximum number of concurrent commits; {@link Pace} lowers it while the cluster is overloaded
     * @param isAssigned whether a position is still assigned to this process; called by any thread
     * @param listener receives retries and ends
     */
    Lanes(Commits commits, int parallel, Predicate<P> isOurs, Course course) {
        this.commits = commits;
        this.isOurs = isOurs;
        this.course = course;
        pace = new Pace(parallel);
        workers = Executors.newScheduledThreadPool(
                parallel, Thread.ofPlatform().name("commit-", 0).factory());
    }

    /** Listener for the progress of commits; called by the threads that commit. */
    interface Course {
        /** Called when a decision failed and will be retried. */
        void failed(Decision decision, Outcome outcome);

        /** Called when a decision is committed or dropped. */
        default void ended(Decision decision) {}
    }

    private record Work<P>(P place, Decision decision) {}

    /** A decision with the outcome of its commit. */
    record Finished<P>(P place, Decision decision, Outcome outcome) {}

    /** Queues a decision behind the earlier decisions of its claim. */
    synchronized void add(P place, Decision decision) {
        Work<P> work = new Work<>(place, decision);
        Queue<Work<P>> lane = waiting.get(decision.claimUid());
        if (lane != null) {
            lane.add(work);
            return;
        }
        waiting.put(decision.claimUid(), new ArrayDeque<>());
        begin(() -> carryOut(work, FIRST_PAUSE));
    }

    /** Queues a task until the concurrency limit allows it. */
    private synchronized void begin(Runnable work) {
        ready.add(work);
        beginReady();
    }

    private synchronized void beginReady() {
        while (running < pace.limit() && !ready.isEmpty() && !workers.isShutdown()) {
            Runnable work = ready.remove();
            running++;
            workers.execute(() -> {
                work.run();
                ended();
            });
        }
    }

    private synchronized void ended() {
        running--;
        beginReady();
    }

    /** The current limit of concurrent commits. */
    int limit() {
        return pace.limit();
    }

    /**
     * Removes and returns the commits that have ended since the last call.
     *
     * @throws RuntimeException the first unexpected exception of a commit, which is a bug; every later call throws it
     *     too
     */
    List<Finished<P>> takeFinished() {
        synchronized (this) {
            failure.ifPresent(bug -> {
                throw bug;
            });
        }
        List<Finished<P>> taken = new ArrayList<>();
        for (Finished<P> each = finished.poll(); each != null; each = finished.poll()) {
            taken.add(each);
        }
        return taken;
    }

    /** Why a decision is being retried; empty if none is. */
    Optional<String> trouble() {
        return troubles.values().stream().findFirst();
    }

    private void carryOut(Work<P> work, Duration pause) {
        if (!isOurs.test(work.place())) {
            over(work);
            next(work.decision().claimUid());
            return;
        }
        try {
            Outcome outcome = commits.commit(work.decision());
            if (outcome.isForLater()) {
                strain(outcome);
                later(work, pause, outcome);
            } else {
                pace.well();
                over(work);
                finished.add(new Finished<>(work.place(), work.decision(), outcome));
                next(work.decision().claimUid());
            }
        } catch (RuntimeException e) {
            synchronized (this) {
                failure = failure.or(() -> Optional.of(e));
            }
        }
    }

    private void over(Work<P> work) {
        troubles.remove(work.decision().claimUid());
        course.ended(work.decision());
    }

    private void strain(Outcome outcome) {
        if (outcome.result() == Result.OVERLOADED) {
            pace.strained();
        }
    }

    private void later(Work<P> work, Duration pause, Outcome outcome) {
        troubles.put(work.decision().claimUid(), outcome.message());
        course.failed(work.decision(), outcome);
        LOG.atWarn()
                .addKeyValue("claim", work.decision().claim())
                .addKeyValue("decision", work.decision().number())
                .addKeyValue("why", outcome.message())
                .log("decision not carried out yet");
        Duration doubled = pause.multipliedBy(2);
        Duration next = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        long chance = ThreadLocalRandom.current().nextLong(pause.toMillis() / 2 + 1);
        long asked = outcome.pause().toMillis();
        schedule(() -> begin(() -> carryOut(work, next)), Math.max(asked, pause.toMillis() - chance));
    }

    private synchronized void next(String claim) {
        Queue<Work<P>> lane = waiting.get(claim);
        Work<P> work = lane == null ? null : lane.poll();
        if (work == null) {
            waiting.remove(claim);
        } else {
            begin(() -> carryOut(work, FIRST_PAUSE));
        }
    }

    private void schedule(Runnable work, long delayMs) {
        if (!workers.isShutdown()) {
            var unused = workers.schedule(work, delayMs, TimeUnit.MILLISECONDS);
        }
    }

    /** Waits up to 30 s for the running commits. Queued decisions are dropped; their offsets are not committed. */
    @Override
    public void close() {
        workers.shutdownNow();
        try {
            if (!workers.awaitTermination(30, TimeUnit.SECONDS)) {
                LOG.atWarn().log("a decision is still being carried out");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
