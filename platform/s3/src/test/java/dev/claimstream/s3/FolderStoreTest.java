package dev.claimstream.s3;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.FolderStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Archives in folders. */
final class FolderStoreTest extends ArchiveStoreContract {
    @TempDir
    private Path folder = Path.of("");

    @Override
    ArchiveStore open() {
        return ArchiveStore.of(folder.toString());
    }

    @Override
    void replace(String name, byte[] content) {
        try {
            Files.createDirectories(folder.resolve(name).getParent());
            Files.write(folder.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    void remove(String name) {
        try {
            Files.delete(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void rejectsSecondWriter() {
        try (var first = new Archiver(log, open(), Archiver.SegmentLimits.DEFAULT, "0.1", _ -> {})) {
            assertThatThrownBy(() -> archive(log)).hasMessageContaining("another program archives to " + folder);
            first.run();
        }
    }

    @Test
    void rejectsUnknownScheme() {
        assertThatThrownBy(() -> ArchiveStore.of("ftp://host/folder"))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining(
                        "ftp://host/folder is not the location of an archive: use a folder, or s3://bucket/prefix");
    }

    @Test
    void namesFileThatCannotBeWritten() throws IOException {
        Files.writeString(folder.resolve("a"), "a file");
        try (var store = new FolderStore(folder)) {
            assertThatThrownBy(() -> store.write("a/1", "text", ArchiveStore.Publication.NEW))
                    .isInstanceOf(AuditException.class)
                    .hasMessageContaining(folder.resolve("a/1") + " cannot be written: it is a file, and not a folder");
        }
    }
}
