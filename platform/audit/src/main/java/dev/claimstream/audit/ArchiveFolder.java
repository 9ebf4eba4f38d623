package dev.claimstream.audit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of an archive: per partition a folder {@code <topic>-<partition>}, and in it per segment an Avro file and its manifest.
 *
 * <p>A segment exists once its manifest exists. Both files are written under another name, forced to the disk, and renamed, the manifest
 * last. So a killed writer leaves a segment or none.
 */
final class ArchiveFolder {
    static final String DATA = ".avro";
    static final String MANIFEST = ".json";
    static final String DRAFT = ".new";

    /** The folders that this process has locked. POSIX ends the locks of a process on a file when it closes any channel of it. */
    private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

    private static final Pattern PARTITION = Pattern.compile("(.+)-([0-9]{1,9})");

    private final Path path;

    ArchiveFolder(Path path) {
        this.path = path.toAbsolutePath().normalize();
    }

    Path path() {
        return path;
    }

    /** A manifest as it is stored. */
    record StoredManifest(Path file, String sha256, SegmentManifest manifest) {}

    /** The partitions of a topic that have a folder. */
    SortedSet<Integer> partitions(String topic) {
        var numbers = new TreeSet<Integer>();
        try (Stream<Path> folders = Files.list(path)) {
            folders.forEach(each -> {
                Matcher name = PARTITION.matcher(each.getFileName().toString());
                if (name.matches() && name.group(1).equals(topic)) {
                    numbers.add(Integer.valueOf(name.group(2)));
                }
            });
            return numbers;
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    Path folder(String topic, int partition) {
        return path.resolve("%s-%d".formatted(topic, partition));
    }

    static String name(long offset) {
        return "%020d".formatted(offset);
    }

    /** The manifests of a partition in the order of their offsets. */
    List<StoredManifest> manifests(String topic, int partition) {
        List<StoredManifest> manifests = new ArrayList<>();
        for (Path file : manifestFiles(folder(topic, partition))) {
            manifests.add(read(file, topic, partition));
        }
        return manifests;
    }

    /** The last manifest of a partition. */
    Optional<StoredManifest> last(String topic, int partition) {
        List<Path> files = manifestFiles(folder(topic, partition));
        return files.isEmpty() ? Optional.empty() : Optional.of(read(files.getLast(), topic, partition));
    }

    private static List<Path> manifestFiles(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> each.getFileName().toString().endsWith(MANIFEST))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    private static StoredManifest read(Path file, String topic, int partition) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            SegmentManifest manifest = SegmentManifest.of(new String(bytes, StandardCharsets.UTF_8));
            if (!manifest.topic().equals(topic)
                    || manifest.partition() != partition
                    || !manifest.file().equals(name(manifest.from()) + DATA)
                    || !file.getFileName().toString().equals(name(manifest.from()) + MANIFEST)) {
                throw new AuditException(
                        "%s describes another segment: %s, partition %d, from offset %d. Restore the file from a copy."
                                .formatted(file, manifest.topic(), manifest.partition(), manifest.from()));
            }
            return new StoredManifest(file, Sha256.of(bytes), manifest);
        } catch (IOException e) {
            throw unreadable(file, e);
        } catch (IllegalArgumentException e) {
            throw new AuditException(
                    "%s cannot be used: %s. If it is damaged, restore it from a copy.".formatted(file, e.getMessage()),
                    e);
        }
    }

    /** Holds the lock of the folder, so that only one program writes to it. */
    static final class WriteLock implements AutoCloseable {
        private final FileChannel channel;
        private final Path folder;

        private WriteLock(FileChannel channel, Path folder) {
            this.channel = channel;
            this.folder = folder;
        }

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

    /** Creates the folder if it does not exist, and locks it. */
    WriteLock lock() {
        try {
            Files.createDirectories(path);
            Path folder = path.toRealPath();
            if (!LOCKED.add(folder)) {
                throw isInUse();
            }
            try {
                return new WriteLock(locked(), folder);
            } catch (IOException | AuditException e) {
                LOCKED.remove(folder);
                throw e;
            }
        } catch (IOException e) {
            throw unwritable(path, e);
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

    /** Writes a manifest beside its segment, which exists already. */
    void seal(SegmentManifest manifest) {
        Path folder = folder(manifest.topic(), manifest.partition());
        Path file = folder.resolve(name(manifest.from()) + MANIFEST);
        Path draft = folder.resolve(name(manifest.from()) + MANIFEST + DRAFT);
        try {
            Files.writeString(draft, manifest.text());
            force(draft);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            force(folder);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    /** Writes what a file or a folder contains to the disk. */
    static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    static AuditException unreadable(Path file, IOException e) {
        if (e instanceof NoSuchFileException) {
            return new AuditException("%s does not exist: name the folder of an archive".formatted(file), e);
        }
        return new AuditException(
                "%s cannot be read: %s. Check the path and its permissions.".formatted(file, reason(e)), e);
    }

    static AuditException unwritable(Path file, IOException e) {
        return new AuditException(
                "%s cannot be written: %s. Free space or correct the permissions, and start again: the archive continues after its last sealed segment."
                        .formatted(file, reason(e)),
                e);
    }

    private static String reason(IOException e) {
        return switch (e) {
            case FileAlreadyExistsException _ -> "it is a file, and not a folder";
            case AccessDeniedException _ -> "permission denied";
            case FileSystemException file when file.getReason() != null -> file.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
