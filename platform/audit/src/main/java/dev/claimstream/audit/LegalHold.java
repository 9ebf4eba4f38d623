package dev.claimstream.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** The legal hold of an archive: a file with the reason. While it exists, retention deletes nothing. */
public final class LegalHold {
    private static final String NAME = "legal-hold";

    private final Path archive;
    private final Path file;

    /** @param archive the folder of the archive */
    public LegalHold(Path archive) {
        this.archive = archive.toAbsolutePath().normalize();
        file = this.archive.resolve(NAME);
    }

    /**
     * The reason of the hold; empty if there is none.
     *
     * @throws AuditException if the file cannot be read: then nothing may be deleted
     */
    public Optional<String> reason() {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw ArchiveFolder.unreadable(file, e);
        }
    }

    /**
     * Sets or replaces the hold.
     *
     * @throws AuditException if the file cannot be written
     */
    public void set(String reason) {
        try {
            Files.writeString(file, reason + "\n");
            ArchiveFolder.force(file);
            ArchiveFolder.force(archive);
        } catch (IOException e) {
            throw ArchiveFolder.unwritable(file, e);
        }
    }

    /**
     * Ends the hold; returns whether there was one.
     *
     * @throws AuditException if the file cannot be deleted
     */
    public boolean release() {
        try {
            return Files.deleteIfExists(file);
        } catch (IOException e) {
            throw ArchiveFolder.unwritable(file, e);
        }
    }
}
