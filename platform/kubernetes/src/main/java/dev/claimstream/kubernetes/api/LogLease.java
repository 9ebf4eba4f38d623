package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
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
    private static final String WHERE = "claimstream.dev/where";
    private static final String HOLDER = "holderIdentity";
    private static final String LASTS_SECONDS = "leaseDurationSeconds";
    private static final String RENEWED = "renewTime";
    private static final String TRANSITIONS = "leaseTransitions";
    private static final String SPEC = "spec";
    private static final String METADATA = "metadata";
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    /**
     * Durations of the lease protocol.
     *
     * @param lease time without renewal after which a holder counts as gone
     * @param good time from the start of a renewal during which writes are allowed; shorter than the lease by more than a write takes
     * @param renew pause between two renewals
     * @param look pause between two reads of the lease of another log
     */
    record Times(Duration lease, Duration good, Duration renew, Duration look) {
        static final Times USUAL =
                new Times(Duration.ofSeconds(15), Duration.ofSeconds(9), Duration.ofSeconds(3), Duration.ofMillis(500));
    }

    /** Deadline for writes by both clocks. The monotonic clock stops while the machine is suspended, and the wall clock can be set. */
    private record Good(long untilNanos, Instant until) {
        boolean lasts(Instant now) {
            return System.nanoTime() - untilNanos < 0 && now.isBefore(until);
        }
    }

    private final ApiServer server;
    private final ServingLog log;
    private final Times times;
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::renewAlways, "lease");
    private String lastSeen = "";
    private long lastChangeNanos = System.nanoTime();
    private boolean isRenewedByAnother;
    private boolean isHeld;
    private volatile Good good = new Good(System.nanoTime(), Instant.MIN);
    private volatile String trouble = "it is not ours yet";
    private volatile Optional<String> lost = Optional.empty();

    private LogLease(ApiServer server, ServingLog log, Times times, InstantSource clock) {
        this.server = server;
        this.log = log;
        this.times = times;
        this.clock = clock;
        thread.setDaemon(true);
    }

    /**
     * Acquires the lease and renews it until this object is closed. Waits if the holder may be gone.
     *
     * @throws AnotherLogException if another log serves the cluster
     * @throws ClusterFault if the cluster does not answer or denies the lease
     */
    static LogLease take(ApiServer server, ServingLog log, Times times, InstantSource clock) {
        var lease = new LogLease(server, log, times, clock);
        while (!lease.step()) {
            lease.lost.ifPresent(why -> {
                throw new AnotherLogException(why);
            });
            if (lease.isClosedWithin(times.look())) {
                throw new ClusterFault("the lease was not waited for");
            }
        }
        lease.thread.start();
        return lease;
    }

    /** Returns the id of the log that holds the lease. */
    String log() {
        return log.id();
    }

    /** Returns why no write is allowed now; empty if writes are allowed. */
    Optional<String> obstacle() {
        if (lost.isPresent() || good.lasts(clock.instant())) {
            return lost;
        }
        return Optional.of("the lease %s/%s, by which one log alone serves the cluster, could not be renewed: %s"
                .formatted(NAMESPACE, NAME, trouble));
    }

    /** Returns why writes have stopped for good; empty if they have not. */
    Optional<String> lost() {
        return lost;
    }

    private void renewAlways() {
        while (lost.isEmpty() && !isClosedWithin(times.renew())) {
            try {
                step();
            } catch (ClusterFault e) {
                trouble = String.valueOf(e.getMessage());
            }
        }
        lost.ifPresent(why -> LOG.atError().addKeyValue("why", why).log("nothing is written any more"));
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
        long asked = System.nanoTime();
        Instant askedAt = clock.instant();
        Optional<ObjectNode> read = read();
        observe(read, asked);
        var past = new LeaseStep.Past(isHeld, isRenewedByAnother, Duration.ofNanos(asked - lastChangeNanos));
        boolean isWritten = switch (LeaseStep.of(read.map(LogLease::seen), log, past)) {
            case LeaseStep.Take() -> take(read);
            case LeaseStep.Renew() -> write(read.orElseThrow());
            case LeaseStep.Look() -> false;
            case LeaseStep.GiveUp(String why) -> {
                lost = Optional.of(why);
                yield false;
            }
        };
        if (isWritten) {
            isHeld = true;
            good = new Good(asked + times.good().toNanos(), askedAt.plus(times.good()));
        }
        return isWritten;
    }

    private void observe(Optional<ObjectNode> read, long now) {
        String text = read.map(lease -> lease.path(SPEC))
                .map(spec ->
                        spec.path(HOLDER).asText() + " " + spec.path(RENEWED).asText())
                .orElse("");
        if (!text.equals(lastSeen)) {
            isRenewedByAnother = !lastSeen.isEmpty();
            lastSeen = text;
            lastChangeNanos = now;
        }
    }

    private Optional<ObjectNode> read() {
        Reply reply = server.get(Paths.lease(NAMESPACE, NAME));
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (reply.isGood() && reply.body() instanceof ObjectNode lease) {
            return Optional.of(lease);
        }
        throw refused("read", reply);
    }

    private static LeaseStep.Seen seen(ObjectNode lease) {
        return new LeaseStep.Seen(
                lease.path(SPEC).path(HOLDER).asText(""),
                lease.path(METADATA).path("annotations").path(WHERE).asText("an unknown place"),
                Duration.ofSeconds(lease.path(SPEC)
                        .path(LASTS_SECONDS)
                        .asLong(Times.USUAL.lease().toSeconds())));
    }

    private boolean take(Optional<ObjectNode> read) {
        ObjectNode lease = read.orElseGet(LogLease::empty);
        ObjectNode spec = lease.withObjectProperty(SPEC);
        if (read.isPresent()) {
            LOG.atWarn()
                    .addKeyValue("log", spec.path(HOLDER).asText())
                    .addKeyValue("where", seen(lease).where())
                    .log("another log served this cluster and is gone: this one takes its place");
            spec.put(TRANSITIONS, spec.path(TRANSITIONS).asInt() + 1);
        }
        spec.put(HOLDER, log.id()).put("acquireTime", MICRO_TIME.format(clock.instant()));
        return write(lease);
    }

    private static ObjectNode empty() {
        ObjectNode lease = ApiServer.JSON.createObjectNode();
        lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
        lease.putObject(METADATA).put("namespace", NAMESPACE).put("name", NAME);
        lease.putObject(SPEC).put(TRANSITIONS, 0);
        return lease;
    }

    /** Writes the lease with the version that was read. Of two concurrent writers one gets a conflict and reads again. */
    private boolean write(ObjectNode lease) {
        lease.withObjectProperty(METADATA).withObjectProperty("annotations").put(WHERE, log.where());
        lease.withObjectProperty(SPEC)
                .put(RENEWED, MICRO_TIME.format(clock.instant()))
                .put(LASTS_SECONDS, times.lease().toSeconds());
        return send(lease);
    }

    private boolean send(ObjectNode lease) {
        boolean isThere = lease.path(METADATA).has("resourceVersion");
        Reply reply = isThere
                ? server.put(Paths.lease(NAMESPACE, NAME), lease.toString())
                : server.post(Paths.leases(NAMESPACE), lease.toString());
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND && !isThere) {
            makeNamespace();
            return false;
        }
        if (reply.isGood() || reply.code() == HttpURLConnection.HTTP_CONFLICT) {
            return reply.isGood();
        }
        throw refused("written", reply);
    }

    private void makeNamespace() {
        ObjectNode namespace = ApiServer.JSON.createObjectNode();
        namespace.put("apiVersion", "v1").put("kind", "Namespace");
        namespace.putObject(METADATA).put("name", NAMESPACE);
        Reply reply = server.post("/api/v1/namespaces", namespace.toString());
        if (!reply.isGood() && reply.code() != HttpURLConnection.HTTP_CONFLICT) {
            throw new ClusterFault(
                    "there is no namespace %s for the lease of the log, and it cannot be made: %s: kubectl create namespace %s"
                            .formatted(NAMESPACE, reply.message(), NAMESPACE));
        }
    }

    private ClusterFault refused(String done, Reply reply) {
        if (reply.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
            return server.unknown(reply.message());
        }
        String remedy = reply.code() == HttpURLConnection.HTTP_FORBIDDEN
                ? ": allow get, create and update of leases there, as deploy/policies/rights-of-the-writer.yaml does"
                : "";
        return new ClusterFault(
                "the lease %s/%s cannot be %s: %s%s".formatted(NAMESPACE, NAME, done, reply.message(), remedy));
    }

    // ---- release

    /** Sets the lease to expire after one second, so that another log need not wait. Only the single process of a log may call it. */
    void release() {
        close();
        if (obstacle().isPresent()) {
            return; // another log holds the lease, or the server does not answer
        }
        try {
            read().filter(lease -> seen(lease).holder().equals(log.id())).ifPresent(lease -> {
                lease.withObjectProperty(SPEC).put(LASTS_SECONDS, 1);
                send(lease);
            });
        } catch (ClusterFault e) {
            LOG.atDebug().addKeyValue("why", e.getMessage()).log("the lease runs out by itself");
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
