package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.console.ServiceConnection;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.simulation.SimulationRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the client on a server that accepts one token. */
class SimulatorClientTest {
    private final List<String> received = new ArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String sent = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
            received.add(sent);
            boolean isGood = sent.equals("Bearer good");
            byte[] body = (isGood ? "nothing was changed" : "{\"error\":\"no token\",\"remedy\":\"send one\"}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Claimstream-Fits", "true");
            exchange.sendResponseHeaders(isGood ? 200 : 401, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private SimulatorClient client(String token) {
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        return new SimulatorClient(address, new ServiceConnection(address, _ -> token));
    }

    @Test
    void sendsTokenAfterServiceAsksForIt() {
        var client = client("good");
        assertThat(client.simulate(SimulationRequest.none(), List.of(), false).text())
                .isEqualTo("nothing was changed");
        assertThat(received).containsExactly("null", "Bearer good");
    }

    @Test
    void reportsRejectedToken() {
        var client = client("bad");
        assertThatThrownBy(() -> client.simulate(SimulationRequest.none(), List.of(), false))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("no token");
        assertThat(received).containsExactly("null", "Bearer bad");
    }
}
