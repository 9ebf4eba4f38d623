package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.Main;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests which {@code up} a command with a kubeconfig uses, if several run on their default folders. */
@Timeout(120)
class SeveralUpsIT {
    private static final String ELSEWHERE = "http://127.0.0.1:1";

    @TempDir
    private Path folder = Path.of("");

    private final HttpServer server = createServer();

    private static HttpServer createServer() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @BeforeEach
    void start() {
        server.createContext("/", exchange -> {
            boolean isIdentity = exchange.getRequestURI().getPath().equals("/api/v1/namespaces/kube-system");
            byte[] body = (isIdentity ? "{\"metadata\":{\"uid\":\"0a6c\"}}" : "{}").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(isIdentity ? 200 : 404, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private Path kubeconfig() throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                clusters: [{name: c, cluster: {server: "%s"}}]
                contexts: [{name: here, context: {cluster: c}}]
                """.formatted(url()));
    }

    /** Publishes the endpoint of this process, which exists, as that of an {@code up} on a default folder. */
    private Path publish(String name, Optional<String> served, String id) throws IOException {
        Path data = Files.createDirectories(folder.resolve(name));
        var endpoint = new Endpoint(
                URI.create(ELSEWHERE),
                ProcessHandle.current().pid(),
                "127.0.0.1:1",
                URI.create(ELSEWHERE),
                served.map(at ->
                        new Endpoint.Cluster(at, ApiAccess.of(folder.resolve("kubeconfig"), Optional.empty()), false)));
        Files.writeString(data.resolve("cluster.properties"), "cluster=" + id);
        Files.writeString(data.resolve("endpoint.json"), endpoint.text());
        return data;
    }

    private CommandResult run(String... command) throws IOException, InterruptedException {
        var environment = Map.of("XDG_DATA_HOME", folder.toString(), "CLAIMSTREAM_DATA", "", "CLAIMSTREAM_CONSOLE", "");
        try (Program program = Program.start(folder, environment, Main.class.getName(), command)) {
            return new CommandResult(program.awaitEnd(), program.out(), program.err());
        }
    }

    @Test
    @Tag("part-4")
    void doctorChecksClusterThatNoUpServes() throws IOException, InterruptedException {
        Path simulated = publish("claimstream", Optional.empty(), "miniature");
        Path other = publish("claimstream-kubernetes", Optional.of(ELSEWHERE), "77e1");
        CommandResult doctor = run("doctor", "--kubeconfig", kubeconfig().toString());
        assertThat(doctor.out()).contains("server ", " at " + url()).doesNotContain("cluster of up");
        assertThat(doctor.err())
                .isEqualTo(
                        "no 'claimstream up' was checked: no running 'claimstream up' serves %s (the one on %s serves a simulated cluster, the one on %s serves %s); name the folder of the one that serves it with --data\n"
                                .formatted(url(), simulated, other, ELSEWHERE));
        CommandResult get = run("get", "claims", "--kubeconfig", kubeconfig().toString());
        assertThat(get.exitCode()).isEqualTo(1);
        assertThat(get.err())
                .isEqualTo(
                        "claimstream: no running 'claimstream up' serves %s (the one on %s serves a simulated cluster, the one on %s serves %s): name the folder of the one that serves it with --data\n"
                                .formatted(url(), simulated, other, ELSEWHERE));
    }

    @Test
    void upAtAnotherAddressOfTheClusterIsUsed() throws IOException, InterruptedException {
        publish("claimstream", Optional.empty(), "miniature");
        Path same = publish("claimstream-kubernetes", Optional.of(ELSEWHERE), "0a6c");
        assertThat(run("doctor", "--kubeconfig", kubeconfig().toString()).out())
                .containsPattern("(?m)^failed +up +.*" + same);
        assertThat(run("get", "claims", "--kubeconfig", kubeconfig().toString()).err())
                .contains("on " + same, "does not respond");
    }
}
