package dev.claimstream.kubernetes.api;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.kubernetes.WaitNotes;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster behind an API server (Kubernetes 1.34 and newer). Safe for use by several threads. */
public final class ApiCluster implements ClusterWatch, ClaimStatus, PodGates, WaitNotes, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiCluster.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final ApiServer server;
    private final ApiWatch watch;
    private final ClaimStatus status;
    private final PodGates gates;
    private final ApiWaitNotes notes;
    private final Managed managed;
    private volatile Optional<LogLease> lease = Optional.empty();

    private ApiCluster(ApiServer server, ApiScope scope) {
        this.server = server;
        managed = new Managed(server, scope);
        var claims = new ApiClaimStatus(server, InstantSource.system());
        var pods = new ApiPodGates(server, managed);
        watch = new ApiWatch(server, managed, Map.of(Kind.RESOURCE_CLAIM, claims, Kind.POD, pods));
        status = claims;
        gates = pods;
        notes = new ApiWaitNotes(server, managed, InstantSource.system());
    }

    /**
     * Opens a connection; sends no request yet.
     *
     * @throws IllegalArgumentException if the kubeconfig is unusable; the message contains the remedy
     */
    public static ApiCluster open(ApiAccess access, ApiScope scope) {
        return new ApiCluster(ApiServer.open(access), scope);
    }

    /** For tests. */
    static ApiCluster at(String url, ApiScope scope, Duration answerWithin) {
        return new ApiCluster(ApiServer.at(url, answerWithin), scope);
    }

    /**
     * Acquires the lease of the cluster for a log and renews it until this object is closed.
     *
     * <p>Only the log that holds the lease may write. The call waits some seconds if the previous holder may be gone. A caller that writes
     * without the lease must ensure that no other log serves the cluster.
     *
     * @throws AnotherLogException if another log serves the cluster
     * @throws ClusterFault if the cluster does not answer or denies the lease
     */
    public void hold(ServingLog log) {
        lease = Optional.of(LogLease.take(server, log, LogLease.Times.USUAL, InstantSource.system()));
        learnWhatIsOurs();
    }

    /** Loads the managed classes before the first write. They stay known if the ConfigMap disappears later. */
    private void learnWhatIsOurs() {
        try {
            managed.refresh();
        } catch (ClusterFault e) {
            LOG.atWarn().addKeyValue("why", e.getMessage()).log("which classes are ours cannot be asked yet");
        }
    }

    /** Returns why all writes have stopped for good: another log has acquired the lease. */
    public Optional<String> lost() {
        return lease.flatMap(LogLease::lost);
    }

    /** Releases the lease, so that another log can acquire it at once. Only the single process of a log may call it. */
    public void release() {
        lease.ifPresent(LogLease::release);
    }

    /** Returns what an operator has to do before Claimstream can allocate anything. */
    public Optional<String> trouble() {
        return obstacle().or(managed::trouble);
    }

    private Optional<String> obstacle() {
        return lease.flatMap(LogLease::obstacle);
    }

    /** Returns the URL of the API server. */
    public String url() {
        return server.url();
    }

    /**
     * Returns the version of the server, or its error message if the version is not readable.
     *
     * @throws ClusterFault if the server does not answer
     */
    public String version() {
        Reply reply = server.get("/version");
        if (reply.isForLater()) {
            throw reply.fault(server.url() + " does not say its version"); // callers take a missing version for the newest one
        }
        return reply.isGood() ? reply.body().path("gitVersion").asText("?") : reply.message();
    }

    /**
     * Returns an id of the cluster that does not depend on its address: the uid of the namespace {@code kube-system}.
     *
     * @throws ClusterFault if the server does not answer or denies the read
     */
    public String id() {
        Reply reply = server.get("/api/v1/namespaces/kube-system");
        String uid = reply.body().path("metadata").path("uid").asText("");
        if (!reply.isGood() || uid.isEmpty()) {
            throw server.refused(
                    reply, "%s does not say which cluster it is".formatted(server.url()), "allow get of namespaces");
        }
        return uid;
    }

    @Override
    public long list(Kind kind, Listing listing) {
        return watch.list(kind, listing);
    }

    @Override
    public Subscription watch(Kind kind, long version, Listener listener) {
        return watch.watch(kind, version, listener);
    }

    @Override
    public Optional<Versioned> read(ObjectKey claim) {
        return status.read(claim);
    }

    @Override
    public Optional<Versioned> recall(ObjectKey claim, String uid) {
        return status.recall(claim, uid);
    }

    @Override
    public Optional<GatedPod> recallPod(ObjectKey pod, String uid) {
        return gates.recallPod(pod, uid);
    }

    @Override
    public Answer write(Change change) {
        return ifOurs(() -> status.write(change));
    }

    @Override
    public Optional<GatedPod> readPod(ObjectKey pod) {
        return gates.readPod(pod);
    }

    @Override
    public List<GatedPod> gatedIn(String namespace) {
        return gates.gatedIn(namespace);
    }

    @Override
    public List<GatedPod> podsIn(String namespace) {
        return gates.podsIn(namespace);
    }

    @Override
    public Answer touch(GatedPod pod, String note) {
        return ifOurs(() -> gates.touch(pod, note));
    }

    @Override
    public Answer mark(Versioned claim, Optional<String> text) {
        return ifOurs(() -> status.mark(claim, text));
    }

    @Override
    public String log() {
        return lease.map(LogLease::log).orElse("-");
    }

    @Override
    public boolean isOurs(ResourceClaim claim) {
        return gates.isOurs(claim);
    }

    @Override
    public Answer open(GatedPod pod, Optional<String> node) {
        return ifOurs(() -> gates.open(pod, node));
    }

    private Answer ifOurs(Supplier<Answer> write) {
        return obstacle().<Answer>map(why -> new Answer.SlowDown(why, RETRY)).orElseGet(write);
    }

    @Override
    public boolean tell(Note note) {
        return notes.tell(note);
    }

    @Override
    public void close() {
        lease.ifPresent(LogLease::close);
        watch.close();
        server.close();
    }
}
