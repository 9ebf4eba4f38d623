package dev.claimstream.audit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SortedSet;
import java.util.function.Predicate;

/**
 * The files of an archive: a folder, or the objects of an S3-compatible store. A file is named by its folder and its name, such as {@code
 * telemetry/2026-03-01T12.avro}; a few files have no folder.
 *
 * <p>A file exists completely or not at all. Methods without an {@link IOException} throw {@link AuditException} if the store cannot be
 * read or written; the message has object, place and remedy. A store may be used by several threads.
 */
public interface ArchiveStore extends AutoCloseable {
    /** How a file is published. */
    enum Publication {
        /** It must not exist: another program that writes to the archive is then found. */
        NEW,
        /** It may exist, and is replaced. */
        REPLACEMENT
    }

    /** The right to write to an archive, until it is closed. */
    interface WriteLock extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Opens the store of an archive. Nothing is read, so it may be empty or missing.
     *
     * @param location a folder, or {@code s3://bucket/prefix} with parameters
     * @throws AuditException if the location is invalid, or no store of its scheme is part of this program
     */
    static ArchiveStore of(String location) {
        int colon = location.indexOf("://");
        if (colon < 0) {
            return new FolderStore(Path.of(location));
        }
        String scheme = location.substring(0, colon);
        return ServiceLoader.load(ArchiveStoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.scheme().equals(scheme))
                .findFirst()
                .orElseThrow(() ->
                        new AuditException("%s is not the location of an archive: use a folder, or s3://bucket/prefix"
                                .formatted(location)))
                .open(location);
    }

    /** Where the archive is, for people. */
    String location();

    /** Where a file is, for people. */
    String location(String name);

    /**
     * Whether {@link #lock} keeps other programs from writing. If not, files that belong to a manifest have their hash in their names, so
     * that two programs never replace each other's files.
     */
    boolean isExclusive();

    /** The folders that have a file; none if the archive is empty. Fails if the archive does not exist. */
    SortedSet<String> folders();

    /** The names of the files in a folder, without the folder, sorted; none if the folder does not exist. */
    List<String> files(String folder);

    /**
     * Opens a file to read it from its beginning.
     *
     * @throws java.nio.file.NoSuchFileException if it does not exist
     * @throws IOException if it cannot be read
     */
    InputStream open(String name) throws IOException;

    /**
     * A new local file, to which the content of a file is written before it is published. It has no content yet.
     *
     * @throws IOException if it cannot be created
     */
    Path draft(String name) throws IOException;

    /**
     * Stores a draft durably under the name of its file. The draft is then gone.
     *
     * @throws IOException if it cannot be stored; the draft is then kept
     */
    void publish(Path draft, String name, Publication publication) throws IOException;

    /** Publishes a short text. */
    default void write(String name, String text, Publication publication) {
        try {
            Path draft = draft(name);
            try {
                Files.writeString(draft, text);
                publish(draft, name, publication);
            } finally {
                Files.deleteIfExists(draft);
            }
        } catch (IOException e) {
            throw unwritable(name, e);
        }
    }

    /** Deletes a file; returns whether it existed, as far as the store knows. */
    boolean delete(String name);

    /** Creates the archive if it does not exist, and locks it if the store {@link #isExclusive}. */
    WriteLock lock();

    /**
     * Files that were replaced or deleted since they were published, as far as the store keeps earlier versions: one line each, with place
     * and remedy. Files at the top are left out. Empty if the store keeps none.
     *
     * @param isSealed selects the names of the files that are never replaced
     */
    List<String> replaced(Predicate<String> isSealed);

    /** The error of a file that cannot be read. */
    AuditException unreadable(String name, IOException e);

    /** The error of a file that cannot be written. */
    AuditException unwritable(String name, IOException e);

    @Override
    void close();
}
