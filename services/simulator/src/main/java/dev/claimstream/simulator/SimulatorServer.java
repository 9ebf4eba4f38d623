package dev.claimstream.simulator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.claimstream.kubernetes.access.AccessDeniedException;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.NameRedaction;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.process.access.HttpAccessFilter;
import dev.claimstream.simulation.InvalidSimulationException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves simulations over HTTP. One request is processed at a time. On loopback everyone may ask; in a cluster Kubernetes decides. */
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

        Response redacted(NameRedaction redaction) {
            return new Response(status, redaction.of(body), isText);
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
    static SimulatorServer start(
            String address, int port, List<String> allowedHosts, AccessGate gate, CellAccess state) {
        try {
            var server = HttpServer.create(new InetSocketAddress(address, port), BACKLOG);
            var requests = new SimulatorRequests(state);
            server.createContext("/", exchange -> answer(exchange, requests))
                    .getFilters()
                    .add(SimulatorRoutes.filter(address, allowedHosts, gate));
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

    private static void answer(HttpExchange exchange, SimulatorRequests requests) {
        try (exchange) {
            send(exchange, response(exchange, requests));
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("the client is gone");
        }
    }

    private static Response response(HttpExchange exchange, SimulatorRequests requests) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
        if (body.length > BODY_BYTES_MAX) {
            return Response.error(413, "the body has more than 8 MiB", "body", "send it in smaller parts");
        }
        boolean isText = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept"))
                .filter(accept -> accept.startsWith("text/plain"))
                .isPresent();
        try {
            return requests.answer(
                    exchange.getRequestMethod(), exchange.getRequestURI(), body, isText, HttpAccessFilter.caller());
        } catch (AccessDeniedException e) {
            return Response.error(e.status(), e.problem(), e.where(), e.remedy());
        } catch (InvalidSimulationException e) {
            return Response.error(400, String.valueOf(e.getMessage()), "", "");
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("this is a bug, please report it");
            return Response.error(500, "the request failed", "", "see the log of the process");
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
