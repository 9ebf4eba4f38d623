package dev.claimstream.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.api.ApiAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceTokenTest {
    private static final URI LOCAL = URI.create("http://127.0.0.1:8410");

    @TempDir
    private Path folder = Path.of("");

    private Path kubeconfig(String user) throws IOException {
        Path file = folder.resolve("config");
        Files.writeString(file, """
                apiVersion: v1
                kind: Config
                current-context: c
                contexts: [{name: c, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
                users: [{name: u, user: %s}]
                """.formatted(user));
        return file;
    }

    @Test
    void takesVariableThenKubeconfig() throws Exception {
        Path file = kubeconfig("{token: of-kubeconfig}");
        assertThat(ServiceToken.of(LOCAL, Optional.empty(), Map.of("CLAIMSTREAM_TOKEN", "of-variable\n"), file))
                .isEqualTo("of-variable");
        assertThat(ServiceToken.of(LOCAL, Optional.empty(), Map.of(), file)).isEqualTo("of-kubeconfig");
        assertThat(ServiceToken.of(LOCAL, Optional.empty(), Map.of("KUBECONFIG", file.toString()), Path.of("none")))
                .isEqualTo("of-kubeconfig");
    }

    @Test
    void namesRemedyWithoutToken() throws Exception {
        Path file = kubeconfig("{username: u, password: p}");
        assertThatThrownBy(() -> ServiceToken.of(LOCAL, Optional.empty(), Map.of(), file))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("set CLAIMSTREAM_TOKEN, for example to the output of kubectl create token");
    }

    @Test
    void sendsNoTokenInClearTextOverNetwork() {
        Map<String, String> variable = Map.of("CLAIMSTREAM_TOKEN", "secret");
        assertThatThrownBy(() -> ServiceToken.of(
                        URI.create("http://192.0.2.1:8410"), Optional.empty(), variable, Path.of("none")))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("use kubectl port-forward");
        assertThat(ServiceToken.of(URI.create("https://192.0.2.1:8410"), Optional.empty(), variable, Path.of("none")))
                .isEqualTo("secret");
    }

    @Test
    void clientSendsTokenOnlyAfterConsoleAsksForIt() throws Exception {
        List<String> received = new ArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String sent = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
            received.add(sent);
            boolean isGood = sent.equals("Bearer of-kubeconfig");
            byte[] body = (isGood ? "{\"items\":[]}" : "{\"error\":\"no token\"}").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            exchange.sendResponseHeaders(isGood ? 200 : 401, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            ConsoleClient client = ConsoleClient.ofAddress(
                    URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
            client.useTokenOf(ApiAccess.of(kubeconfig("{token: of-kubeconfig}"), Optional.empty()));
            assertThat(client.json("/api/v1/claims").status()).isEqualTo(200);
            assertThat(client.items("/api/v1/claims")).hasSize(1);
            assertThat(received).containsExactly("null", "Bearer of-kubeconfig", "Bearer of-kubeconfig");
        } finally {
            server.stop(0);
        }
    }
}
