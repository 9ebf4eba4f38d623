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

/** A cluster behind an API server (Kubernetes 1.34 and newer). */
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
     * Opens it; nothing is asked of the server yet.
     *
     * @throws IllegalArgumentException where the kubeconfig cannot be used, with the remedy
     */
    public static ApiCluster open(ApiAccess access, ApiScope scope) {
        return new ApiCluster(ApiServer.open(access), scope);
    }

    /** For tests. */
    static ApiCluster at(String url, ApiScope scope, Duration answerWithin) {
        return new ApiCluster(ApiServer.at(url, answerWithin), scope);
    }

    /**
     * Holds the cluster for a log, so that it is the only one whose decisions are written, until this is closed. Waits some seconds where
     * another log may be gone. Whoever writes without it says that no other log can be there.
     *
     * @throws AnotherLogException where the cluster is another log's
     * @throws ClusterFault where it does not answer, or does not let us
     */
    public void hold(ServingLog log) {
        lease = Optional.of(LogLease.take(server, log, LogLease.Times.USUAL, InstantSource.system()));
        learnWhatIsOurs();
    }

    /** Before anything is written: should it be gone when a pod asks for it, it is known what it was. */
    private void learnWhatIsOurs() {
        try {
            managed.refresh();
        } catch (ClusterFault e) {
            LOG.atWarn().addKeyValue("why", e.getMessage()).log("which classes are ours cannot be asked yet");
        }
    }

    /** Why nothing will be written to it any more, once another log has taken it. */
    public Optional<String> lost() {
        return lease.flatMap(LogLease::lost);
    }

    /** Lets another log have it at once. Only for whoever is alone on its log. */
    public void release() {
        lease.ifPresent(LogLease::release);
    }

    /** What an operator has to do before anything can be allocated, where there is such a thing. */
    public Optional<String> trouble() {
        return obstacle().or(managed::trouble);
    }

    private Optional<String> obstacle() {
        return lease.flatMap(LogLease::obstacle);
    }

    /** Where the API server is. */
    public String url() {
        return server.url();
    }

    /**
     * The version of the server, as it says it; where it lets nobody know, what it says instead.
     *
     * @throws ClusterFault where it does not answer
     */
    public String version() {
        Reply reply = server.get("/version");
        if (reply.isForLater()) {
            throw reply.fault(server.url() + " does not say its version"); // no version is the newest
        }
        return reply.isGood() ? reply.body().path("gitVersion").asText("?") : reply.message();
    }

    /**
     * What no other cluster has, whatever its address: the uid of its namespace {@code kube-system}.
     *
     * @throws ClusterFault where it does not answer, or does not say
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
