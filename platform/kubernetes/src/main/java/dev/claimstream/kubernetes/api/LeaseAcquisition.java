package dev.claimstream.kubernetes.api;

import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kafka.TopicsException;
import dev.claimstream.kubernetes.ClusterFault;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires the lease of a log in the background. Retries without limit while the API server or Kafka does not respond.
 *
 * <p>The acquisition ends without the lease if another log serves the cluster, after an unexpected error, or if the API
 * server denies access for longer than a limit: a server that starts can deny access for some seconds, because it has not
 * loaded its roles yet.
 */
final class LeaseAcquisition implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseAcquisition.class);

    /**
     * Pauses between two attempts, and the time after which a denial is final.
     *
     * @param first pause after the first attempt
     * @param longest longest pause
     * @param denialLimit time since the first of the denials
     */
    record AcquisitionTiming(Duration first, Duration longest, Duration denialLimit) {
        static final AcquisitionTiming DEFAULT =
                new AcquisitionTiming(Duration.ofMillis(500), Duration.ofSeconds(5), Duration.ofSeconds(15));
    }

    private final ApiHttpClient server;
    private final Supplier<CandidateLog> log;
    private final Consumer<LogLease> onAcquired;
    private final AcquisitionTiming timing;
    private final RetryPolicy backoff;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "lease-acquisition");
    private OptionalLong deniedSinceNanos = OptionalLong.empty();
    private volatile String problem = "it is not acquired yet";
    private volatile Optional<String> abortReason = Optional.empty();

    private LeaseAcquisition(
            ApiHttpClient server, Supplier<CandidateLog> log, Consumer<LogLease> onAcquired, AcquisitionTiming timing) {
        this.server = server;
        this.log = log;
        this.onAcquired = onAcquired;
        this.timing = timing;
        backoff = RetryPolicy.withJitter(timing.first(), timing.longest());
        thread.setDaemon(true);
    }

    /**
     * Starts the acquisition.
     *
     * @param log reads the log from Kafka; it may throw {@link TopicsException}
     * @param onAcquired gets the lease, which it must close
     */
    static LeaseAcquisition start(
            ApiHttpClient server, Supplier<CandidateLog> log, Consumer<LogLease> onAcquired, AcquisitionTiming timing) {
        var acquisition = new LeaseAcquisition(server, log, onAcquired, timing);
        acquisition.thread.start();
        return acquisition;
    }

    /** Returns why the lease is not acquired. */
    String problem() {
        return abortReason.orElseGet(
                () -> "nothing is written without the lease %s/%s, which lets only one log serve the cluster: %s"
                        .formatted(LogLease.NAMESPACE, LogLease.NAME, problem));
    }

    /** Returns why the acquisition has ended without the lease; empty if it has not. */
    Optional<String> abortReason() {
        return abortReason;
    }

    private void run() {
        while (!attempt() && abortReason.isEmpty() && !isClosedWithin(backoff.next())) {
            LOG.atDebug().log("the lease is requested again");
        }
        abortReason.ifPresent(reason -> LOG.atError().addKeyValue("why", reason).log("the lease cannot be acquired"));
    }

    private boolean isClosedWithin(Duration pause) {
        try {
            return closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Returns whether the lease is acquired. */
    private boolean attempt() {
        try {
            CandidateLog candidate = log.get();
            try {
                onAcquired.accept(
                        LogLease.acquire(server, candidate, LogLease.LeaseTiming.DEFAULT, InstantSource.system()));
                return true;
            } catch (RuntimeException e) {
                candidate.progress().close();
                throw e;
            }
        } catch (CompetingLogException e) {
            abortReason = Optional.of(String.valueOf(e.getMessage()));
        } catch (ClusterFault e) {
            onFailure(String.valueOf(e.getMessage()), e.isDenied());
        } catch (TopicsException e) {
            onFailure(String.valueOf(e.getMessage()), false);
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("the lease cannot be acquired");
            abortReason = Optional.of("the lease cannot be acquired: " + e);
        }
        return false;
    }

    private void onFailure(String reason, boolean isDenied) {
        long now = System.nanoTime();
        deniedSinceNanos = isDenied ? OptionalLong.of(deniedSinceNanos.orElse(now)) : OptionalLong.empty();
        boolean isFinal = isDenied
                && now - deniedSinceNanos.getAsLong() >= timing.denialLimit().toNanos();
        if (isFinal) {
            abortReason = Optional.of(reason);
        } else if (closed.getCount() > 0 && !reason.equals(problem)) {
            LOG.atWarn().addKeyValue("why", reason).log("the lease is not acquired yet; retrying");
        }
        problem = reason;
    }

    /** Ends the acquisition. */
    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
