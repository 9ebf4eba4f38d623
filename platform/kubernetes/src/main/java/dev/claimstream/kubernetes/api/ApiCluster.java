package dev.claimstream.kubernetes.api;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.kubernetes.WaitNotes;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/** A cluster behind an API server (Kubernetes 1.34 and newer). */
public final class ApiCluster implements ClusterWatch, ClaimStatus, PodGates, WaitNotes, AutoCloseable {
    private final ApiServer server;
    private final ApiWatch watch;
    private final ClaimStatus status;
    private final PodGates gates;
    private final ApiWaitNotes notes;

    private ApiCluster(ApiServer server) {
        this.server = server;
        watch = new ApiWatch(server);
        status = new ApiClaimStatus(server, InstantSource.system());
        gates = new ApiPodGates(server);
        notes = new ApiWaitNotes(server, InstantSource.system());
    }

    /**
     * Opens it; nothing is asked of the server yet.
     *
     * @throws IllegalArgumentException where the kubeconfig cannot be used, with the remedy
     */
    public static ApiCluster open(ApiAccess access) {
        return new ApiCluster(ApiServer.open(access));
    }

    /** For tests. */
    static ApiCluster at(String url, Duration answerWithin) {
        return new ApiCluster(ApiServer.at(url, answerWithin));
    }

    /** Where the API server is. */
    public String url() {
        return server.url();
    }

    /**
     * The version of the server, as it says it.
     *
     * @throws dev.claimstream.kubernetes.ClusterFault where it does not answer
     */
    public String version() {
        Reply reply = server.get("/version");
        return reply.isGood() ? reply.body().path("gitVersion").asText("?") : reply.message();
    }

    @Override
    public Listed list(Kind kind) {
        return watch.list(kind);
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
    public Answer write(Change change) {
        return status.write(change);
    }

    @Override
    public Optional<GatedPod> readPod(ObjectKey pod) {
        return gates.readPod(pod);
    }

    @Override
    public Answer open(GatedPod pod, Optional<String> node) {
        return gates.open(pod, node);
    }

    @Override
    public void tell(Note note) {
        notes.tell(note);
    }

    @Override
    public void close() {
        notes.close();
        watch.close();
        server.close();
    }
}
