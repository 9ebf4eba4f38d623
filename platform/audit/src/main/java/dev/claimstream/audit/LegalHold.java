package dev.claimstream.audit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/** The legal hold of an archive: a file with the reason. While it exists, retention deletes nothing. */
public final class LegalHold {
    private static final String NAME = "legal-hold";

    private final StoredFile file;

    public LegalHold(ArchiveStore archive) {
        file = new StoredFile(archive, NAME);
    }

    /**
     * The reason of the hold; empty if there is none.
     *
     * @throws AuditException if the file cannot be read: then nothing may be deleted
     */
    public Optional<String> reason() {
        try {
            return Optional.of(new String(file.bytes(), StandardCharsets.UTF_8).strip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw file.unreadable(e);
        }
    }

    /**
     * Sets or replaces the hold.
     *
     * @throws AuditException if the file cannot be written
     */
    public void set(String reason) {
        file.store().write(NAME, reason + "\n", ArchiveStore.Publication.REPLACEMENT);
    }

    /**
     * Ends the hold; returns whether there was one.
     *
     * @throws AuditException if the file cannot be deleted
     */
    public boolean release() {
        return file.store().delete(NAME);
    }
}
