package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Access to a cluster by kubeconfig files, with invalid files, tokens and servers. */
final class ApiAccessTest {
    private static final String CONFIG = """
            apiVersion: v1
            kind: Config
            current-context: one
            clusters:
            - {name: c1, cluster: {server: "https://one.example.com:6443"}}
            - {name: c2, cluster: {server: "https://two.example.com"}}
            users:
            - {name: u, user: {token: secret}}
            contexts:
            - {name: one, context: {cluster: c1, user: u}}
            - {name: two, context: {cluster: c2, user: u}}
            """;

    @TempDir
    private Path folder;

    private Path writeConfig(String text) throws IOException {
        return Files.writeString(folder.resolve("config"), text);
    }

    @Test
    void usesCurrentContextUnlessOneIsNamed() throws IOException {
        Path file = writeConfig(CONFIG);
        assertThat(ApiAccess.of(file, Optional.empty()).config().getMasterUrl()).startsWith("https://one.example.com");
        assertThat(ApiAccess.of(file, Optional.of("two")).config().getMasterUrl())
                .startsWith("https://two.example.com");
        assertThat(ApiAccess.of(file, Optional.of("two")).config().getRequestRetryBackoffLimit())
                .isZero();
    }

    @Test
    void namesProblemOfKubeconfig() throws IOException {
        Path file = writeConfig(CONFIG);
        assertThatThrownBy(() -> ApiAccess.of(file, Optional.of("three")).config())
                .hasMessageContaining("has no context three: see kubectl config get-contexts");
        assertThatThrownBy(() ->
                        ApiAccess.of(folder.resolve("none"), Optional.empty()).config())
                .hasMessageContaining("cannot be read");
        writeConfig("{}");
        assertThatThrownBy(() -> ApiAccess.of(file, Optional.empty()).config())
                .hasMessageContaining("has no current context");
        assertThatThrownBy(() -> new ApiAccess(List.of(), Optional.of("two"))).hasMessageContaining("name that too");
    }

    /** Follows kubectl's merge of the files in {@code $KUBECONFIG}. */
    @Test
    void firstKubeconfigFileTakesPrecedence() throws IOException {
        Path first = Files.writeString(folder.resolve("first"), """
                clusters:
                - {name: c2, cluster: {server: "https://first.example.com"}}
                contexts:
                - {name: three, context: {cluster: c1, user: u, namespace: team}}
                """);
        Path other = Files.createDirectory(folder.resolve("other"));
        Path last = Files.writeString(
                other.resolve("config"),
                CONFIG.replace("current-context: one", "current-context: two")
                        .replace("c1, cluster: {", "c1, cluster: {certificate-authority: ca.crt, "));
        List<Path> both = List.of(first, last);
        assertThat(new ApiAccess(both, Optional.empty()).server()).isEqualTo("https://first.example.com");
        assertThat(new ApiAccess(both, Optional.of("one")).server()).isEqualTo("https://one.example.com:6443");
        ApiAccess three = new ApiAccess(both, Optional.of("three"));
        assertThat(three.server()).isEqualTo("https://one.example.com:6443");
        assertThat(three.config().getCaCertFile())
                .isEqualTo(other.resolve("ca.crt").toString());
        assertThat(three.namespace()).hasValue("team");
        assertThatThrownBy(() -> new ApiAccess(both, Optional.of("four")).server())
                .hasMessage("%s and %s has no context four: see kubectl config get-contexts".formatted(first, last));
    }

    /** Messages contain position and remedy, and no name of a Java type. */
    @ParameterizedTest(name = "{1}")
    @MethodSource("broken")
    void reportsInvalidKubeconfigWithPosition(String text, String expected) throws IOException {
        Path file = writeConfig(text);
        assertThatThrownBy(() -> ApiAccess.of(file, Optional.empty()).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(expected.formatted(file));
    }

    static Stream<Arguments> broken() {
        String remedy = ": use the format of 'kubectl config view --raw'";
        return Stream.of(
                Arguments.of("a: [", "%s is not a kubeconfig: it is not YAML at line 1, column 5" + remedy),
                Arguments.of("a: b: c", "%s is not a kubeconfig: it is not YAML at line 1, column 5" + remedy),
                Arguments.of("text", "%s is not a kubeconfig: it is not an object with fields" + remedy),
                Arguments.of(
                        CONFIG.replace("- {name: c1, cluster: {server: \"https://one.example.com:6443\"}}", "- 7"),
                        "%s is not a kubeconfig: clusters[0] has a value of another type" + remedy),
                Arguments.of("clusters: none", "%s is not a kubeconfig: clusters has a value of another type" + remedy),
                Arguments.of(
                        CONFIG.replace("{cluster: c1, user: u}", "{user: u}"),
                        "context one of %s names no cluster: kubectl config set-context one --cluster=NAME"),
                Arguments.of(
                        CONFIG.replace("name: c1", "name: c3"),
                        "context one of %s names cluster c1, which does not exist: see kubectl config get-clusters"),
                Arguments.of(
                        CONFIG.replace("server: \"https://one.example.com:6443\"", ""),
                        "cluster c1 of %s has no server: kubectl config set-cluster c1 --server=URL"),
                Arguments.of(
                        CONFIG.replace("server:", "certificate-authority: /no/such/file, server:"),
                        "keys or certificates of user u of context one in %s cannot be used: /no/such/file does not exist: see kubectl config view"),
                Arguments.of(
                        CONFIG.replace("name: u,", "name: v,"),
                        "context one of %s names user u, which does not exist: see kubectl config get-users"));
    }

    private String writeConfigOf(String server) throws IOException {
        return Files.writeString(folder.resolve("config"), CONFIG.replace("https://one.example.com:6443", server))
                .toString();
    }

    @Test
    void reportsUnauthorizedWithUserAndContext() throws IOException {
        try (var server = new StubServer()) {
            server.onRequest("", StubServer.json(401, "{'kind':'Status','code':401,'message':'Unauthorized'}"));
            String file = writeConfigOf(server.url());
            try (var cluster = ApiCluster.open(ApiAccess.of(Path.of(file), Optional.empty()), ApiScope.CONFIGURED)) {
                String expected = server.url()
                        + " does not accept the credentials of user u of context one in %s: Unauthorized: log in again, or select another context"
                                .formatted(file);
                assertThatThrownBy(cluster::clusterId)
                        .isInstanceOf(ClusterFault.class)
                        .hasMessage(expected);
                assertThatThrownBy(() -> cluster.list(Kind.DEVICE_CLASS)).hasMessage(expected);
                assertThatThrownBy(() -> cluster.list(Kind.POD)).hasMessage(expected);
            }
        }
    }

    /** A token expires, and its issuer writes the renewed token into the same file. */
    @ParameterizedTest
    @ValueSource(strings = {"one", "two"})
    void rereadsRenewedTokenAfterUnauthorized(String context) throws IOException {
        try (var server = new StubServer()) {
            server.onRequest("", exchange -> {
                boolean isNewer =
                        "Bearer newer".equals(exchange.getRequestHeaders().getFirst("Authorization"));
                StubServer.json(isNewer ? 200 : 401, "{'kind':'Any','metadata':{'uid':'the cluster'}}")
                        .to(exchange);
            });
            String before = CONFIG.replaceAll("https://(one|two)[a-z.:0-9]+", server.url())
                    .replace("contexts:", "- {name: v, user: {token: old}}\ncontexts:")
                    .replace("cluster: c2, user: u", "cluster: c2, user: v");
            Path file = writeConfig(before);
            try (var cluster = ApiCluster.open(ApiAccess.of(file, Optional.of(context)), ApiScope.CONFIGURED)) {
                assertThatThrownBy(cluster::clusterId).hasMessageContaining("does not accept the credentials");
                writeConfig(before.replace(context.equals("one") ? "token: secret" : "token: old", "token: newer"));
                assertThat(cluster.clusterId()).isEqualTo("the cluster");
                assertThat(cluster.clusterId()).isEqualTo("the cluster");
            }
        }
    }

    /** The path is relative to the kubeconfig, and the file takes precedence over a token, as in kubectl. */
    @Test
    void readsTokenFileForEveryRequest() throws IOException {
        try (var server = new StubServer()) {
            List<String> shown = new ArrayList<>();
            server.onRequest("", exchange -> {
                shown.add(exchange.getRequestHeaders().getFirst("Authorization"));
                StubServer.json(200, "{'kind':'Any','metadata':{'uid':'the cluster'}}")
                        .to(exchange);
            });
            Path kubeconfig = Path.of(writeConfigOf(server.url()));
            Files.writeString(
                    kubeconfig,
                    Files.readString(kubeconfig).replace("{token: secret}", "{token: secret, tokenFile: run/token}"));
            Path token = Files.createDirectory(folder.resolve("run")).resolve("token");
            var access = ApiAccess.of(kubeconfig, Optional.empty());
            assertThatThrownBy(access::check)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("token file %s cannot be read or is empty: check the program that renews the token"
                            .formatted(token));
            Files.writeString(token, "first\n");
            try (var cluster = ApiCluster.open(access, ApiScope.CONFIGURED)) {
                for (String next : List.of("second", "", "third")) {
                    cluster.clusterId();
                    Files.writeString(token, next);
                }
                Files.delete(token);
                cluster.clusterId();
            }
            assertThat(shown).containsExactly("Bearer first", "Bearer second", "Bearer second", "Bearer second");
        }
    }

    @Test
    void reportsUnreachableServerWithAddress() throws IOException {
        String url;
        try (var server = new StubServer()) {
            url = server.url();
        }
        for (String each : List.of(url, "http://no-such-host.invalid:1")) {
            try (var cluster = ApiCluster.open(
                    ApiAccess.of(Path.of(writeConfigOf(each)), Optional.empty()), ApiScope.CONFIGURED)) {
                assertThatThrownBy(cluster::clusterId)
                        .isInstanceOf(ClusterFault.class)
                        .hasMessage("no response from " + each
                                + (each.equals(url) ? ": connection refused" : ": unknown host")
                                + ": check that it runs and can be reached from here: kubectl version");
            }
        }
    }
}
