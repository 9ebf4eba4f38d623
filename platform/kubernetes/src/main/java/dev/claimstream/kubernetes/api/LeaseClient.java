package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;

/** Reads and writes the Lease object of a {@link LogLease}, and creates its namespace. */
final class LeaseClient {
    private final ApiHttpClient server;

    LeaseClient(ApiHttpClient server) {
        this.server = server;
    }

    /** Result of a write that the API server has processed. */
    sealed interface LeaseWrite {
        /**
         * The Lease is written.
         *
         * @param lease the Lease as the API server has stored it
         */
        record LeaseWritten(JsonNode lease) implements LeaseWrite {}

        /** Another process has changed the Lease since it was read. */
        record LeaseConflict() implements LeaseWrite {}

        /** The namespace was missing and exists now. The Lease is not written. */
        record NamespaceCreated() implements LeaseWrite {}
    }

    /**
     * Returns the Lease; empty if there is none.
     *
     * @throws ClusterFault if the cluster does not respond or denies the read
     */
    Optional<ObjectNode> read() {
        Reply reply = server.get(Paths.lease(LogLease.NAMESPACE, LogLease.NAME));
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (reply.isSuccess() && reply.body() instanceof ObjectNode lease) {
            return Optional.of(lease);
        }
        throw failure("read", reply);
    }

    /**
     * Creates the Lease, or replaces the version that was read.
     *
     * @throws ClusterFault if the cluster does not respond or denies the write
     */
    LeaseWrite write(ObjectNode lease) {
        boolean isStored = LeaseFields.isStored(lease);
        Reply reply = isStored
                ? server.put(Paths.lease(LogLease.NAMESPACE, LogLease.NAME), lease.toString())
                : server.post(Paths.leases(LogLease.NAMESPACE), lease.toString());
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND && !isStored) {
            createNamespace();
            return new LeaseWrite.NamespaceCreated();
        }
        if (reply.code() == HttpURLConnection.HTTP_CONFLICT) {
            return new LeaseWrite.LeaseConflict();
        }
        if (reply.isSuccess()) {
            return new LeaseWrite.LeaseWritten(reply.body());
        }
        throw failure("written", reply);
    }

    private void createNamespace() {
        ObjectNode namespace = ApiHttpClient.JSON.createObjectNode();
        namespace.put("apiVersion", "v1").put("kind", "Namespace");
        namespace.putObject("metadata").put("name", LogLease.NAMESPACE);
        Reply reply = server.post("/api/v1/namespaces", namespace.toString());
        if (!reply.isSuccess() && reply.code() != HttpURLConnection.HTTP_CONFLICT) {
            String problem = "namespace %s for the lease does not exist and cannot be created: %s"
                    .formatted(LogLease.NAMESPACE, reply.message());
            throw reply.code() == HttpURLConnection.HTTP_FORBIDDEN
                    ? ClusterFault.denied(problem, "kubectl create namespace " + LogLease.NAMESPACE)
                    : new ClusterFault(problem);
        }
    }

    private ClusterFault failure(String done, Reply reply) {
        if (reply.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
            return server.unauthorized(reply.message());
        }
        String problem =
                "the lease %s/%s cannot be %s: %s".formatted(LogLease.NAMESPACE, LogLease.NAME, done, reply.message());
        return reply.code() == HttpURLConnection.HTTP_FORBIDDEN
                ? ClusterFault.denied(
                        problem,
                        "allow get, create and update of leases there, as deploy/policies/rights-of-the-writer.yaml does")
                : new ClusterFault(problem, reply.retryAfter().orElse(Duration.ZERO));
    }
}
