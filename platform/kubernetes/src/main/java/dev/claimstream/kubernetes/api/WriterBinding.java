package dev.claimstream.kubernetes.api;

import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.util.Optional;

/** The admission policy of the single writer and its binding, as an API server has them. */
public final class WriterBinding implements AutoCloseable {
    private static final String NAME = "claimstream-single-writer";
    private static final String ADMISSION = "/apis/admissionregistration.k8s.io/v1/";
    private static final String POLICY = "validatingadmissionpolicies/" + NAME;
    private static final String BINDING = "validatingadmissionpolicybindings/" + NAME;

    private final ApiHttpClient server;

    private WriterBinding(ApiHttpClient server) {
        this.server = server;
    }

    /**
     * Opens a connection; sends no request yet.
     *
     * @throws IllegalArgumentException if the access is unusable; the message contains the remedy
     */
    public static WriterBinding open(ApiAccess access) {
        return new WriterBinding(ApiHttpClient.open(access));
    }

    /** For tests. */
    static WriterBinding at(ApiHttpClient server) {
        return new WriterBinding(server);
    }

    /**
     * Returns the name of the first missing object; empty if both exist. The server may enforce them a second later.
     *
     * @throws ClusterFault if the cluster does not respond or denies the request
     */
    public Optional<String> missing() {
        return isMissing(POLICY) ? Optional.of(POLICY) : Optional.of(BINDING).filter(this::isMissing);
    }

    private boolean isMissing(String object) {
        Reply reply = server.get(ADMISSION + object);
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return true;
        }
        if (!reply.isSuccess()) {
            String problem = object + " cannot be read";
            throw reply.isRetryable() ? reply.fault(problem) : server.failure(reply, problem, "allow get of it");
        }
        return false;
    }

    @Override
    public void close() {
        server.close();
    }
}
