package dev.claimstream.cli;

import dev.claimstream.dra.Features;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.kafka.LogIdentity;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.ObjectStore;
import dev.claimstream.kubernetes.api.AnotherLogException;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.api.ServingLog;
import dev.claimstream.kubernetes.miniature.MiniatureCluster;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.observability.Health;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The cluster that a Claimstream serves. */
sealed interface ServedCluster extends AutoCloseable {
    /**
     * A cluster to open.
     *
     * @param access absent: one in miniature
     * @param gates those of a server of this release
     */
    record Wanted(Optional<ApiAccess> access, ApiScope scope, Function<KubernetesVersion, Features> gates) {}

    /** By which it is known again. */
    String id();

    /** Of those that are known, the one that is nearest to that of its server; absent where it has no server. */
    Optional<KubernetesVersion> release();

    /** What the services ask and write. */
    ClusterWatch services();

    /**
     * Makes a log the only one whose decisions are written to it.
     *
     * @throws RunFailure where another log serves it
     */
    void hold(LogIdentity log, Path folder);

    /** Why nothing will be written to it any more. */
    Optional<String> lost();

    /** Objects of the start. */
    List<ObjectStore.Applied> apply(List<Manifest> objects);

    Health.Condition condition();

    @Override
    void close();

    /** Kubernetes in miniature, kept beside everything else. */
    record Miniature(MiniatureCluster services) implements ServedCluster {
        @Override
        public String id() {
            return DataFolder.MINIATURE;
        }

        @Override
        public Optional<KubernetesVersion> release() {
            return Optional.empty();
        }

        /** It is kept in that log. */
        @Override
        public void hold(LogIdentity log, Path folder) {}

        @Override
        public Optional<String> lost() {
            return Optional.empty();
        }

        @Override
        public List<ObjectStore.Applied> apply(List<Manifest> objects) {
            return services.apply(objects);
        }

        @Override
        public Health.Condition condition() {
            return services.trouble()
                    .map(why -> Health.Condition.degraded("takes no changes now: " + why))
                    .orElseGet(() -> Health.Condition.up("takes changes"));
        }

        @Override
        public void close() {
            services.close();
        }
    }

    /** One behind an API server; its objects are changed there. */
    record Server(ApiCluster services, String id, String version) implements ServedCluster {
        /** @throws RunFailure where it cannot be reached now */
        static Server open(ApiAccess access, ApiScope scope) {
            try {
                ApiCluster cluster = ApiCluster.open(access, scope);
                try {
                    String id = Insistence.ask(cluster::id, Insistence.USUAL);
                    return new Server(cluster, id, Insistence.ask(cluster::version, Insistence.USUAL));
                } catch (ClusterFault e) {
                    cluster.close();
                    throw e;
                }
            } catch (ClusterFault | IllegalArgumentException e) {
                throw new RunFailure(String.valueOf(e.getMessage()));
            }
        }

        @Override
        public Optional<KubernetesVersion> release() {
            return Optional.of(KubernetesVersion.nearest(version));
        }

        @Override
        public void hold(LogIdentity log, Path folder) {
            String where = "%s of %s (process %d)"
                    .formatted(folder, host(), ProcessHandle.current().pid());
            try {
                var serving = new ServingLog(log.id(), !log.hasDecisions(), where);
                Insistence.ask(() -> hold(serving), Insistence.USUAL);
            } catch (ClusterFault | AnotherLogException e) {
                throw new RunFailure(String.valueOf(e.getMessage()));
            }
        }

        private boolean hold(ServingLog log) {
            services.hold(log);
            return true;
        }

        private static String host() {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                return "a host without a name";
            }
        }

        @Override
        public Optional<String> lost() {
            return services.lost();
        }

        @Override
        public List<ObjectStore.Applied> apply(List<Manifest> objects) {
            return List.of();
        }

        @Override
        public Health.Condition condition() {
            return services.trouble()
                    .map(Health.Condition::degraded)
                    .orElseGet(() -> Health.Condition.up("Kubernetes %s at %s".formatted(version, services.url())));
        }

        @Override
        public void close() {
            services.release();
            services.close();
        }
    }
}
