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
    private final Set<String> authorizations;
    private final HttpClient client = HttpClient.newHttpClient();

    private SecuredRegistry(HttpsServer server, URI target, Set<String> authorizations) {
        this.server = server;
        this.target = target;
        this.authorizations = authorizations;
    }

    /**
     * Starts a server.
     *
     * @param authority its certificates; the server uses one of those that are valid
     * @param authorizations accepted values of the header {@code Authorization}
     */
    static SecuredRegistry start(TestAuthority authority, URI target, Set<String> authorizations)
            throws IOException, GeneralSecurityException {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(authority.keys(), "changeit".toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        var secured = new SecuredRegistry(server, target, authorizations);
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
            if (!authorizations.contains(authorization)) {
                exchange.sendResponseHeaders(401, -1);
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

    @Override
    public void close() {
        server.stop(0);
        client.close();
    }
}
