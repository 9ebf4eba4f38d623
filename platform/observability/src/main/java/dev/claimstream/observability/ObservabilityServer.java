package dev.claimstream.observability;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves meters and health over HTTP: {@code /metrics}, {@code /health}, {@code /health/live}, {@code /health/ready}.
 *
 * <p>Health has status 200 or 503, and the report as JSON.
 */
public final class ObservabilityServer implements AutoCloseable {
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String JSON = "application/json";

    private final HttpServer server;
    private final ExecutorService threads;

    private ObservabilityServer(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /**
     * Starts a server.
     *
     * @param address listen address; {@code 127.0.0.1} is for this machine only
     * @param port 0 for any free port
     * @throws ObservabilityException if it cannot listen there
     */
    public static ObservabilityServer start(String address, int port, Meters meters, Health health) {
        try {
            var server = HttpServer.create(new InetSocketAddress(address, port), 0);
            server.createContext("/", exchange -> answer(exchange, meters, health));
            var threads = Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("observability").factory());
            server.setExecutor(threads);
            server.start();
            return new ObservabilityServer(server, threads);
        } catch (IOException | IllegalArgumentException e) {
            throw new ObservabilityException(address, port, e);
        }
    }

    /** The port on which it listens. */
    public int port() {
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange, Meters meters, Health health) throws IOException {
        try (exchange) {
            if (!exchange.getRequestMethod().equals("GET")) {
                send(exchange, 405, "text/plain", "only GET\n");
                return;
            }
            switch (exchange.getRequestURI().getPath()) {
                case "/metrics" -> send(exchange, 200, PROMETHEUS, meters.text());
                case "/health", "/health/ready" -> {
                    Health.HealthReport report = health.report();
                    send(exchange, report.isReady() ? 200 : 503, JSON, report.json());
                }
                case "/health/live" -> {
                    Health.HealthReport report = health.report();
                    send(exchange, report.isLive() ? 200 : 503, JSON, report.json());
                }
                default -> send(exchange, 404, "text/plain", "/health /health/live /health/ready /metrics\n");
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }
}
