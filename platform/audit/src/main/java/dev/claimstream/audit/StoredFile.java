package dev.claimstream.audit;

import java.io.IOException;
import java.io.InputStream;

/**
 * A file of an archive.
 *
 * @param name folder and name of the file
 */
public record StoredFile(ArchiveStore store, String name) {
    /** The file of another name in the same folder. */
    public StoredFile sibling(String fileName) {
        return new StoredFile(store, name.substring(0, name.lastIndexOf('/') + 1) + fileName);
    }

    /** The name without the folder. */
    public String fileName() {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    /**
     * Opens the file to read it from its beginning.
     *
     * @throws java.nio.file.NoSuchFileException if it does not exist
     */
    public InputStream open() throws IOException {
        return store.open(name);
    }

    /**
     * Reads the whole file.
     *
     * @throws java.nio.file.NoSuchFileException if it does not exist
     */
    public byte[] bytes() throws IOException {
        try (InputStream in = open()) {
            return in.readAllBytes();
        }
    }

    /**
     * The SHA-256 of the content, in hexadecimal digits.
     *
     * @throws java.nio.file.NoSuchFileException if it does not exist
     */
    public String sha256() throws IOException {
        try (InputStream in = open()) {
            return Sha256.of(in);
        }
    }

    /** The error of a file that cannot be read, with place and remedy. */
    public AuditException unreadable(IOException e) {
        return store.unreadable(name, e);
    }

    /** Where the file is, for people. */
    @Override
    public String toString() {
        return store.location(name);
    }
}
