package dev.claimstream.cli.standalone;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.claimstream.manifests.tree.Tree;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Substitute for the console while {@code up} waits for disk space. It responds 503 with reason and remedy. */
final class MaintenanceConsole implements AutoCloseable {
    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Supplier<String> reason;
    private final Supplier<String> remedy;

    private MaintenanceConsole(HttpServer http, Supplier<String> why, Supplier<String> remedy) {
        this.http = http;
        this.reason = why;
        this.remedy = remedy;
    }

    /** Opens the server; empty if the port is in use. */
    static Optional<MaintenanceConsole> open(int port, Supplier<String> why, Supplier<String> remedy) {
        try {
            HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral(Loopback.HOST), port), 0);
            var console = new MaintenanceConsole(http, why, remedy);
            http.createContext("/", exchange -> console.respond(exchange, console.errorBody()));
            http.createContext("/health", exchange -> console.respond(exchange, console.healthBody()));
            http.setExecutor(console.threads);
            http.start();
            return Optional.of(console);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Tree errorBody() {
        return Tree.mapping(fields -> fields.put("error", reason.get()).put("remedy", remedy.get()));
    }

    private Tree healthBody() {
        Tree disk = Tree.mapping(
                fields -> fields.put("status", "down").put("sentence", reason.get() + ": " + remedy.get()));
        return Tree.mapping(fields ->
                fields.put("status", "down").put("parts", Tree.mapping(parts -> parts.put("disk", disk))));
    }

    private void respond(HttpExchange exchange, Tree tree) throws IOException {
        try (exchange) {
            exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
            byte[] body = tree.indentedJson().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(HttpURLConnection.HTTP_UNAVAILABLE, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        http.stop(0);
        threads.close();
    }
}
