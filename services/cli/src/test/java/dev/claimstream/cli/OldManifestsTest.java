package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code claimstream lint --fix} on the example of old manifests. */
final class OldManifestsTest {
    private static final Path EXAMPLE = Ran.EXAMPLES.resolve("old-manifests");
    private static final Path RIGHT = EXAMPLE.resolve("workload.yaml");

    @TempDir
    private Path folder = Path.of("");

    @Test
    void whatFixMakesOfTheOldFormsIsTheRightOne() throws IOException {
        Path old = Files.copy(EXAMPLE.resolve("old").resolve("workload.yaml"), folder.resolve("workload.yaml"));
        Ran fixed = Ran.of("lint", "--fix", old.toString());
        assertThat(fixed.out()).isEmpty();
        assertThat(fixed.exitCode()).as(fixed.err()).isZero();
        assertThat(withoutHead(old)).isEqualTo(withoutHead(RIGHT));
        String readme = Files.readString(EXAMPLE.resolve("README.md"));
        assertThat(readme).contains(fixed.err().replace(folder + "/", "").strip());
    }

    /** Skips the first line, a comment that differs between the two files. */
    private static String withoutHead(Path file) throws IOException {
        String text = Files.readString(file);
        return text.substring(text.indexOf('\n') + 1);
    }

    @Test
    void nothingIsFoundInTheRightForm() {
        Ran ran = Ran.of("lint", EXAMPLE.toString());
        assertThat(ran.out()).isEmpty();
        assertThat(ran.exitCode()).isZero();
    }

    @Test
    void aGroupOfAnotherSchedulerIsLeftAsItIs() throws IOException {
        Path group = Files.copy(EXAMPLE.resolve("old").resolve("group.yaml"), folder.resolve("group.yaml"));
        String before = Files.readString(group);
        Ran ran = Ran.of("lint", "--fix", group.toString());
        assertThat(ran.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(ran.out()).contains("minCount: 8", "[pod-group]");
        assertThat(group).hasContent(before);
    }
}
