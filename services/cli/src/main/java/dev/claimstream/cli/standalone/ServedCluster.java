package dev.claimstream.cli.standalone;

import dev.claimstream.cli.folder.BoundCluster;
import dev.claimstream.cli.folder.ClusterKind;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.LogIdentity;
import dev.claimstream.kafka.LogProgress;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.ObjectStore;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.api.CandidateLog;
import dev.claimstream.kubernetes.api.CompetingLogException;
import dev.claimstream.kubernetes.miniature.MiniatureCluster;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.observability.Health;
import dev.claimstream.writer.streams.StoredVersion;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The cluster for which Claimstream allocates: simulated or behind an API server. */
public sealed interface ServedCluster extends AutoCloseable {
    /**
     * The selection of a cluster to open.
     *
     * @param kind kind of the cluster, which the data folder stores
     * @param access empty for the simulated cluster
     * @param gates feature gates for a server of a release
     */
    record ClusterSelection(
            ClusterKind kind,
            Optional<ApiAccess> access,
            ApiScope scope,
            Function<KubernetesVersion, FeatureGates> gates) {}

    /** Returns the identity of the cluster, to which the data folder is bound. */
    BoundCluster identity();

    /** Returns the known release nearest to the server's version; empty for the simulated cluster. */
    Optional<KubernetesVersion> release();

    /** Returns the client that the services watch and write with. */
    ClusterWatch services();

    /**
     * Acquires the exclusive right to write decisions of a log to the cluster.
     *
     * @throws RunFailure if another log serves the cluster
     */
    void acquire(LogIdentity log, KafkaConnection kafka, Path folder);

    /** Returns why the right to write has been lost; empty while it is held. */
    Optional<String> lossReason();

    /** Applies the objects of the start. */
    List<ObjectStore.ApplyResult> apply(List<Manifest> objects);

    Health.Condition condition();

    @Override
    void close();

    /** The simulated cluster, whose objects are stored in the broker of {@code up}. */
    record Miniature(MiniatureCluster services) implements ServedCluster {
        @Override
        public BoundCluster identity() {
            return BoundCluster.MINIATURE;
        }

        @Override
        public Optional<KubernetesVersion> release() {
            return Optional.empty();
        }

        /** Does nothing, because the cluster is stored in that log. */
        @Override
        public void acquire(LogIdentity log, KafkaConnection kafka, Path folder) {}

        @Override
        public Optional<String> lossReason() {
            return Optional.empty();
        }

        @Override
        public List<ObjectStore.ApplyResult> apply(List<Manifest> objects) {
            return services.apply(objects);
        }

        @Override
        public Health.Condition condition() {
            return services.problem()
                    .map(why -> Health.Condition.degraded("accepts no changes now: " + why))
                    .orElseGet(() -> Health.Condition.up("accepts changes"));
        }

        @Override
        public void close() {
            services.close();
        }
    }

    /** A cluster behind an API server. Its objects are changed there, and not by {@code up}. */
    record Server(ApiCluster services, String id, String version) implements ServedCluster {
        private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);

        /**
         * Connects to the API server.
         *
         * @throws RunFailure if the API server cannot be reached
         */
        static Server open(ApiAccess access, ApiScope scope) {
            try {
                ApiCluster cluster = ApiCluster.open(access, scope);
                try {
                    String id = StartupRetry.call(cluster::clusterId, StartupRetry.DEFAULT_LIMIT);
                    return new Server(cluster, id, StartupRetry.call(cluster::version, StartupRetry.DEFAULT_LIMIT));
                } catch (ClusterFault e) {
                    cluster.close();
                    throw e;
                }
            } catch (ClusterFault | IllegalArgumentException e) {
                throw new RunFailure(String.valueOf(e.getMessage()));
            }
        }

        @Override
        public BoundCluster identity() {
            return new BoundCluster(id, Optional.of(services.url()));
        }

        @Override
        public Optional<KubernetesVersion> release() {
            return Optional.of(KubernetesVersion.nearest(version));
        }

        @Override
        public void acquire(LogIdentity log, KafkaConnection kafka, Path folder) {
            String where = "%s of %s (process %d)"
                    .formatted(folder, host(), ProcessHandle.current().pid());
            try {
                var serving = new CandidateLog(
                        log.id(),
                        !log.hasServed(),
                        where,
                        LogProgress.of(kafka, RESPONSE_TIMEOUT),
                        StoredVersion.read(kafka, RESPONSE_TIMEOUT));
                StartupRetry.call(() -> acquire(serving), StartupRetry.DEFAULT_LIMIT);
            } catch (ClusterFault | CompetingLogException e) {
                throw new RunFailure(String.valueOf(e.getMessage()));
            }
        }

        private boolean acquire(CandidateLog log) {
            services.acquireLease(log);
            return true;
        }

        private static String host() {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                return "an unnamed host";
            }
        }

        @Override
        public Optional<String> lossReason() {
            return services.leaseLossReason();
        }

        @Override
        public List<ObjectStore.ApplyResult> apply(List<Manifest> objects) {
            return List.of();
        }

        @Override
        public Health.Condition condition() {
            return services.problem()
                    .map(Health.Condition::degraded)
                    .orElseGet(() -> Health.Condition.up("Kubernetes %s at %s".formatted(version, services.url())));
        }

        @Override
        public void close() {
            services.releaseLease();
            services.close();
        }
    }
}
