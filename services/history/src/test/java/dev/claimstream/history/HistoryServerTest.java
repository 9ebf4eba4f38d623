package dev.claimstream.history;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.StoreSettings;
import dev.claimstream.observability.HistoryMeter;
import dev.claimstream.observability.Meters;
import dev.claimstream.process.access.AccessLogLine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests what the server rejects, with requests as bytes: HTTP clients do not send a foreign {@code Host}. */
final class HistoryServerTest {
    private static final String LOCAL = "Host: 127.0.0.1\r\n";

    @TempDir
    private Path folder = Path.of("");

    private Optional<HistoryReader> reader = Optional.empty();
    private final Meters meters = new Meters();
    private HistoryServer server;

    @BeforeEach
    void start() throws IOException {
        server = HistoryServer.start(0, () -> reader, Map.of(), meters);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String send(String request, String headers, String body) throws IOException {
        try (var socket =
                new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
            socket.getOutputStream()
                    .write("%s HTTP/1.1\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n%s"
                            .formatted(request, body.length(), headers, body)
                            .getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String get(String path, String headers) throws IOException {
        return send("GET " + path, headers, "");
    }

    @Test
    void rejectsPagesAndForeignHosts() throws IOException {
        for (String headers : new String[] {"", LOCAL + LOCAL}) {
            assertThat(get("/api/v1/who?device=gpu-0", headers))
                    .as(headers)
                    .startsWith("HTTP/1.1 400 ")
                    .contains("send one header Host: 127.0.0.1 or localhost");
        }
        for (String headers : new String[] {
            "Host: history.example.com\r\n",
            "Host: 127.0.0.1.example.com\r\n",
            LOCAL + "Origin: http://history.example.com\r\n",
            LOCAL + "Origin: null\r\n"
        }) {
            assertThat(get("/api/v1/who?device=gpu-0", headers))
                    .as(headers)
                    .startsWith("HTTP/1.1 403 ")
                    .contains("this server accepts only local requests");
        }
        assertThat(send("POST /api/v1/sql", LOCAL + "Origin: http://127.0.0.1:8410\r\n", "SELECT 1"))
                .startsWith("HTTP/1.1 403 ")
                .contains("a page of another origin sends this change");
        for (String host : new String[] {"127.0.0.1", "LOCALHOST:8412", "[::1]:1"}) {
            assertThat(get("/api/v1/who?device=gpu-0", "Host: %s\r\n".formatted(host)))
                    .startsWith("HTTP/1.1 503 ")
                    .contains("the history is not open yet");
        }
    }

    @Test
    void logsAndMeasuresEveryQuestion() throws Exception {
        var lines = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger(AccessLogLine.class);
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        try (HistoryStore store = HistoryStore.open(new StoreSettings(Optional.empty(), folder, "128MB", 1), 1)) {
            reader = Optional.of(store.reader());
            send("POST /api/v1/sql", LOCAL, "SELECT 1 AS one UNION ALL SELECT 2");
            get("/api/v1/who", LOCAL);
            get("/api/v1/export?format=csv", LOCAL);
            get("/other", LOCAL);
            for (int i = 0; i < 500 && lines.list.size() < 4; i++) {
                Thread.sleep(10); // a question is logged after its answer
            }
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list.stream().map(HistoryServerTest::text))
                .containsExactlyInAnyOrder(
                        "history was read caller=127.0.0.1 user=local question=/api/v1/sql sql=SELECT 1 AS one UNION ALL SELECT 2 rows=2",
                        "question to the history failed caller=127.0.0.1 user=local question=/api/v1/who sql= rows=- problem=INVALID_QUESTION",
                        "history was read caller=127.0.0.1 user=local question=/api/v1/export?format=csv sql= rows=-",
                        "question to the history failed caller=127.0.0.1 user=local question=/other sql= rows=- problem=INVALID_QUESTION");
        for (String question : new String[] {"sql", "who", "export", "other"}) {
            assertThat(meters.text())
                    .contains("%s_count{question=\"%s\"} 1\n"
                            .formatted(HistoryMeter.HISTORY_QUERY.prometheusName(), question));
        }
        assertThat(meters.text())
                .contains("%s_count{question=\"usage\"} 0\n".formatted(HistoryMeter.HISTORY_QUERY.prometheusName()));
    }

    private static String text(ILoggingEvent event) {
        return event.getKeyValuePairs().stream()
                .filter(pair -> !pair.key.equals("ms"))
                .map(pair -> "%s=%s".formatted(pair.key, pair.value))
                .collect(Collectors.joining(" ", event.getMessage() + " ", ""));
    }

    @Test
    void namesWhatIsWrongWithQuestion() throws IOException {
        try (HistoryStore store = HistoryStore.open(new StoreSettings(Optional.empty(), folder, "128MB", 1), 1)) {
            reader = Optional.of(store.reader());
            assertThat(get("/api/v1/who", LOCAL)).startsWith("HTTP/1.1 400 ").contains("parameter device is missing");
            assertThat(get("/api/v1/who?device=gpu-0&at=today", LOCAL)).contains("parameter at is no time");
            assertThat(get("/api/v1/history?kind=rack&name=a", LOCAL)).contains("use claim, pod, device");
            assertThat(get("/api/v1/usage?by=rack", LOCAL)).startsWith("HTTP/1.1 400 ");
            assertThat(get("/api/v1/usage?by=node&weights=gpu", LOCAL)).contains("use CLASS=WEIGHT");
            assertThat(get("/api/v1/export?format=xlsx", LOCAL)).startsWith("HTTP/1.1 400 ");
            assertThat(get("/other", LOCAL)).contains("there is no path /other");
            assertThat(send("POST /api/v1/sql", LOCAL, "SELECT 1".repeat(131_073)))
                    .startsWith("HTTP/1.1 422 ")
                    .contains("at most 1 MiB");
            assertThat(send("POST /api/v1/sql", LOCAL, "SELECT 1 AS one"))
                    .startsWith("HTTP/1.1 200 ")
                    .contains("{\"columns\":[\"one\"],\"rows\":[[1]]");
        }
    }
}
