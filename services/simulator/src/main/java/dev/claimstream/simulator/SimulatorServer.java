package dev.claimstream.simulator;

import com.sun.net.httpserver.HttpExchange;
import dev.claimstream.kubernetes.access.AccessDeniedException;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.NameRedaction;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.process.access.HttpAccessFilter;
import dev.claimstream.process.http.ListenException;
import dev.claimstream.process.http.ServiceHttpServer;
import dev.claimstream.simulation.InvalidSimulationException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves simulations over HTTP. Requests are read at once, and simulated in turn. On loopback every program may ask; in a
 * cluster Kubernetes decides. Every request is logged with its user.
 */
public final class SimulatorServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatorServer.class);
    private static final int BODY_BYTES_MAX = 8 * 1024 * 1024;

    private final ServiceHttpServer server;

    private SimulatorServer(ServiceHttpServer server) {
        this.server = server;
    }

    /** A response: JSON, or text for people. */
    record SimulatorResponse(int status, String body, boolean isText, Map<String, String> headers) {
        static SimulatorResponse json(Tree tree) {
            return new SimulatorResponse(200, tree.indentedJson(), false, Map.of());
        }

        static SimulatorResponse text(String text) {
            return new SimulatorResponse(200, text, true, Map.of());
        }

        SimulatorResponse redacted(NameRedaction redaction) {
            return new SimulatorResponse(status, redaction.of(body), isText, headers);
        }

        SimulatorResponse withHeader(String name, String value) {
            return new SimulatorResponse(status, body, isText, Map.of(name, value));
        }

        static SimulatorResponse error(int status, String message, String where, String remedy) {
            return new SimulatorResponse(
                    status,
                    Tree.mapping(fields -> fields.put("error", message)
                                    .putUnlessEmpty("where", where)
                                    .putUnlessEmpty("remedy", remedy))
                            .indentedJson(),
                    false,
                    Map.of());
        }
    }

    /**
     * Starts the server.
     *
     * @param address host name or IP address to listen on
     * @param port 0 for any free port
     * @param allowedHosts further values of the header {@code Host}, without port
     * @throws ListenException if it cannot listen there
     */
    public static SimulatorServer start(
            String address, int port, List<String> allowedHosts, AccessGate gate, CellAccess state) {
        try {
            var requests = new SimulatorRequests(state);
            return new SimulatorServer(ServiceHttpServer.start(
                    "simulator-http",
                    new InetSocketAddress(address, port),
                    SimulatorRoutes.filter(address, allowedHosts, gate),
                    exchange -> answer(exchange, requests)));
        } catch (IOException e) {
            throw new ListenException(address, port, "claimstream.simulator", e);
        }
    }

    /** The port on which it listens. */
    public int port() {
        return server.address().getPort();
    }

    private static void answer(HttpExchange exchange, SimulatorRequests requests) {
        long begin = System.nanoTime();
        try (exchange) {
            try {
                send(exchange, response(exchange, requests));
            } finally {
                SimulationLog.log(exchange, Duration.ofNanos(System.nanoTime() - begin));
            }
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("the client is gone");
        }
    }

    private static SimulatorResponse response(HttpExchange exchange, SimulatorRequests requests) throws IOException {
        Optional<byte[]> body = ServiceHttpServer.body(exchange, BODY_BYTES_MAX);
        if (body.isEmpty()) {
            return SimulatorResponse.error(413, "the body has more than 8 MiB", "body", "send it in smaller parts");
        }
        boolean isText = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept"))
                .filter(accept -> accept.startsWith("text/plain"))
                .isPresent();
        try {
            return requests.answer(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI(),
                    body.get(),
                    isText,
                    HttpAccessFilter.caller());
        } catch (AccessDeniedException e) {
            return SimulatorResponse.error(e.status(), e.problem(), e.where(), e.remedy());
        } catch (InvalidSimulationException e) {
            return SimulatorResponse.error(400, String.valueOf(e.getMessage()), "", "");
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("this is a bug, please report it");
            return SimulatorResponse.error(500, "the request failed", "", "see the log of the process");
        }
    }

    private static void send(HttpExchange exchange, SimulatorResponse response) throws IOException {
        byte[] bytes = response.body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders()
                .set("Content-Type", response.isText ? "text/plain; charset=utf-8" : "application/json");
        response.headers.forEach(exchange.getResponseHeaders()::set);
        exchange.sendResponseHeaders(response.status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.getResponseBody().flush(); // before the end of the exchange reads the rest of the body
    }

    @Override
    public void close() {
        server.close();
    }
}
