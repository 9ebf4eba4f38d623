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
 * Carries decisions out, those of one claim one after the other, those of different claims side by side. One that fails is tried again
 * after a pause, as long as it takes and is ours; only its claim waits for it.
 *
 * @param <P> where a decision came from
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

    /** Claims whose decision failed and was not carried out since, with the reason. */
    private final Map<String, String> troubles = new ConcurrentHashMap<>();

    private final Map<String, Queue<Work<P>>> waiting = new HashMap<>();
    private final Queue<Finished<P>> finished = new ConcurrentLinkedQueue<>();
    private Optional<RuntimeException> failure = Optional.empty();

    /**
     * @param parallel the most that are carried out at a time; fewer where the cluster does not keep up
     * @param isOurs whether what comes from there is to be carried out still, by us; any thread asks
     * @param course is told how it goes
     */
    Lanes(Commits commits, int parallel, Predicate<P> isOurs, Course course) {
        this.commits = commits;
        this.isOurs = isOurs;
        this.course = course;
        pace = new Pace(parallel);
        workers = Executors.newScheduledThreadPool(
                parallel, Thread.ofPlatform().name("commit-", 0).factory());
    }

    /** Who is told how it goes with decisions, by whichever thread carries one out. */
    interface Course {
        /** A decision has to be tried again. */
        void failed(Decision decision, Outcome outcome);

        /** A decision is carried out, or will not be. */
        default void ended(Decision decision) {}
    }

    private record Work<P>(P place, Decision decision) {}

    /** A decision with its outcome. */
    record Finished<P>(P place, Decision decision, Outcome outcome) {}

    /** Takes a decision, after those of its claim that were taken before. */
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

    /** When its turn comes. */
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

    /** How many are carried out at a time now. */
    int limit() {
        return pace.limit();
    }

    /**
     * What has been carried out since this was asked last.
     *
     * @throws RuntimeException of whoever carries out, where that was a bug
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

    /** Why something had to be tried again and is not carried out yet, where there is such a thing. */
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

    /** Ends after what is being carried out right now; the rest comes again. */
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
