package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
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
final class PerClaimExecutor<P> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PerClaimExecutor.class);
    private static final Duration BACKOFF_MIN = Duration.ofMillis(50);
    private static final Duration BACKOFF_MAX = Duration.ofSeconds(5);

    private final DecisionCommitter commits;
    private final Predicate<P> isAssigned;
    private final CommitListener listener;
    private final ScheduledExecutorService workers;
    private final ConcurrencyLimit concurrency;
    private final Queue<Runnable> ready = new ArrayDeque<>();
    private int running;

    /** By uid of the claim: why its current decision is being retried. */
    private final Map<String, String> retryReasons = new ConcurrentHashMap<>();

    private final Map<String, Queue<QueuedCommit<P>>> queues = new HashMap<>();
    private final Queue<CompletedCommit<P>> completed = new ConcurrentLinkedQueue<>();
    private Optional<RuntimeException> failure = Optional.empty();

    /**
     * @param parallel maximum number of concurrent commits; {@link ConcurrencyLimit} lowers it while the cluster is overloaded
     * @param isAssigned whether a position is still assigned to this process; called by any thread
     * @param listener receives retries and ends
     */
    PerClaimExecutor(DecisionCommitter commits, int parallel, Predicate<P> isAssigned, CommitListener listener) {
        this.commits = commits;
        this.isAssigned = isAssigned;
        this.listener = listener;
        concurrency = new ConcurrencyLimit(parallel);
        workers = Executors.newScheduledThreadPool(
                parallel, Thread.ofPlatform().name("commit-", 0).factory());
    }

    /** Listener for the progress of commits; called by the threads that commit. */
    interface CommitListener {
        /** Called when a decision failed and will be retried. */
        void onRetry(Decision decision, CommitResult outcome);

        /** Called when a decision is committed or dropped. */
        default void onEnd(Decision decision) {}
    }

    private record QueuedCommit<P>(P position, Decision decision) {}

    record CompletedCommit<P>(P position, Decision decision, CommitResult outcome) {}

    /** Queues a decision behind the earlier decisions of its claim. */
    synchronized void add(P position, Decision decision) {
        QueuedCommit<P> work = new QueuedCommit<>(position, decision);
        Queue<QueuedCommit<P>> lane = queues.get(decision.claimUid());
        if (lane != null) {
            lane.add(work);
            return;
        }
        queues.put(decision.claimUid(), new ArrayDeque<>());
        submit(() -> commit(work, RetryPolicy.withJitter(BACKOFF_MIN, BACKOFF_MAX)));
    }

    /** Queues a task until the concurrency limit allows it. */
    private synchronized void submit(Runnable work) {
        ready.add(work);
        startReady();
    }

    private synchronized void startReady() {
        while (running < concurrency.limit() && !ready.isEmpty() && !workers.isShutdown()) {
            Runnable work = ready.remove();
            running++;
            workers.execute(() -> {
                work.run();
                releaseSlot();
            });
        }
    }

    private synchronized void releaseSlot() {
        running--;
        startReady();
    }

    /** The current limit of concurrent commits. */
    int limit() {
        return concurrency.limit();
    }

    /**
     * Removes and returns the commits that have ended since the last call.
     *
     * @throws RuntimeException the first unexpected exception of a commit, which is a bug; every later call throws it
     *     too
     */
    List<CompletedCommit<P>> drainCompleted() {
        synchronized (this) {
            failure.ifPresent(bug -> {
                throw bug;
            });
        }
        List<CompletedCommit<P>> taken = new ArrayList<>();
        for (CompletedCommit<P> each = completed.poll(); each != null; each = completed.poll()) {
            taken.add(each);
        }
        return taken;
    }

    /** Why a decision is being retried; empty if none is. */
    Optional<String> retryReason() {
        return retryReasons.values().stream().findFirst();
    }

    private void commit(QueuedCommit<P> work, RetryPolicy backoff) {
        if (!isAssigned.test(work.position())) {
            complete(work);
            startNext(work.decision().claimUid());
            return;
        }
        try {
            CommitResult outcome = commits.commit(work.decision());
            if (outcome.isRetriable()) {
                recordOverload(outcome);
                retryLater(work, backoff, outcome);
            } else {
                concurrency.onSuccess();
                complete(work);
                completed.add(new CompletedCommit<>(work.position(), work.decision(), outcome));
                startNext(work.decision().claimUid());
            }
        } catch (RuntimeException e) {
            synchronized (this) {
                failure = failure.or(() -> Optional.of(e));
            }
        }
    }

    private void complete(QueuedCommit<P> work) {
        retryReasons.remove(work.decision().claimUid());
        listener.onEnd(work.decision());
    }

    private void recordOverload(CommitResult outcome) {
        if (outcome.status() == CommitStatus.OVERLOADED) {
            concurrency.onOverload();
        }
    }

    private void retryLater(QueuedCommit<P> work, RetryPolicy backoff, CommitResult outcome) {
        retryReasons.put(work.decision().claimUid(), outcome.message());
        listener.onRetry(work.decision(), outcome);
        LOG.atWarn()
                .addKeyValue("claim", work.decision().claim())
                .addKeyValue("decision", work.decision().number())
                .addKeyValue("why", outcome.message())
                .log("decision not committed yet; retrying");
        schedule(
                () -> submit(() -> commit(work, backoff)),
                backoff.nextAtLeast(outcome.pause()).toMillis());
    }

    private synchronized void startNext(String claim) {
        Queue<QueuedCommit<P>> lane = queues.get(claim);
        QueuedCommit<P> work = lane == null ? null : lane.poll();
        if (work == null) {
            queues.remove(claim);
        } else {
            submit(() -> commit(work, RetryPolicy.withJitter(BACKOFF_MIN, BACKOFF_MAX)));
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
                LOG.atWarn().log("a decision is still being committed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
