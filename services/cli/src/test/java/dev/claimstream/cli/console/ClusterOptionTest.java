package dev.claimstream.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which kubeconfig files the kubectl plugin reads. */
class ClusterOptionTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void usesOnlyKubeconfigVariableWhenSet() throws IOException {
        Path usual = folder.resolve("usual");
        assertThat(ClusterOption.kubectlFiles(Optional.empty(), usual)).isEmpty();
        Files.createFile(usual);
        assertThat(ClusterOption.kubectlFiles(Optional.empty(), usual)).containsExactly(usual);
        assertThat(ClusterOption.kubectlFiles(Optional.of(""), usual)).containsExactly(usual);
        Path there = Files.createFile(folder.resolve("there"));
        String both = folder.resolve("missing") + File.pathSeparator + there;
        assertThat(ClusterOption.kubectlFiles(Optional.of(both), usual)).containsExactly(there);
        assertThat(ClusterOption.kubectlFiles(Optional.of(both + File.pathSeparator + usual), usual))
                .containsExactly(there, usual);
        String missing = folder.resolve("missing").toString();
        assertThatThrownBy(() -> ClusterOption.kubectlFiles(Optional.of(missing), usual))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "$KUBECONFIG names %s, which does not exist: correct it, or name another file with --kubeconfig"
                                .formatted(missing));
    }
}
