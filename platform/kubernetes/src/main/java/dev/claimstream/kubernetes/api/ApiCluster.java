package dev.claimstream.kubernetes.api;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.EventRecorder;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.VersionedObject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster behind an API server (Kubernetes 1.34 and newer). Safe for use by several threads. */
public final class ApiCluster implements ClusterWatch, ClaimStatusClient, PodGates, EventRecorder, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiCluster.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final ApiHttpClient server;
    private final ApiWatch watch;
    private final ClaimStatusClient status;
    private final PodGates gates;
    private final ApiEventRecorder eventRecorder;
    private final ManagedClasses managed;
    private volatile Optional<LogLease> lease = Optional.empty();
    private volatile Optional<LeaseAcquisition> acquisition = Optional.empty();

    private ApiCluster(ApiHttpClient server, ApiScope scope, PolicyRequirement requirement) {
        this.server = server;
        managed = new ManagedClasses(server, scope);
        var claims = new ApiClaimStatusClient(server, InstantSource.system());
        var pods = new ApiPodGates(server, managed);
        var policy = Optional.of(new SingleWriterPolicy(server, InstantSource.system()))
                .filter(_ -> requirement == PolicyRequirement.SINGLE_WRITER);
        watch = new ApiWatch(server, managed, policy, Map.of(Kind.RESOURCE_CLAIM, claims, Kind.POD, pods));
        status = claims;
        gates = pods;
        eventRecorder = new ApiEventRecorder(server, managed, InstantSource.system());
    }

    /**
     * Opens a connection; sends no request yet.
     *
     * @throws IllegalArgumentException if the kubeconfig is unusable; the message contains the remedy
     */
    public static ApiCluster open(ApiAccess access, ApiScope scope) {
        return open(access, scope, PolicyRequirement.NONE);
    }

    /**
     * Opens a connection to a cluster that may have to enforce a policy; sends no request yet.
     *
     * @throws IllegalArgumentException if the access is unusable; the message contains the remedy
     */
    public static ApiCluster open(ApiAccess access, ApiScope scope, PolicyRequirement requirement) {
        return new ApiCluster(ApiHttpClient.open(access), scope, requirement);
    }

    /** For tests. */
    static ApiCluster at(String url, ApiScope scope, Duration answerWithin) {
        return at(url, scope, PolicyRequirement.NONE, answerWithin);
    }

    /** For tests. */
    static ApiCluster at(String url, ApiScope scope, PolicyRequirement requirement, Duration answerWithin) {
        return new ApiCluster(ApiHttpClient.at(url, answerWithin), scope, requirement);
    }

    /**
     * Acquires the lease of the cluster for a log and renews it until this object is closed.
     *
     * <p>Only the log that holds the lease may write. The call waits some seconds if the previous holder may be gone. A caller that writes
     * without the lease must ensure that no other log serves the cluster.
     *
     * @throws CompetingLogException if another log serves the cluster
     * @throws ClusterFault if the cluster does not respond or denies the lease
     */
    public void acquireLease(CandidateLog log) {
        onLeaseAcquired(LogLease.acquire(server, log, LogLease.LeaseTiming.DEFAULT, InstantSource.system()));
    }

    /**
     * Acquires the lease in the background, as soon as the API server and Kafka respond. Nothing is written before.
     *
     * <p>Another log that serves the cluster, and lasting denial of access, are a {@link #leaseLossReason}.
     *
     * @param log reads the log from Kafka for each attempt; it may throw a {@link dev.claimstream.kafka.TopicsException}
     */
    public void acquireLeaseInBackground(Supplier<CandidateLog> log) {
        acquisition = Optional.of(
                LeaseAcquisition.start(server, log, this::onLeaseAcquired, LeaseAcquisition.AcquisitionTiming.DEFAULT));
    }

    private void onLeaseAcquired(LogLease acquired) {
        loadManagedClasses();
        lease = Optional.of(acquired);
    }

    /** Loads the managed classes before the first write. They stay known if the ConfigMap disappears later. */
    private void loadManagedClasses() {
        try {
            managed.refresh();
        } catch (ClusterFault e) {
            LOG.atWarn().addKeyValue("why", e.getMessage()).log("managed classes cannot be read yet; retrying");
        }
    }

    /** Returns why nothing is written any more: another log holds the lease, or access to it is denied. */
    public Optional<String> leaseLossReason() {
        return lease.isPresent()
                ? lease.flatMap(LogLease::lossReason)
                : acquisition.flatMap(LeaseAcquisition::abortReason);
    }

    @Override
    public boolean isLeasePending() {
        return lease.isEmpty() && acquisition.isPresent();
    }

    /** Releases the lease, so that another log can acquire it at once. Only the single process of a log may call it. */
    public void releaseLease() {
        lease.ifPresent(LogLease::release);
    }

    /** Returns what an operator has to do before Claimstream can allocate anything. */
    public Optional<String> problem() {
        return writeBlocker().or(managed::problem);
    }

    /** Returns why nothing may be written now, because of the lease; empty if writes are allowed or no lease is requested. */
    public Optional<String> writeBlocker() {
        return lease.isPresent() ? lease.flatMap(LogLease::writeBlocker) : acquisition.map(LeaseAcquisition::problem);
    }

    /** Returns the URL of the API server. */
    public String url() {
        return server.url();
    }

    /**
     * Returns the version of the server, or its error message if the version is not readable.
     *
     * @throws ClusterFault if the server does not respond
     */
    public String version() {
        Reply reply = server.get("/version");
        if (reply.isRetryable()) {
            throw reply.fault(
                    server.url() + " does not report its version"); // callers take a missing version for the newest one
        }
        return reply.isSuccess() ? reply.body().path("gitVersion").asText("?") : reply.message();
    }

    /**
     * Returns an id of the cluster that does not depend on its address: the uid of the namespace {@code kube-system}.
     *
     * @throws ClusterFault if the server does not respond or denies the read
     */
    public String clusterId() {
        Reply reply = server.get("/api/v1/namespaces/kube-system");
        String uid = reply.body().path("metadata").path("uid").asText("");
        if (!reply.isSuccess() || uid.isEmpty()) {
            throw server.failure(
                    reply,
                    "%s does not report the identity of its cluster".formatted(server.url()),
                    "allow get of namespaces");
        }
        return uid;
    }

    @Override
    public Optional<String> identity() {
        return Optional.of(clusterId());
    }

    @Override
    public long list(Kind kind, PageListener listing) {
        return watch.list(kind, listing);
    }

    @Override
    public Subscription watch(Kind kind, long version, WatchListener listener) {
        return watch.watch(kind, version, listener);
    }

    @Override
    public Optional<VersionedObject> read(ObjectKey claim) {
        return status.read(claim);
    }

    @Override
    public Optional<VersionedObject> readCached(ObjectKey claim, String uid) {
        return status.readCached(claim, uid);
    }

    @Override
    public Optional<VersionedObject> readClass(String name) {
        return status.readClass(name);
    }

    @Override
    public Optional<GatedPod> readCachedPod(ObjectKey pod, String uid) {
        return gates.readCachedPod(pod, uid);
    }

    @Override
    public WriteResult write(StatusChange change) {
        return ifLeaseHeld(() -> status.write(change));
    }

    @Override
    public Optional<GatedPod> readPod(ObjectKey pod) {
        return gates.readPod(pod);
    }

    @Override
    public List<GatedPod> listGatedPods(String namespace) {
        return gates.listGatedPods(namespace);
    }

    @Override
    public List<GatedPod> listPods(String namespace) {
        return gates.listPods(namespace);
    }

    @Override
    public WriteResult markDeallocation(GatedPod pod, String note) {
        return ifLeaseHeld(() -> gates.markDeallocation(pod, note));
    }

    @Override
    public WriteResult setDeallocationMark(VersionedObject claim, Optional<String> text) {
        return ifLeaseHeld(() -> status.setDeallocationMark(claim, text));
    }

    /** @throws ClusterFault if the lease is not acquired yet; a mark without the id of a log would be useless */
    @Override
    public String logId() {
        if (isLeasePending()) {
            throw new ClusterFault(writeBlocker().orElse("the lease is not acquired yet"), RETRY);
        }
        return lease.map(LogLease::log).orElse("-");
    }

    @Override
    public long knownVersion() {
        return lease.map(LogLease::version).orElse(0L);
    }

    @Override
    public boolean isManaged(ResourceClaim claim) {
        return gates.isManaged(claim);
    }

    @Override
    public WriteResult removeGate(GatedPod pod, Optional<String> node) {
        return ifLeaseHeld(() -> gates.removeGate(pod, node));
    }

    private WriteResult ifLeaseHeld(Supplier<WriteResult> write) {
        return writeBlocker()
                .<WriteResult>map(reason -> new WriteResult.TooManyRequests(reason, RETRY))
                .orElseGet(write);
    }

    @Override
    public boolean emit(KubernetesEvent note) {
        return !isLeasePending() && eventRecorder.emit(note);
    }

    @Override
    public void close() {
        acquisition.ifPresent(LeaseAcquisition::close); // before the lease, which it may just have acquired
        lease.ifPresent(LogLease::close);
        watch.close();
        server.close();
    }
}
