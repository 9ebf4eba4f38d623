package dev.claimstream.simulator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.simulation.InvalidSimulationException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves simulations over HTTP. One request is processed at a time. There is no login. */
final class SimulatorServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatorServer.class);
    private static final int BODY_BYTES_MAX = 8 * 1024 * 1024;
    private static final int BACKLOG = 64;

    private final HttpServer server;
    private final ExecutorService thread;

    private SimulatorServer(HttpServer server, ExecutorService thread) {
        this.server = server;
        this.thread = thread;
    }

    /** A response: JSON, or text for people. */
    record Response(int status, String body, boolean isText) {
        static Response json(Tree tree) {
            return new Response(200, tree.indentedJson(), false);
        }

        static Response text(String text) {
            return new Response(200, text, true);
        }

        static Response error(int status, String message, String where, String remedy) {
            return new Response(
                    status,
                    Tree.mapping(fields -> fields.put("error", message)
                                    .putUnlessEmpty("where", where)
                                    .putUnlessEmpty("remedy", remedy))
                            .indentedJson(),
                    false);
        }
    }

    /**
     * Starts the server.
     *
     * @param port 0 for any free port
     * @param allowedHosts further values of the header {@code Host}, without port
     * @throws IllegalArgumentException if it cannot listen there
     */
    static SimulatorServer start(String address, int port, List<String> allowedHosts, CellAccess state) {
        try {
            var server = HttpServer.create(new InetSocketAddress(address, port), BACKLOG);
            Set<String> hosts = new HashSet<>(List.of("localhost", "127.0.0.1", "[::1]", address));
            allowedHosts.forEach(host -> hosts.add(host.strip().toLowerCase(Locale.ROOT)));
            var requests = new SimulatorRequests(state);
            server.createContext("/", exchange -> answer(exchange, hosts, requests));
            ExecutorService thread = Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("simulator-http").factory());
            server.setExecutor(thread);
            server.start();
            return new SimulatorServer(server, thread);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "cannot listen on %s:%d: %s: set claimstream.simulator.host and claimstream.simulator.port"
                            .formatted(address, port, e.getMessage()),
                    e);
        }
    }

    /** The port on which it listens. */
    int port() {
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange, Set<String> hosts, SimulatorRequests requests) {
        try (exchange) {
            send(exchange, response(exchange, hosts, requests));
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("the client is gone");
        }
    }

    /** A page in a browser could send requests with a foreign host name that resolves to loopback: they are rejected. */
    private static Response response(HttpExchange exchange, Set<String> hosts, SimulatorRequests requests)
            throws IOException {
        Optional<String> foreign = foreignHost(exchange, hosts);
        if (foreign.isPresent()) {
            return Response.error(
                    403,
                    "host %s is not allowed".formatted(foreign.get()),
                    "Host",
                    "use 127.0.0.1 or localhost, or add the host to claimstream.simulator.allowed-hosts");
        }
        byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
        if (body.length > BODY_BYTES_MAX) {
            return Response.error(413, "the body has more than 8 MiB", "body", "send it in smaller parts");
        }
        boolean isText = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept"))
                .filter(accept -> accept.startsWith("text/plain"))
                .isPresent();
        try {
            return requests.answer(exchange.getRequestMethod(), exchange.getRequestURI(), body, isText);
        } catch (InvalidSimulationException e) {
            return Response.error(400, String.valueOf(e.getMessage()), "", "");
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("this is a bug, please report it");
            return Response.error(500, "the request failed", "", "see the log of the process");
        }
    }

    private static Optional<String> foreignHost(HttpExchange exchange, Set<String> hosts) {
        List<String> named = exchange.getRequestHeaders().getOrDefault("Host", List.of());
        List<String> origins = exchange.getRequestHeaders().getOrDefault("Origin", List.of());
        if (named.size() != 1) {
            return Optional.of("(%d headers)".formatted(named.size()));
        }
        return named.stream()
                .map(host -> "http://" + host)
                .filter(url -> !isAllowed(url, hosts))
                .findFirst()
                .or(() -> origins.stream().filter(url -> !isAllowed(url, hosts)).findFirst());
    }

    private static boolean isAllowed(String url, Set<String> hosts) {
        try {
            return Optional.ofNullable(URI.create(url).getHost())
                    .map(host -> host.toLowerCase(Locale.ROOT))
                    .filter(hosts::contains)
                    .isPresent();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static void send(HttpExchange exchange, Response response) throws IOException {
        byte[] bytes = response.body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders()
                .set("Content-Type", response.isText ? "text/plain; charset=utf-8" : "application/json");
        exchange.sendResponseHeaders(response.status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        thread.shutdown();
    }
}
