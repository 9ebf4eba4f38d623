package dev.claimstream.cli.console;

import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * Sends requests to a service over HTTP, without a proxy. A token is sent only after the service has asked for one (401).
 *
 * <p>It uses {@link HttpURLConnection}, which starts faster than the newer client of the JDK. Not thread-safe.
 */
public final class ServiceConnection {
    /** Time in which a service answers a request, unless it has to answer sooner. */
    public static final Duration RESPONSE_TIMEOUT = Duration.ofMinutes(2);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final URI service;
    private final Function<URI, String> tokens;
    private Optional<String> token = Optional.empty();

    /** @param tokens returns the token for a service that asks for one */
    public ServiceConnection(URI service, Function<URI, String> tokens) {
        this.service = service;
        this.tokens = tokens;
    }

    /** Creates a connection that sends the token of {@link ServiceToken}. */
    public static ServiceConnection withUsualToken(URI service) {
        return new ServiceConnection(service, each -> ServiceToken.of(each, Optional.empty()));
    }

    /**
     * A request.
     *
     * @param path with parameters
     * @param accept type of the response
     * @param contentType type of the body; not sent without a body
     * @param silence longest time without a byte of the response
     */
    public record ServiceRequest(
            String method, String path, String accept, String contentType, Optional<byte[]> body, Duration silence) {}

    /** Sends a request; the response has any status except for the first 401. */
    public HttpURLConnection send(ServiceRequest request) throws IOException {
        var connection =
                (HttpURLConnection) URI.create(service + request.path()).toURL().openConnection(Proxy.NO_PROXY);
        connection.setRequestMethod(request.method());
        connection.setConnectTimeout((int) CONNECT_TIMEOUT.toMillis());
        connection.setReadTimeout((int) request.silence().toMillis());
        connection.setRequestProperty("Accept", request.accept());
        token.ifPresent(each -> connection.setRequestProperty("Authorization", "Bearer " + each));
        if (request.body().isPresent()) {
            connection.setRequestProperty("Content-Type", request.contentType());
            // Not streamed: the JDK discards the body of a 401 whose request was streamed.
            connection.setDoOutput(true);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(request.body().get());
            }
        }
        if (connection.getResponseCode() == HttpURLConnection.HTTP_UNAUTHORIZED && token.isEmpty()) {
            token = Optional.of(tokens.apply(service));
            return send(request);
        }
        return connection;
    }
}
