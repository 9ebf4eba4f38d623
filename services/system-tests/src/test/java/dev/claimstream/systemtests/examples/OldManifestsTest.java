package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code claimstream lint --fix} on the example of old manifests. */
final class OldManifestsTest {
    private static final Path EXAMPLE = CommandResult.EXAMPLES.resolve("old-manifests");
    private static final Path CURRENT = EXAMPLE.resolve("workload.yaml");

    @TempDir
    private Path folder = Path.of("");

    @Test
    void fixConvertsOldManifestsToCurrentForm() throws IOException {
        Path old = Files.copy(EXAMPLE.resolve("old").resolve("workload.yaml"), folder.resolve("workload.yaml"));
        CommandResult fixed = CommandResult.run("lint", "--fix", old.toString());
        assertThat(fixed.out()).isEmpty();
        assertThat(fixed.exitCode()).as(fixed.err()).isZero();
        assertThat(withoutFirstLine(old)).isEqualTo(withoutFirstLine(CURRENT));
        String readme = Files.readString(EXAMPLE.resolve("README.md"));
        assertThat(readme).contains(fixed.err().replace(folder + "/", "").strip());
    }

    /** Skips the first line, a comment that differs between the two files. */
    private static String withoutFirstLine(Path file) throws IOException {
        String text = Files.readString(file);
        return text.substring(text.indexOf('\n') + 1);
    }

    @Test
    void findsNothingInCurrentForm() {
        CommandResult result = CommandResult.run("lint", EXAMPLE.toString());
        assertThat(result.out()).isEmpty();
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void leavesGroupOfAnotherSchedulerUnchanged() throws IOException {
        Path group = Files.copy(EXAMPLE.resolve("old").resolve("group.yaml"), folder.resolve("group.yaml"));
        String before = Files.readString(group);
        CommandResult result = CommandResult.run("lint", "--fix", group.toString());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).contains("minCount: 8", "[pod-group]");
        assertThat(group).hasContent(before);
    }
}
