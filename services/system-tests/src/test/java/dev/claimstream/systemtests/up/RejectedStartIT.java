package dev.claimstream.systemtests.up;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code up} on clusters that another decision log serves, at API servers with prepared responses. */
@Timeout(120)
class RejectedStartIT {
    @TempDir
    private Path folder = Path.of("");

    private final AtomicInteger renewals = new AtomicInteger();

    /** Starts an API server whose lease is renewed between two reads. */
    private HttpServer startServer(String clusterId) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String body = switch (exchange.getRequestURI().getPath()) {
                case "/version" -> "{\"gitVersion\":\"v1.36.4\"}";
                case "/api/v1/namespaces/kube-system" -> "{\"metadata\":{\"uid\":\"%s\"}}".formatted(clusterId);
                case "/apis/coordination.k8s.io/v1/namespaces/claimstream/leases/claimstream-log" ->
                    """
                        {"metadata":{"resourceVersion":"1"},
                         "spec":{"holderIdentity":"other-log","renewTime":"%d","leaseDurationSeconds":15}}""".formatted(renewals.incrementAndGet());
                default -> "";
            };
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(bytes.length == 0 ? 404 : 200, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }

    private CommandResult up(HttpServer server, Path data) throws IOException {
        Path kubeconfig = Files.writeString(
                folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                contexts: [{name: here, context: {cluster: c}}]
                """.formatted(server.getAddress().getPort()));
        return CommandResult.run("up", "--kubeconfig", kubeconfig.toString(), "--data", data.toString());
    }

    @Test
    void leavesFolderFreeForAnotherCluster() throws IOException {
        Path data = folder.resolve("data");
        HttpServer first = startServer("0a6c");
        HttpServer second = startServer("77e1");
        try {
            for (HttpServer server : List.of(first, second)) {
                CommandResult rejected = up(server, data);
                assertThat(rejected.exitCode()).as(rejected.err()).isEqualTo(1);
                assertThat(rejected.err())
                        .contains("the cluster is served by another decision log, other-log at")
                        .doesNotContain("belongs to", "Exception");
                assertThat(data).doesNotExist();
            }
        } finally {
            first.stop(0);
            second.stop(0);
        }
    }
}
