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
import dev.claimstream.observability.Meters;
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
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers questions over HTTP on loopback. Each program that reaches the address may ask everything; every question is logged.
 *
 * <p>It has a server of its own: the console's server and its filters are not part of this process.
 */
final class HistoryServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryServer.class);
    private static final String JSON = "application/json";
    private static final int QUERY_BYTES_MAX = 1 << 20;
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final HttpServer http;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final Supplier<Optional<HistoryReader>> readers;
    private final Map<String, Double> costs;
    private final QuestionLog questions;

    private HistoryServer(
            HttpServer http, Supplier<Optional<HistoryReader>> readers, Map<String, Double> costs, Meters meters) {
        this.http = http;
        this.readers = readers;
        this.costs = Map.copyOf(costs);
        questions = new QuestionLog(meters);
    }

    /**
     * Starts a server.
     *
     * @param port 0 for any free port
     * @param readers empty while nothing can be answered
     * @param costs weight per class
     * @throws IOException if the port is in use
     */
    static HistoryServer start(
            int port, Supplier<Optional<HistoryReader>> readers, Map<String, Double> costs, Meters meters)
            throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), 0);
        var server = new HistoryServer(http, readers, costs, meters);
        http.createContext("/", server::respond);
        http.setExecutor(server.threads);
        http.start();
        return server;
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            long begin = System.nanoTime();
            byte[] body = new byte[0];
            Optional<Integer> rows = Optional.empty();
            Optional<HistoryProblem> problem = Optional.empty();
            try {
                checkHost(exchange);
                body = body(exchange);
                HistoryReader reader = readers.get()
                        .orElseThrow(
                                () -> new HistoryException(
                                        HistoryProblem.STORE_FAILED,
                                        "the history is not open yet: look at the health of the history service, and try again"));
                if (path.equals("/api/v1/export")) {
                    send(exchange, reader);
                } else {
                    ResultTable table = answer(exchange, path, body, reader);
                    rows = Optional.of(table.rows().size());
                    send(exchange, 200, ResultText.json(table));
                }
            } catch (HistoryException e) {
                problem = Optional.of(e.problem());
                send(exchange, status(e.problem()), error(e));
            } catch (RuntimeException e) {
                problem = Optional.of(HistoryProblem.STORE_FAILED);
                LOG.atError().setCause(e).log("this is a bug, please report it");
                send(
                        exchange,
                        500,
                        error(new HistoryException(
                                HistoryProblem.STORE_FAILED,
                                "the question failed: see the log of the history service")));
            } finally {
                questions.log(
                        question(exchange, path, body), rows, problem, Duration.ofNanos(System.nanoTime() - begin));
            }
        }
    }

    private static QuestionLog.Question question(HttpExchange exchange, String path, byte[] body) {
        return new QuestionLog.Question(
                exchange.getRemoteAddress().getAddress().getHostAddress(),
                path,
                exchange.getRequestURI().toString(),
                new String(body, StandardCharsets.UTF_8));
    }

    /** A page in a browser could otherwise ask with a foreign host name that resolves to this server. */
    private static void checkHost(HttpExchange exchange) {
        List<String> hosts = exchange.getRequestHeaders().getOrDefault("Host", List.of());
        boolean isLocal = hosts.size() == 1
                && LOOPBACK.contains(
                        hosts.getFirst().replaceFirst(":[0-9]+$", "").toLowerCase(Locale.ROOT));
        if (!isLocal || exchange.getRequestHeaders().containsKey("Origin")) {
            throw new HistoryException(
                    HistoryProblem.FORBIDDEN, "the history answers only local requests: use 127.0.0.1 or localhost");
        }
    }

    private static byte[] body(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(QUERY_BYTES_MAX + 1);
        if (body.length > QUERY_BYTES_MAX) {
            throw new HistoryException(HistoryProblem.QUERY_TOO_LARGE, "a query has at most 1 MiB: shorten it");
        }
        return body;
    }

    private ResultTable answer(HttpExchange exchange, String path, byte[] body, HistoryReader reader) {
        var parameters = new QueryParameters(exchange.getRequestURI());
        return switch (path) {
            case "/api/v1/who" ->
                reader.who(parameters.text("device"), parameters.time("at"), AccessScope.ADMINISTRATOR);
            case "/api/v1/history" ->
                reader.history(
                        HistoryKind.of(parameters.text("kind"))
                                .orElseThrow(() -> invalid("kind", "use claim, pod, device, node, namespace or class")),
                        parameters.text("name"),
                        new TimeWindow(parameters.time("since"), parameters.time("until")),
                        AccessScope.ADMINISTRATOR);
            case "/api/v1/usage" -> {
                Map<String, Double> weights = new HashMap<>(costs);
                parameters.find("weights").ifPresent(text -> weights.putAll(CostWeights.parse(text)));
                yield reader.usage(
                        UsageGroup.of(parameters.text("by")),
                        new TimeWindow(parameters.time("since"), parameters.time("until")),
                        weights,
                        AccessScope.ADMINISTRATOR);
            }
            case "/api/v1/blast-radius" ->
                reader.blastRadius(parameters.text("target"), parameters.time("since"), AccessScope.ADMINISTRATOR);
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
