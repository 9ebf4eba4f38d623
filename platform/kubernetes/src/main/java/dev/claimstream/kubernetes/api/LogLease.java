package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kafka.TopicsException;
import dev.claimstream.kubernetes.ClusterFault;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Lease object that ensures that one decision log serves a cluster.
 *
 * <p>Processes of the same log share the lease. A log that reads the name of another log in the lease stops writing for good. A new log
 * acquires the lease when the holder has not renewed it for the lease duration. Expiry is measured by local clocks, not by times in the
 * Lease object.
 */
final class LogLease implements AutoCloseable {
    static final String NAMESPACE = "claimstream";
    static final String NAME = "claimstream-log";
    static final String PLURAL = "leases";

    private static final Logger LOG = LoggerFactory.getLogger(LogLease.class);

    /**
     * Durations of the lease protocol.
     *
     * @param leaseDuration time without renewal after which a holder counts as gone
     * @param writeValidity time from the start of a renewal during which writes are allowed; shorter than the lease by more than a write takes
     * @param renewPeriod pause between two renewals
     * @param retryPeriod pause between two reads of the lease of another log
     * @param relistPeriod time without writes after a restore of the cluster, or after another log has written to it ({@link WritePause});
     *     more than the longest backoff of the watcher
     */
    record LeaseTiming(
            Duration leaseDuration,
            Duration writeValidity,
            Duration renewPeriod,
            Duration retryPeriod,
            Duration relistPeriod) {
        static final LeaseTiming DEFAULT = new LeaseTiming(
                Duration.ofSeconds(15),
                Duration.ofSeconds(9),
                Duration.ofSeconds(3),
                Duration.ofMillis(500),
                Duration.ofSeconds(20));
    }

    /** Deadline for writes by both clocks. The monotonic clock stops while the machine is suspended, and the wall clock can be set. */
    private record ValidityDeadline(long untilNanos, Instant until) {
        boolean isValid(Instant now) {
            return System.nanoTime() - untilNanos < 0 && now.isBefore(until);
        }
    }

    private final LeaseClient client;
    private final CandidateLog log;
    private final LeaseTiming timing;
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::renewLoop, "lease");
    private String lastObserved = "";
    private long lastChangeNanos = System.nanoTime();
    private boolean isRenewedByOther;
    private boolean isHeld;
    private volatile ValidityDeadline validity = new ValidityDeadline(System.nanoTime(), Instant.MIN);
    private volatile String lastProblem = "it is not acquired yet";
    private volatile Optional<String> lossReason = Optional.empty();
    private volatile long knownVersion;
    private volatile long storableVersion;
    private String pauseText = "";
    private final WritePause pause = new WritePause();

    private LogLease(ApiHttpClient server, CandidateLog log, LeaseTiming timing, InstantSource clock) {
        client = new LeaseClient(server);
        this.log = log;
        this.timing = timing;
        this.clock = clock;
        knownVersion = log.leaseVersion();
        storableVersion = log.leaseVersion();
        thread.setDaemon(true);
    }

    /**
     * Acquires the lease and renews it until this object is closed. Waits if the holder may be gone.
     *
     * @throws CompetingLogException if another log serves the cluster
     * @throws ClusterFault if the cluster does not respond or denies the lease
     */
    static LogLease acquire(ApiHttpClient server, CandidateLog log, LeaseTiming timing, InstantSource clock) {
        var lease = new LogLease(server, log, timing, clock);
        while (!lease.step()) {
            lease.lossReason.ifPresent(reason -> {
                throw new CompetingLogException(reason);
            });
            if (lease.isClosedWithin(timing.retryPeriod())) {
                throw new ClusterFault("the wait for the lease was interrupted");
            }
        }
        lease.thread.start();
        return lease;
    }

    /** Returns the id of the log that holds the lease. */
    String log() {
        return log.id();
    }

    /**
     * Returns a version of the Lease from which a later process can recognise a restore. After a restore it is the version from before,
     * until the Lease has the pause.
     */
    long version() {
        return storableVersion;
    }

    /** Returns why no write is allowed now; empty if writes are allowed. */
    Optional<String> writeBlocker() {
        if (lossReason.isPresent()) {
            return lossReason;
        }
        if (validity.isValid(clock.instant())) {
            return pause.reason();
        }
        return Optional.of("the lease %s/%s, which lets only one log serve the cluster, could not be renewed: %s"
                .formatted(NAMESPACE, NAME, lastProblem));
    }

    /** Returns why writes have stopped for good; empty if they have not. */
    Optional<String> lossReason() {
        return lossReason;
    }

    private void renewLoop() {
        while (lossReason.isEmpty() && !isClosedWithin(timing.renewPeriod())) {
            try {
                step();
            } catch (ClusterFault e) {
                lastProblem = String.valueOf(e.getMessage());
            }
        }
        lossReason.ifPresent(reason -> LOG.atError().addKeyValue("why", reason).log("lease lost; writes stopped"));
    }

    private boolean isClosedWithin(Duration pause) {
        try {
            return closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    // ---- one step

    /** Reads the lease and takes the next step. Returns whether this log has written the lease. */
    private boolean step() {
        long readNanos = System.nanoTime();
        Instant readAt = clock.instant();
        Optional<ObjectNode> read = read();
        observe(read, readNanos);
        var past = new LeaseStep.LeaseHistory(isHeld, isRenewedByOther, Duration.ofNanos(readNanos - lastChangeNanos));
        boolean isWritten = switch (LeaseStep.of(read.map(LeaseFields::state), log, logEnd(), past)) {
            case LeaseStep.Acquire() -> acquire(read);
            case LeaseStep.Renew() -> write(read.orElseThrow());
            case LeaseStep.Retry() -> false;
            case LeaseStep.Abort(String reason) -> {
                lossReason = Optional.of(reason);
                yield false;
            }
        };
        if (isWritten) {
            isHeld = true;
            validity = new ValidityDeadline(
                    readNanos + timing.writeValidity().toNanos(), readAt.plus(timing.writeValidity()));
        }
        return isWritten;
    }

    private void observe(Optional<ObjectNode> read, long now) {
        String text = read.map(LeaseFields::renewal).orElse("");
        if (!text.equals(lastObserved)) {
            isRenewedByOther = !lastObserved.isEmpty();
            lastObserved = text;
            lastChangeNanos = now;
        }
    }

    /**
     * Compares the resourceVersion of the lease with the highest one that existed. A lower one shows that the cluster was restored from a
     * backup. A decision that was made before could then be written beside a restored allocation of the same device.
     */
    private void observeVersion(JsonNode lease) {
        long version = ApiObjectReader.version(lease);
        if (version < knownVersion) {
            onRestore(version);
        }
        knownVersion = version;
    }

    private void onRestore(long version) {
        startPause("the cluster was restored from a backup");
        LOG.atWarn()
                .addKeyValue("version", version)
                .addKeyValue("known", knownVersion)
                .log("resourceVersions went back: the cluster was restored from a backup; writes wait for a relist");
    }

    /** Starts a pause that every process of the log observes, because the next write of the Lease contains it. */
    private void startPause(String reason) {
        pauseText = LeaseFields.time(clock.instant()) + " " + reason;
        pause.start(timing.relistPeriod(), reason);
    }

    /**
     * Observes a pause that another process, or an earlier one, has started. It lasts the whole period from now on, since the clocks of two
     * processes may differ.
     */
    private void observePause(ObjectNode lease) {
        String text = LeaseFields.pause(lease);
        if (!text.isEmpty() && !text.equals(pauseText)) {
            pauseText = text;
            pause.start(timing.relistPeriod(), text.substring(text.indexOf(' ') + 1));
        }
    }

    private Optional<ObjectNode> read() {
        Optional<ObjectNode> lease = client.read();
        if (lease.isPresent()) {
            observePause(lease.get());
            observeVersion(lease.get());
        } else if (!isHeld && knownVersion > 0) { // an earlier process has written it: deleted, or not in the backup
            onRestore(0);
            knownVersion = 0;
        }
        return lease;
    }

    /** Returns the end of the log, from a broker before the first renewal. */
    private long logEnd() {
        if (isHeld) {
            return log.progress().last();
        }
        try {
            return log.progress().read();
        } catch (TopicsException e) {
            throw new ClusterFault(
                    "the log cannot be compared with the lease %s/%s: %s".formatted(NAMESPACE, NAME, e.getMessage()),
                    e);
        }
    }

    private boolean acquire(Optional<ObjectNode> read) {
        ObjectNode lease = read.orElseGet(LeaseFields::empty);
        if (read.isPresent()) {
            LeaseStep.LeaseState before = LeaseFields.state(lease);
            LOG.atWarn()
                    .addKeyValue("log", before.holder())
                    .addKeyValue("where", before.location())
                    .log("the log that served this cluster has stopped: this log takes over the lease");
            if (log.progress().last()
                    > 0) { // the allocator decided before, perhaps without the last writes of the other log
                startPause("another log has served the cluster");
            }
            LeaseFields.countTransition(lease);
        }
        LeaseFields.setHolder(lease, log.id(), clock.instant());
        return write(lease);
    }

    /** Writes the lease with the version that was read. Of two concurrent writers one gets a conflict and reads again. */
    private boolean write(ObjectNode lease) {
        LeaseFields.setLocation(lease, log.location(), log.progress().last());
        LeaseFields.setPause(lease, pause.reason().map(_ -> pauseText));
        LeaseFields.setRenewal(lease, clock.instant(), timing.leaseDuration());
        return send(lease);
    }

    private boolean send(ObjectNode lease) {
        return switch (client.write(lease)) {
            case LeaseClient.LeaseWrite.LeaseWritten(JsonNode written) -> {
                observeVersion(written);
                if (pause.reason().isEmpty() || LeaseFields.pause(lease).equals(pauseText)) {
                    storableVersion = knownVersion;
                }
                yield true;
            }
            case LeaseClient.LeaseWrite.LeaseConflict() -> {
                lastProblem = "another process changed it at the same time";
                yield false;
            }
            case LeaseClient.LeaseWrite.NamespaceCreated() -> false;
        };
    }

    // ---- release

    /** Sets the lease to expire after one second, so that another log need not wait. Only the single process of a log may call it. */
    void release() {
        stop();
        try {
            if (writeBlocker().isEmpty()) { // else another log holds the lease, or the server does not respond
                expireSoon();
            }
        } finally {
            log.progress().close();
        }
    }

    private void expireSoon() {
        try {
            read().filter(lease -> LeaseFields.state(lease).holder().equals(log.id()))
                    .ifPresent(lease -> {
                        LeaseFields.setExpiry(
                                lease, Duration.ofSeconds(1), log.progress().read());
                        send(lease);
                    });
        } catch (ClusterFault | TopicsException e) {
            LOG.atDebug().addKeyValue("why", e.getMessage()).log("the lease was not released; it expires by itself");
        }
    }

    /** Stops the renewal, and closes the progress of the log. */
    @Override
    public void close() {
        stop();
        log.progress().close();
    }

    private void stop() {
        closed.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
