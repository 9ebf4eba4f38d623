package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.output.RunFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which service answers questions about the past and about changes, and the requests to a console. */
class HistoryOptionTest {
    private static final Map<String, String> NONE = Map.of();
    private static final Optional<String> UNSET = Optional.empty();

    private final List<String> asked = new ArrayList<>();
    private HttpServer console;
    private int status = 200;
    private String answer = "{\"columns\":[],\"rows\":[],\"notes\":[]}";

    @BeforeEach
    void start() throws IOException {
        console = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        console.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI().toString());
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        console.start();
    }

    @AfterEach
    void stop() {
        console.stop(0);
    }

    private String address() {
        return "http://127.0.0.1:" + console.getAddress().getPort();
    }

    @Test
    void variableOfConsoleCountsLast() {
        Map<String, String> both = Map.of("CLAIMSTREAM_HISTORY", "http://h:1", "CLAIMSTREAM_CONSOLE", address());
        assertThat(HistoryOption.client(UNSET, UNSET, false, both).orElseThrow().address())
                .isEqualTo(URI.create("http://h:1"));
        assertThat(HistoryOption.client(UNSET, UNSET, true, both)).isEmpty();
        assertThat(HistoryOption.client(UNSET, UNSET, false, NONE)).isEmpty();
        Map<String, String> one = Map.of("CLAIMSTREAM_CONSOLE", address());
        HistoryOption.client(UNSET, UNSET, false, one).orElseThrow().get("who", new TreeMap<>());
        HistoryOption.client(UNSET, Optional.of(address()), false, both)
                .orElseThrow()
                .get("usage", new TreeMap<>());
        assertThat(asked).containsExactly("/api/v1/past/who?", "/api/v1/past/device-hours?");
    }

    @Test
    void simulatorIsAskedThroughConsole() {
        Map<String, String> both = Map.of("CLAIMSTREAM_SIMULATOR", "http://s:1", "CLAIMSTREAM_CONSOLE", "http://c:1");
        assertThat(SimulatorOption.address(UNSET, UNSET, false, both)).contains(URI.create("http://s:1"));
        assertThat(SimulatorOption.address(UNSET, Optional.of("http://c:2"), false, both))
                .contains(URI.create("http://c:2"));
        assertThat(SimulatorOption.address(UNSET, UNSET, false, Map.of("CLAIMSTREAM_CONSOLE", "http://c:1")))
                .contains(URI.create("http://c:1"));
        assertThat(SimulatorOption.address(UNSET, UNSET, true, both)).isEmpty();
    }

    @Test
    void errorOfConsoleHasItsRemedy() {
        status = 501;
        answer =
                "{\"error\":\"this console has no history service\",\"remedy\":\"set claimstream.console.history-url\"}";
        HistoryClient client = HistoryClient.ofConsole(URI.create(address()));
        assertThatThrownBy(() -> client.get("who", new TreeMap<>()))
                .isInstanceOf(RunFailure.class)
                .hasMessage("this console has no history service: set claimstream.console.history-url");
        answer = "<html>";
        assertThatThrownBy(() -> client.get("who", new TreeMap<>()))
                .hasMessageContaining("is not a console of Claimstream")
                .hasMessageEndingWith("--console");
        assertThatThrownBy(() -> client.sql("SELECT 1"))
                .hasMessageContaining("name the history service with --history");
    }
}
