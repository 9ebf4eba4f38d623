package dev.claimstream.cli.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the line that makes kubectl and its plugin work in another shell. */
final class LocalControlPlaneTest {
    @ParameterizedTest
    @ValueSource(strings = {"/home/ann/data", "/Users/ann/Library/Application Support", "/tmp/ann's $HOME"})
    void environmentLineWorksInShell(String folder) throws IOException, InterruptedException {
        String line = LocalControlPlane.environmentLine(
                Path.of(folder, "admin.kubeconfig"), Path.of(folder), folder + "/tree:" + folder + "/bin");
        var builder = new ProcessBuilder(
                "sh",
                "-c",
                line
                        + "\nprintf '%s\\n' \"$KUBECONFIG\" \"$CLAIMSTREAM_DATA\" \"$PATH\" \"${CLAIMSTREAM_CONSOLE-unset}\"");
        builder.environment().put("PATH", "/usr/bin:/bin:/a b");
        builder.environment().put("CLAIMSTREAM_CONSOLE", "http://127.0.0.1:8410");
        Process shell = builder.redirectErrorStream(true).start();
        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines())
                .containsExactly(
                        folder + "/admin.kubeconfig",
                        folder,
                        "%1$s/tree:%1$s/bin:/usr/bin:/bin:/a b".formatted(folder),
                        "unset");
        assertThat(shell.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void namesConfigMapOnlyIfItSelectsClasses() {
        assertThat(LocalControlPlane.managedClasses(false)).contains("claimstream/claimstream-managed");
        assertThat(LocalControlPlane.managedClasses(true))
                .isEqualTo("claims of all classes are managed (--all-claims)");
    }
}
