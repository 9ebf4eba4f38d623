package dev.claimstream.cli.folder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.output.RunFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests whether a failure is attributed to a full disk, and whether the free space is sufficient for a start. */
final class DiskSpaceTest {
    @TempDir
    private Path folder = Path.of("");

    static Stream<Throwable> lacks() {
        return Stream.of(
                DiskSpace.diskFull(Path.of("/data")),
                new RunFailure("--data /data cannot be used, No space left on device: name a folder"),
                RunFailure.ofComponent(
                        "the allocator stopped", new IllegalStateException(new IOException("No space left on device"))),
                RunFailure.ofComponent(
                        "the writer stopped", new UncheckedIOException(DiskSpace.diskFull(Path.of("/data")))));
    }

    @ParameterizedTest
    @MethodSource("lacks")
    void detectsFullDiskFromCauseWhenSpaceIsFreeAgain(Throwable thrown) {
        assertThat(new DiskSpace(folder, 1).isCauseOf(thrown)).isTrue();
    }

    @Test
    void ignoresOtherFailuresWithFreeSpace() {
        var circle = new IllegalStateException("one");
        circle.initCause(new IllegalStateException("two", circle));
        assertThat(new DiskSpace(folder, 1).isCauseOf(circle)).isFalse();
    }

    @Test
    void attributesFailureToDiskBelowMinimum() {
        var room = new DiskSpace(folder, Integer.MAX_VALUE);
        assertThat(room.isCauseOf(new IllegalStateException("stopped"))).isTrue();
        assertThat(room.isCauseOf(RunFailure.ofComponent("the writer stopped", null)))
                .isTrue();
        assertThat(room.isCauseOf(new RunFailure("start it once with --rebuild")))
                .isFalse();
        assertThat(room.isSufficient()).isFalse();
    }

    @Test
    void checkLeavesNoFiles() throws IOException {
        assertThat(new DiskSpace(folder, 1).isSufficient()).isTrue();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void isInsufficientWithoutWritableFolder() throws IOException {
        Files.delete(folder);
        var room = new DiskSpace(folder, 1);
        assertThat(room.isSufficient()).isFalse();
        assertThat(room.text()).isEqualTo("the free space of the disk of %s cannot be read".formatted(folder));
        Files.createDirectory(folder);
    }
}
