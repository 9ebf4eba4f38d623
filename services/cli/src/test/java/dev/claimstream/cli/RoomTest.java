package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class RoomTest {
    @TempDir
    private Path folder = Path.of("");

    static Stream<Throwable> lacks() {
        return Stream.of(
                Room.none(Path.of("/data")),
                new RunFailure("--data /data cannot be used, No space left on device: name a folder"),
                RunFailure.ofPart(
                        "the allocator stopped", new IllegalStateException(new IOException("No space left on device"))),
                RunFailure.ofPart("the writer stopped", new UncheckedIOException(Room.none(Path.of("/data")))));
    }

    @ParameterizedTest
    @MethodSource("lacks")
    void aLackOfRoomIsKnownByWhatWasThrownAlsoWhereThereIsSomeAgain(Throwable thrown) {
        assertThat(new Room(folder, 1).isMissingFor(thrown)).isTrue();
    }

    @Test
    void whatWasThrownForAnotherReasonIsNoneWhereThereIsRoom() {
        var circle = new IllegalStateException("one");
        circle.initCause(new IllegalStateException("two", circle));
        assertThat(new Room(folder, 1).isMissingFor(circle)).isFalse();
    }

    @Test
    void whereThereIsTooLittleForAStartThatIsSupposedToBeWhy() {
        var room = new Room(folder, Integer.MAX_VALUE);
        assertThat(room.isMissingFor(new IllegalStateException("stopped"))).isTrue();
        assertThat(room.isMissingFor(RunFailure.ofPart("the writer stopped", null)))
                .isTrue();
        assertThat(room.isMissingFor(new RunFailure("start it once with --rebuild")))
                .isFalse();
        assertThat(room.isThere()).isFalse();
    }

    @Test
    void lookingForRoomLeavesNothing() throws IOException {
        assertThat(new Room(folder, 1).isThere()).isTrue();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void thereIsNoRoomWhereNoFileCanBeWritten() throws IOException {
        Files.delete(folder);
        var room = new Room(folder, 1);
        assertThat(room.isThere()).isFalse();
        assertThat(room.text()).isEqualTo("the disk of %s cannot be seen".formatted(folder));
        Files.createDirectory(folder);
    }
}
