package dev.claimstream.history;

import com.sun.net.httpserver.HttpExchange;
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
import dev.claimstream.kubernetes.access.Caller;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.observability.Meters;
import dev.claimstream.process.access.HttpAccessFilter;
import dev.claimstream.process.http.ServiceHttpServer;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers questions over HTTP. On loopback every program that reaches the address may ask everything; in a cluster
 * Kubernetes decides. Every question is logged with its user.
 *
 * <p>It has a server of its own: the console's server and its filters are not part of this process.
 */
final class HistoryServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryServer.class);
    private static final String JSON = "application/json";
    private static final String SQL = "/api/v1/sql";
    private static final int QUERY_BYTES_MAX = 1 << 20;

    /** Maximum number of answers that are made at once. The largest has 100,000 rows. */
    private static final int ANSWERS_MAX = 2;

    private final ServiceHttpServer http;
    private final Supplier<Optional<HistoryReader>> readers;
    private final Map<String, Double> costs;
    private final QuestionLog questions;
    private final Semaphore answering = new Semaphore(ANSWERS_MAX, true);

    private HistoryServer(
            InetSocketAddress address,
            HttpAccessFilter access,
            Supplier<Optional<HistoryReader>> readers,
            Map<String, Double> costs,
            Meters meters)
            throws IOException {
        this.readers = readers;
        this.costs = Map.copyOf(costs);
        questions = new QuestionLog(meters);
        http = ServiceHttpServer.start("history-http", address, access, this::respond);
    }

    /** Starts a server on loopback. Every program that reaches it may ask everything. */
    static HistoryServer start(
            int port, Supplier<Optional<HistoryReader>> readers, Map<String, Double> costs, Meters meters)
            throws IOException {
        return start(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port),
                HistoryRoutes.filter("127.0.0.1", List.of(), AccessGate.LOOPBACK),
                readers,
                costs,
                meters);
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
            Map<String, Double> costs,
            Meters meters)
            throws IOException {
        return new HistoryServer(address, access, readers, costs, meters);
    }

    URI address() {
        String host = http.address().getAddress().getHostAddress();
        return URI.create("http://%s:%d"
                .formatted(
                        host.contains(":") ? "[" + host + "]" : host,
                        http.address().getPort()));
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            long begin = System.nanoTime();
            byte[] body = new byte[0];
            Optional<Integer> rows = Optional.empty();
            Optional<HistoryProblem> problem = Optional.empty();
            try {
                body = body(exchange);
                HistoryReader reader = readers.get()
                        .orElseThrow(
                                () -> new HistoryException(
                                        HistoryProblem.STORE_FAILED,
                                        "the history is not open yet: look at the health of the history service, and try again"));
                if (path.equals("/api/v1/export")) {
                    send(exchange, reader);
                } else {
                    TextWithRows text = inTurn(exchange, path, body, reader);
                    rows = Optional.of(text.rows());
                    send(exchange, 200, text.text());
                }
            } catch (HistoryException e) {
                problem = Optional.of(e.problem());
                send(exchange, status(e.problem()), error(e));
            } catch (AccessDeniedException e) {
                problem = Optional.of(HistoryProblem.FORBIDDEN);
                send(exchange, e.status(), HistoryRoutes.error(e));
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
                questions.log(exchange, body, rows, problem, Duration.ofNanos(System.nanoTime() - begin));
            }
        }
    }

    private record TextWithRows(String text, int rows) {}

    /** Answers few questions at once, because an answer may take a large part of the heap. */
    private TextWithRows inTurn(HttpExchange exchange, String path, byte[] body, HistoryReader reader) {
        AccessScope scope = path.equals(SQL) ? AccessScope.ADMINISTRATOR : scope(reader);
        try {
            if (!answering.tryAcquire(HistoryReader.TIME_MAX.toSeconds(), TimeUnit.SECONDS)) {
                throw new HistoryException(
                        HistoryProblem.QUERY_TIMEOUT, "other queries are running: retry in a few seconds");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HistoryException(HistoryProblem.STORE_FAILED, "the history is stopping: retry", e);
        }
        try {
            ResultTable table = answer(exchange, path, body, reader, scope);
            return new TextWithRows(ResultText.json(table), table.rows().size());
        } finally {
            answering.release();
        }
    }

    private static byte[] body(HttpExchange exchange) throws IOException {
        return ServiceHttpServer.body(exchange, QUERY_BYTES_MAX)
                .orElseThrow(() ->
                        new HistoryException(HistoryProblem.QUERY_TOO_LARGE, "a query has at most 1 MiB: shorten it"));
    }

    /** What the caller of this request sees of the namespaces in the history. */
    private static AccessScope scope(HistoryReader reader) {
        Caller caller = HttpAccessFilter.caller();
        if (caller.isLocal()) {
            return AccessScope.ADMINISTRATOR;
        }
        VisibleObjects visible = caller.visible(reader.namespaces());
        return visible.isEverything()
                ? AccessScope.ADMINISTRATOR
                : new AccessScope(false, visible.hasDevices(), visible.namespaces());
    }

    private ResultTable answer(
            HttpExchange exchange, String path, byte[] body, HistoryReader reader, AccessScope scope) {
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
            case "/api/v1/usage-series" -> {
                Map<String, Double> weights = new HashMap<>(costs);
                parameters.find("weights").ifPresent(text -> weights.putAll(CostWeights.parse(text)));
                yield reader.usageSeries(
                        UsageGroup.of(parameters.text("by")),
                        new TimeWindow(parameters.time("since"), parameters.time("until")),
                        parameters.number("steps"),
                        weights,
                        scope);
            }
            case "/api/v1/blast-radius" ->
                reader.blastRadius(parameters.text("target"), parameters.time("since"), scope);
            case SQL -> reader.sql(new String(body, StandardCharsets.UTF_8), scope);
            default ->
                throw new HistoryException(
                        HistoryProblem.INVALID_QUESTION,
                        "there is no path %s: use /api/v1/who, history, usage, usage-series, blast-radius, sql or export"
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

        int number(String name) {
            try {
                return Integer.parseInt(text(name));
            } catch (NumberFormatException e) {
                throw invalid(name, "use a number");
            }
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
        exchange.getResponseBody().flush(); // before the end of the exchange reads the rest of the body
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
        http.close();
    }
}
