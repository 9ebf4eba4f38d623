package dev.claimstream.load;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.simulation.SimulatedCell;
import dev.claimstream.simulator.CellAccess;
import dev.claimstream.simulator.SimulatorServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Asks the HTTP server of the simulator on loopback, over one connection. The server has a cell in memory. */
final class SimulationClient implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";

    private final SimulatorServer server;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** A cell that follows no log. Requests use it in turn, as in the service. */
    private record MemoryCell(Cell cell, Instant at) implements CellAccess {
        @Override
        public synchronized <T> Optional<T> read(Function<List<SimulatedCell>, T> use) {
            return Optional.of(use.apply(List.of(new SimulatedCell(cell, at, 0))));
        }

        @Override
        public Optional<String> problem() {
            return Optional.empty();
        }
    }

    SimulationClient(Cell cell, Instant at) {
        server = SimulatorServer.start(LOOPBACK, 0, List.of(), AccessGate.LOOPBACK, new MemoryCell(cell, at));
    }

    /**
     * Posts manifests and returns the response body.
     *
     * @param query parameters of the address, without {@code ?}; may be empty
     * @throws IllegalStateException if it is not the result of a simulation
     */
    String simulate(String query, String manifests) {
        URI address = URI.create("http://%s:%d/api/v1/simulate?%s".formatted(LOOPBACK, server.port(), query));
        HttpResponse<String> response = send(HttpRequest.newBuilder(address)
                .POST(HttpRequest.BodyPublishers.ofString(manifests))
                .build());
        if (response.statusCode() != 200
                || response.headers().firstValue("Claimstream-Fits").isEmpty()) {
            throw new IllegalStateException(
                    "unexpected response of %s: %d, %s".formatted(address, response.statusCode(), response.body()));
        }
        return response.body();
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException("no response of " + request.uri(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        http.close();
        server.close();
    }
}
