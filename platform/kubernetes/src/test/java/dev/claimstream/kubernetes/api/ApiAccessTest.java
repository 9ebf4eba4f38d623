package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("config"), text);
    }

    @Test
    void theCurrentContextIsUsedUnlessOneIsNamed() throws IOException {
        Path file = file(CONFIG);
        assertThat(ApiAccess.of(file, Optional.empty()).config().getMasterUrl()).startsWith("https://one.example.com");
        assertThat(ApiAccess.of(file, Optional.of("two")).config().getMasterUrl())
                .startsWith("https://two.example.com");
        assertThat(ApiAccess.of(file, Optional.of("two")).config().getRequestRetryBackoffLimit())
                .isZero();
    }

    @Test
    void whatIsWrongWithAKubeconfigIsNamed() throws IOException {
        Path file = file(CONFIG);
        assertThatThrownBy(() -> ApiAccess.of(file, Optional.of("three")).config())
                .hasMessageContaining("has no context three: see kubectl config get-contexts");
        assertThatThrownBy(() ->
                        ApiAccess.of(folder.resolve("none"), Optional.empty()).config())
                .hasMessageContaining("cannot be read");
        file("a: [");
        assertThatThrownBy(() -> ApiAccess.of(file, Optional.empty()).config())
                .hasMessageContaining("is not a kubeconfig");
        file("{}");
        assertThatThrownBy(() -> ApiAccess.of(file, Optional.empty()).config())
                .hasMessageContaining("has no current context");
        assertThatThrownBy(() -> new ApiAccess(Optional.empty(), Optional.of("two")))
                .hasMessageContaining("name that too");
    }
}
