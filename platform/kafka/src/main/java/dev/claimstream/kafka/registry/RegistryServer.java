package dev.claimstream.kafka.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the schema catalog over HTTP on loopback, in Confluent's protocol.
 *
 * @see <a href="https://docs.confluent.io/platform/current/schema-registry/develop/api.html">Schema Registry API</a>
 */
public final class RegistryServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryServer.class);
    private static final String HOST = "127.0.0.1";
    private static final String MEDIA_TYPE = "application/vnd.schemaregistry.v1+json";
    private static final int BODY_BYTES_MAX = 4 << 20;
    private static final int NO_BODY = -1;

    private final HttpServer http;
    private final ExecutorService threads;
    private final RegistryRoutes routes;
    private final ObjectMapper json = new ObjectMapper();

    private RegistryServer(HttpServer http, ExecutorService threads, RegistryRoutes routes) {
        this.http = http;
        this.threads = threads;
        this.routes = routes;
    }

    static RegistryServer start(SchemaCatalog catalog, int port) {
        try {
            HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral(HOST), port), 0);
            ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
            var server = new RegistryServer(http, threads, new RegistryRoutes(catalog));
            http.setExecutor(threads);
            http.createContext("/", server::handle);
            http.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Port %d on %s cannot be used for the schema registry: %s. Name another port."
                            .formatted(port, HOST, e.getMessage()),
                    e);
        }
    }

    /** The URL: {@code http://host:port}. */
    public URI url() {
        return URI.create("http://" + HOST + ":" + http.getAddress().getPort());
    }

    @Override
    public void close() {
        http.stop(0);
        threads.close();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            RegistryRoutes.RegistryResponse response = respond(exchange);
            byte[] body = json.writeValueAsBytes(response.body());
            exchange.getResponseHeaders().set("Content-Type", MEDIA_TYPE);
            exchange.sendResponseHeaders(response.status(), body.length == 0 ? NO_BODY : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private RegistryRoutes.RegistryResponse respond(HttpExchange exchange) throws IOException {
        try {
            byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
            if (body.length > BODY_BYTES_MAX) {
                return error(413, 413, "a request has at most %d bytes".formatted(BODY_BYTES_MAX));
            }
            if (body.length > 0 && !isJson(exchange)) {
                return error(415, 415, "Content-Type must be " + MEDIA_TYPE);
            }
            return routes.handle(new RegistryRoutes.RegistryRequest(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI(),
                    body.length == 0 ? json.createObjectNode() : json.readTree(body)));
        } catch (JsonProcessingException e) {
            return error(400, 400, "the body is not JSON: " + e.getOriginalMessage());
        } catch (RegistryException e) {
            return error(e.errorCode().status(), e.errorCode().code(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("request", exchange.getRequestURI())
                    .setCause(e)
                    .log("schema registry failed");
            return error(
                    RegistryErrorCode.FAILED.status(),
                    RegistryErrorCode.FAILED.code(),
                    "the registry failed; see its log");
        }
    }

    /** Whether the body is JSON. Web pages can send other types to loopback without a preflight request. */
    private static boolean isJson(HttpExchange exchange) {
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        return type != null && type.contains("json");
    }

    private static RegistryRoutes.RegistryResponse error(int status, int code, String message) {
        return new RegistryRoutes.RegistryResponse(status, Map.of("error_code", code, "message", message));
    }
}
