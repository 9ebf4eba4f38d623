package dev.claimstream.systemtests.security;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An HTTPS server that forwards requests with the right credentials to a schema registry. */
final class SecuredRegistry implements AutoCloseable {
    private final HttpsServer server;
    private final URI target;
    private final Set<String> writers;
    private final Set<String> readers;
    private final HttpClient client = HttpClient.newHttpClient();

    private SecuredRegistry(HttpsServer server, URI target, Set<String> writers, Set<String> readers) {
        this.server = server;
        this.target = target;
        this.writers = writers;
        this.readers = readers;
    }

    /**
     * Starts a server.
     *
     * @param authority its certificates; the server uses one of those that are valid
     * @param writers values of the header {@code Authorization} with which every request is accepted
     * @param readers values with which only requests that change nothing are accepted
     */
    static SecuredRegistry start(TestAuthority authority, URI target, Set<String> writers, Set<String> readers)
            throws IOException, GeneralSecurityException {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(authority.keys(), "changeit".toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        var secured = new SecuredRegistry(server, target, writers, readers);
        server.createContext("/", secured::forward);
        server.start();
        return secured;
    }

    URI url() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    private void forward(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String authorization = Optional.ofNullable(
                            exchange.getRequestHeaders().getFirst("Authorization"))
                    .orElse("");
            boolean isReader = readers.contains(authorization);
            if (!writers.contains(authorization) && (!isReader || isChange(exchange))) {
                exchange.sendResponseHeaders(isReader ? 403 : 401, -1);
                return;
            }
            var request = HttpRequest.newBuilder(URI.create(target.toString() + exchange.getRequestURI()))
                    .header("Content-Type", "application/vnd.schemaregistry.v1+json")
                    .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body))
                    .build();
            var response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            exchange.sendResponseHeaders(
                    response.statusCode(), response.body().length == 0 ? -1 : response.body().length);
            exchange.getResponseBody().write(response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A POST to a subject looks up a schema; a POST to its versions registers one. */
    private static boolean isChange(HttpExchange exchange) {
        return switch (exchange.getRequestMethod()) {
            case "GET" -> false;
            case "POST" -> exchange.getRequestURI().getPath().endsWith("/versions");
            default -> true;
        };
    }

    @Override
    public void close() {
        server.stop(0);
        client.close();
    }
}
