package dev.claimstream.history;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.claimstream.history.store.AccessScope;
import dev.claimstream.history.store.HistoryException;
import dev.claimstream.history.store.HistoryException.HistoryProblem;
import dev.claimstream.history.store.HistoryKind;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.ResultTable;
import dev.claimstream.history.store.ResultText;
import dev.claimstream.history.store.TimeWindow;
import dev.claimstream.history.store.UsageGroup;
import dev.claimstream.kubernetes.access.AccessDeniedException;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.process.access.HttpAccessFilter;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers questions over HTTP: on loopback every program that reaches the address may ask everything; in a cluster Kubernetes decides. Every
 * question is logged with its user.
 *
 * <p>It has a server of its own: the console's server and its filters are not part of this process.
 */
final class HistoryServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryServer.class);
    private static final String JSON = "application/json";
    private static final int QUERY_BYTES_MAX = 1 << 20;

    private final HttpServer http;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final Supplier<Optional<HistoryReader>> readers;
    private final Map<String, Double> costs;

    private HistoryServer(HttpServer http, Supplier<Optional<HistoryReader>> readers, Map<String, Double> costs) {
        this.http = http;
        this.readers = readers;
        this.costs = Map.copyOf(costs);
    }

    /** Starts a server on loopback, which everyone who reaches it may ask. */
    static HistoryServer start(int port, Supplier<Optional<HistoryReader>> readers, Map<String, Double> costs)
            throws IOException {
        return start(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port),
                HistoryRoutes.filter("127.0.0.1", List.of(), AccessGate.LOOPBACK),
                readers,
                costs);
    }

    /**
     * Starts a server.
     *
     * @param address port 0 for any free port
     * @param access decides about callers
     * @param readers empty while nothing can be answered
     * @param costs weight per class
     * @throws IOException if the port is in use
     */
    static HistoryServer start(
            InetSocketAddress address,
            HttpAccessFilter access,
            Supplier<Optional<HistoryReader>> readers,
            Map<String, Double> costs)
            throws IOException {
        HttpServer http = HttpServer.create(address, 0);
        var server = new HistoryServer(http, readers, costs);
        http.createContext("/", server::respond).getFilters().add(access);
        http.setExecutor(server.threads);
        http.start();
        return server;
    }

    URI address() {
        String host = http.getAddress().getAddress().getHostAddress();
        return URI.create("http://%s:%d"
                .formatted(
                        host.contains(":") ? "[" + host + "]" : host,
                        http.getAddress().getPort()));
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            try {
                byte[] body = body(exchange);
                HistoryReader reader = readers.get()
                        .orElseThrow(
                                () -> new HistoryException(
                                        HistoryProblem.STORE_FAILED,
                                        "the history is not open yet: look at the health of the history service, and try again"));
                LOG.atInfo()
                        .addKeyValue(
                                "caller",
                                exchange.getRemoteAddress().getAddress().getHostAddress())
                        .addKeyValue("user", HttpAccessFilter.caller().name())
                        .addKeyValue("question", exchange.getRequestURI().toString())
                        .addKeyValue("sql", new String(body, StandardCharsets.UTF_8))
                        .log("history was read");
                if (path.equals("/api/v1/export")) {
                    send(exchange, reader);
                } else {
                    send(exchange, 200, ResultText.json(answer(exchange, path, body, reader)));
                }
            } catch (HistoryException e) {
                send(exchange, status(e.problem()), error(e));
            } catch (AccessDeniedException e) {
                send(exchange, e.status(), HistoryRoutes.error(e));
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("this is a bug, please report it");
                send(
                        exchange,
                        500,
                        error(new HistoryException(
                                HistoryProblem.STORE_FAILED,
                                "the question failed: see the log of the history service")));
            }
        }
    }

    private static byte[] body(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(QUERY_BYTES_MAX + 1);
        if (body.length > QUERY_BYTES_MAX) {
            throw new HistoryException(HistoryProblem.QUERY_TOO_LARGE, "a query has at most 1 MiB: shorten it");
        }
        return body;
    }

    /** What the caller of this request sees of the namespaces in the history. */
    private static AccessScope scope(HistoryReader reader) {
        VisibleObjects visible = HttpAccessFilter.caller().visible(reader.namespaces());
        return visible.isEverything() ? AccessScope.ADMINISTRATOR : new AccessScope(false, visible.namespaces());
    }

    private ResultTable answer(HttpExchange exchange, String path, byte[] body, HistoryReader reader) {
        AccessScope scope = scope(reader);
        var parameters = new QueryParameters(exchange.getRequestURI());
        return switch (path) {
            case "/api/v1/who" -> reader.who(parameters.text("device"), parameters.time("at"), scope);
            case "/api/v1/history" ->
                reader.history(
                        HistoryKind.of(parameters.text("kind"))
                                .orElseThrow(() -> invalid("kind", "use claim, pod, device, node, namespace or class")),
                        parameters.text("name"),
                        new TimeWindow(parameters.time("since"), parameters.time("until")),
                        scope);
            case "/api/v1/usage" -> {
                Map<String, Double> weights = new HashMap<>(costs);
                parameters.find("weights").ifPresent(text -> weights.putAll(CostWeights.parse(text)));
                yield reader.usage(
                        UsageGroup.of(parameters.text("by")),
                        new TimeWindow(parameters.time("since"), parameters.time("until")),
                        weights,
                        scope);
            }
            case "/api/v1/blast-radius" ->
                reader.blastRadius(parameters.text("target"), parameters.time("since"), scope);
            case "/api/v1/sql" -> reader.sql(new String(body, StandardCharsets.UTF_8), AccessScope.ADMINISTRATOR);
            default ->
                throw new HistoryException(
                        HistoryProblem.INVALID_QUESTION,
                        "there is no path %s: use /api/v1/who, history, usage, blast-radius, sql or export"
                                .formatted(path));
        };
    }

    private static HistoryException invalid(String parameter, String remedy) {
        return new HistoryException(
                HistoryProblem.INVALID_QUESTION, "parameter %s is missing or invalid: %s".formatted(parameter, remedy));
    }

    /** The parameters of a request. */
    private record QueryParameters(Map<String, String> values) {
        QueryParameters(URI uri) {
            this(parse(Optional.ofNullable(uri.getRawQuery()).orElse("")));
        }

        private static Map<String, String> parse(String query) {
            Map<String, String> values = new HashMap<>();
            Arrays.stream(query.split("&", -1))
                    .filter(each -> each.contains("="))
                    .forEach(each -> {
                        int equals = each.indexOf('=');
                        values.put(
                                each.substring(0, equals),
                                URLDecoder.decode(each.substring(equals + 1), StandardCharsets.UTF_8));
                    });
            return values;
        }

        Optional<String> find(String name) {
            return Optional.ofNullable(values.get(name));
        }

        String text(String name) {
            return find(name).filter(each -> !each.isBlank()).orElseThrow(() -> invalid(name, "set it"));
        }

        Optional<Instant> time(String name) {
            try {
                return find(name).map(Instant::parse);
            } catch (DateTimeException e) {
                throw new HistoryException(
                        HistoryProblem.INVALID_QUESTION,
                        "parameter %s is no time: use a time like 2026-03-01T12:00:00Z".formatted(name),
                        e);
            }
        }
    }

    private static int status(HistoryProblem problem) {
        return switch (problem) {
            case INVALID_QUESTION, BEFORE_LOG -> 400;
            case FORBIDDEN -> 403;
            case QUERY_TIMEOUT, QUERY_TOO_LARGE -> 422;
            case DISK_FULL, NEWER_FILE, STORE_FAILED -> 503;
        };
    }

    private static String error(HistoryException e) {
        return ResultText.error(e.problem(), String.valueOf(e.getMessage()));
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = (body + "\n").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", JSON);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static void send(HttpExchange exchange, HistoryReader reader) throws IOException {
        Path file =
                reader.export(new QueryParameters(exchange.getRequestURI()).text("format"), AccessScope.ADMINISTRATOR);
        try (InputStream in = Files.newInputStream(file)) {
            exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
            exchange.sendResponseHeaders(200, Files.size(file));
            in.transferTo(exchange.getResponseBody());
        } finally {
            Files.deleteIfExists(file);
        }
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
