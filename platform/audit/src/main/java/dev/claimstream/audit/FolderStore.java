package dev.claimstream.audit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * An archive in a folder. A file is written beside its place under another name, forced to the disk, and renamed.
 *
 * <p>A folder keeps no earlier versions of its files.
 */
public final class FolderStore implements ArchiveStore {
    static final String DRAFT = ".new";

    /** The folders that this process has locked. POSIX ends the locks of a process on a file when it closes any channel of it. */
    private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

    private final Path path;

    public FolderStore(Path path) {
        this.path = path.toAbsolutePath().normalize();
    }

    @Override
    public String location() {
        return path.toString();
    }

    /** The path of a file of the archive. */
    private Path inside(String name) {
        Path file = path.resolve(name).normalize();
        if (!file.startsWith(path)) {
            throw new AuditException("%s is not in the archive %s: restore the manifest that names it from a copy"
                    .formatted(name, path));
        }
        return file;
    }

    @Override
    public String location(String name) {
        return inside(name).toString();
    }

    @Override
    public boolean isExclusive() {
        return true;
    }

    @Override
    public SortedSet<String> folders() {
        try (Stream<Path> all = Files.list(path)) {
            var names = new TreeSet<String>();
            all.filter(Files::isDirectory)
                    .forEach(each -> names.add(each.getFileName().toString()));
            return names;
        } catch (IOException e) {
            throw unreadable("", e);
        }
    }

    @Override
    public List<String> files(String folder) {
        if (!Files.isDirectory(inside(folder))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(inside(folder))) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    @Override
    public InputStream open(String name) throws IOException {
        return new BufferedInputStream(Files.newInputStream(inside(name)));
    }

    @Override
    public Path draft(String name) throws IOException {
        Files.createDirectories(folder(name));
        return inside(name + DRAFT);
    }

    @Override
    public void publish(Path draft, String name, Publication publication) throws IOException {
        Path file = inside(name);
        if (publication == Publication.NEW && Files.exists(file)) {
            throw new FileAlreadyExistsException(file.toString(), null, "it exists already");
        }
        force(draft);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        force(folder(name));
    }

    private Path folder(String name) {
        return inside(name.substring(0, Math.max(0, name.lastIndexOf('/'))));
    }

    /** Writes what a file or a folder contains to the disk. */
    private static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public boolean delete(String name) {
        try {
            return Files.deleteIfExists(inside(name));
        } catch (IOException e) {
            throw unwritable(name, e);
        }
    }

    @Override
    public WriteLock lock() {
        try {
            Files.createDirectories(path);
            Path folder = path.toRealPath();
            if (!LOCKED.add(folder)) {
                throw isInUse();
            }
            try {
                return new FolderLock(locked(), folder);
            } catch (IOException | AuditException e) {
                LOCKED.remove(folder);
                throw e;
            }
        } catch (IOException e) {
            throw unwritable("", e);
        }
    }

    private FileChannel locked() throws IOException {
        FileChannel channel =
                FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() == null) {
                throw isInUse();
            }
            return channel;
        } catch (IOException | AuditException e) {
            channel.close();
            throw e;
        }
    }

    private AuditException isInUse() {
        return new AuditException(
                "another program archives to %s: stop it first, or name another folder".formatted(path));
    }

    /** Holds the lock of a folder. */
    private record FolderLock(FileChannel channel, Path folder) implements WriteLock {
        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw new AuditException("closing the lock of the archive failed: " + e.getMessage(), e);
            } finally {
                LOCKED.remove(folder);
            }
        }
    }

    @Override
    public List<String> replaced(Predicate<String> isSealed) {
        return List.of();
    }

    @Override
    public AuditException unreadable(String name, IOException e) {
        if (e instanceof NoSuchFileException) {
            return new AuditException("%s does not exist: name the folder of an archive".formatted(file(name)), e);
        }
        return new AuditException(
                "%s cannot be read: %s. Check the path and its permissions.".formatted(file(name), reason(e)), e);
    }

    @Override
    public AuditException unwritable(String name, IOException e) {
        return new AuditException(
                "%s cannot be written: %s. Free space or correct the permissions, and start again: the archive continues after its last sealed segment."
                        .formatted(file(name), reason(e)),
                e);
    }

    private Path file(String name) {
        return name.isEmpty() ? path : inside(name);
    }

    private static String reason(IOException e) {
        return switch (e) {
            case FileAlreadyExistsException exists when exists.getReason() == null -> "it is a file, and not a folder";
            case AccessDeniedException _ -> "permission denied";
            case FileSystemException file when file.getReason() != null -> file.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }

    /** Holds no resource. */
    @Override
    public void close() {}
}
