package dev.claimstream.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.process.ServiceProcess;
import dev.claimstream.process.access.AccessLogLine;
import dev.claimstream.process.http.ServiceHttpServer;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.simulation.ManifestCell;
import dev.claimstream.simulation.SimulatedCell;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the HTTP interface on a real server, with a cell that has decided manifests. */
class SimulatorServerTest {

    static {
        System.setProperty("sun.net.httpserver.maxReqTime", "3"); // read when the first server is created
    }

    private final FixedCell cell = new FixedCell();
    private final SimulatorServer server =
            SimulatorServer.start("127.0.0.1", 0, List.of("simulator"), AccessGate.LOOPBACK, cell);
    private final HttpClient http = HttpClient.newHttpClient();

    /** A cell that follows nothing. */
    private static final class FixedCell implements CellAccess {
        private Optional<Cell> cell = Optional.of(ManifestCell.of(
                SmallFleet.objects(SmallFleet.FLEET + SmallFleet.claim("ml", "held", 1)),
                CellSettings.defaults(),
                new CelSelectors(),
                at()));

        private static Instant at() {
            return Instant.parse("2026-03-01T12:00:00Z");
        }

        @Override
        public <T> Optional<T> read(Function<List<SimulatedCell>, T> use) {
            return cell.map(each -> use.apply(List.of(new SimulatedCell(each, at(), 42))));
        }

        @Override
        public Optional<String> problem() {
            return Optional.of("kafka:9092 does not respond");
        }
    }

    @AfterEach
    void stop() {
        http.close();
        server.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(server.port(), path)));
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return http.send(
                request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void namesAddressThatIsInUse() {
        int port = server.port();
        assertThatThrownBy(() -> SimulatorServer.start("127.0.0.1", port, List.of(), AccessGate.LOOPBACK, cell))
                .satisfies(thrown -> assertThat(ServiceProcess.reason(thrown))
                        .startsWith("cannot listen on 127.0.0.1:%d: Address already in use: ".formatted(port))
                        .endsWith("change claimstream.simulator.host or claimstream.simulator.port"));
    }

    @Test
    void logsEveryRequest() throws Exception {
        var lines = new RequestLines(7);
        int simulated = post("/api/v1/simulate?shapes=true", SmallFleet.claim("ml", "one", 1))
                .body()
                .length();
        int rejected = post("/api/v1/simulate?drain=" + "x".repeat(AccessLogLine.TEXT_MAX), "")
                .body()
                .length();
        int devices = get("/api/v1/namespaces/ml/claims/held/devices").body().length();
        int absent = get("/api/v1/namespaces/ml/pods/none/devices").body().length();
        int paths = get("/api/v1").body().length();
        int other = get("/elsewhere").body().length();
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream()
                    .write("POST /api/v1/simulate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nkind: "
                            .getBytes(StandardCharsets.UTF_8));
        }
        String begin = "caller=127.0.0.1 user=local question=/api/v1";
        String failed = "what-if question failed ";
        String answered = "what-if question was answered ";
        String cut = "/simulate?drain=" + "x".repeat(AccessLogLine.TEXT_MAX - "/api/v1/simulate?drain=".length());
        assertThat(lines.texts())
                .containsExactlyInAnyOrder(
                        answered + begin + "/simulate?shapes=true kind=simulate status=200 bytes=" + simulated,
                        failed + begin + cut + "… (4023 characters) kind=simulate status=400 bytes=" + rejected,
                        answered + begin + "/namespaces/ml/claims/held/devices kind=claim-devices status=200 bytes="
                                + devices,
                        failed + begin + "/namespaces/ml/pods/none/devices kind=pod-devices status=404 bytes=" + absent,
                        answered + begin + " kind=paths status=200 bytes=" + paths,
                        failed + "caller=127.0.0.1 user=local question=/elsewhere kind=other status=404 bytes=" + other,
                        failed + begin + "/simulate kind=simulate status=- bytes=-");
    }

    @Test
    void answersWhetherClaimFits() throws Exception {
        HttpResponse<String> fits = post("/api/v1/simulate", SmallFleet.claim("ml", "one", 1));
        assertThat(fits.statusCode()).isEqualTo(200);
        assertThat(TreeReader.json(fits.body())).isNotNull();
        assertThat(fits.headers().firstValue("Claimstream-Fits")).contains("true");
        assertThat(fits.body()).contains("\"fits\": true", "\"node\": \"node-1\"", "\"offset\": 42");
        assertThat(post("/api/v1/simulate", SmallFleet.claim("ml", "two", 2)).body())
                .contains("\"fits\": false");
    }

    @Test
    void namesShapeOnWhichClaimWouldFit() throws Exception {
        String body = post("/api/v1/simulate?shapes=true", SmallFleet.claim("ml", "two", 2))
                .body();
        assertThat(body).contains("\"shape\": \"node-1\"", "\"claim ml/two\"");
        assertThat(post("/api/v1/simulate?addNodes=node-1=1", SmallFleet.claim("ml", "two", 2))
                        .body())
                .contains("\"node\": \"node-1-added-1\"");
    }

    @Test
    void explainsDevicesAsJsonAndText() throws Exception {
        assertThat(get("/api/v1/namespaces/ml/claims/held/devices").body()).contains("\"state\": \"allocated\"");
        HttpResponse<String> text = http.send(
                request("/api/v1/namespaces/ml/claims/held/devices")
                        .header("Accept", "text/plain")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(text.body()).startsWith("claim ml/held: allocated\n");
        assertThat(text.headers().firstValue("Claimstream-State")).contains("allocated");
        assertThat(get("/api/v1/namespaces/ml/claims/none/devices").statusCode())
                .isEqualTo(404);
    }

    @Test
    void rejectsInvalidRequestsWithRemedy() throws Exception {
        assertThat(post("/api/v1/simulate?drain=node-9", "").body()).contains("there is no node node-9");
        assertThat(post("/api/v1/simulate?addNodes=node-1", "").body()).contains("use SHAPE=N");
        assertThat(post("/api/v1/simulate?polisy=x", "").body()).contains("parameter polisy is not known");
        assertThat(post("/api/v1/simulate?policy=x", "").body()).contains("use best-fit or first-fit");
        assertThat(post("/api/v1/simulate", "kind: [").statusCode()).isEqualTo(400);
        assertThat(get("/api/v1/simulate").statusCode()).isEqualTo(405);
        assertThat(get("/elsewhere").body()).contains("GET /api/v1 lists all paths");
        assertThat(get("/api/v1").body()).contains("POST /api/v1/simulate");
    }

    @Test
    void rejectsPagesOfOtherHosts() throws Exception {
        HttpResponse<String> foreign = http.send(
                request("/api/v1").header("Origin", "http://evil.example.com").build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(foreign.statusCode()).isEqualTo(403);
        HttpResponse<String> allowed = http.send(
                request("/api/v1").header("Origin", "http://simulator").build(), HttpResponse.BodyHandlers.ofString());
        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(statusOfHost("evil.example.com")).startsWith("HTTP/1.1 403 ");
        assertThat(statusOfHost("simulator:8420")).startsWith("HTTP/1.1 200 ");
    }

    /** Sends a request as bytes: an HTTP client does not send a foreign host. */
    private String statusOfHost(String host) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream()
                    .write("GET /api/v1 HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                            .formatted(host)
                            .getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void endsRequestsThatStall() throws Exception {
        List<Socket> stalled = new ArrayList<>();
        for (int i = 0; i < 2 * ServiceHttpServer.THREADS; i++) {
            var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
            stalled.add(socket);
            String start = "POST /api/v1/simulate HTTP/1.1\r\nHost: localhost\r\n";
            socket.getOutputStream()
                    .write((i % 2 == 0 ? start : start + "Content-Length: 100\r\n\r\nkind: ")
                            .getBytes(StandardCharsets.UTF_8));
        }
        assertThat(get("/api/v1").statusCode()).isEqualTo(200);
        for (Socket socket : stalled) {
            try (socket) {
                assertThat(isEnded(socket)).isTrue();
            }
        }
    }

    private static boolean isEnded(Socket socket) throws IOException {
        try {
            return socket.getInputStream().readAllBytes().length == 0;
        } catch (SocketException e) {
            return true; // reset
        }
    }

    @Test
    void rejectsTooLargeBodyBeforeItIsSent() throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream()
                    .write("POST /api/v1/simulate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8388609\r\n\r\n"
                            .getBytes(StandardCharsets.UTF_8));
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(in.readLine()).startsWith("HTTP/1.1 413 ");
        }
    }

    @Test
    void answers503BeforeLogIsRead() throws Exception {
        cell.cell = Optional.empty();
        HttpResponse<String> early = post("/api/v1/simulate", "");
        assertThat(early.statusCode()).isEqualTo(503);
        assertThat(early.body()).contains("kafka:9092 does not respond");
    }
}
