package dev.claimstream.kafka.broker;

import dev.claimstream.kafka.broker.BrokerSettings.ControllerEndpoint;
import dev.claimstream.kafka.broker.BrokerStartException.StartFailureKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data folder of a broker: creates, formats, checks and locks it.
 *
 * <p>A folder with other data, or with data of a newer Kafka, is rejected.
 */
final class BrokerFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerFolder.class);
    private static final String META = "meta.properties";
    private static final String LOCK = "claimstream-broker.lock";

    /** What Kafka writes before {@link #META} when it formats a folder. */
    private static final List<String> FILES_BEFORE_META = List.of("bootstrap.checkpoint", META + ".tmp");

    private static final String FORMAT = "1";
    private static final String OWN_PROPERTIES = "claimstream-broker.properties";
    private static final String KAFKA_VERSION = "kafka.version";
    private static final long LOW_BYTES = 1 << 20;

    /** Kafka writes this file at a clean shutdown; the next start deletes it. */
    private static final String CLEAN_SHUTDOWN_FILE = ".kafka_cleanshutdown";

    private final Path path;
    private final FileChannel lock;
    private boolean hasUncleanShutdown;

    private BrokerFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Prepares the folder for a start and locks it until {@link #close}. */
    static BrokerFolder open(BrokerSettings settings) {
        Path path = settings.folder();
        if (path.toString().contains(",")) {
            throw new BrokerStartException(
                    StartFailureKind.FOLDER_UNUSABLE,
                    "The broker's folder %s has a comma in its name, which Kafka reads as two folders".formatted(path),
                    "Name another folder",
                    null);
        }
        try {
            Files.createDirectories(path);
            if (!Files.exists(path.resolve(LOCK))) {
                rejectForeign(path); // before a lock file is created in the folder
            }
            var folder = new BrokerFolder(path, lock(path));
            try {
                folder.prepare(settings);
                return folder;
            } catch (BrokerStartException | IOException e) {
                folder.close();
                throw e;
            }
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    /** Locks the folder. Kafka has its own lock, but it opens the metadata log before it checks the lock. */
    private static FileChannel lock(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // a broker in this JVM has the lock
        }
        channel.close();
        throw new BrokerStartException(
                StartFailureKind.FOLDER_IN_USE,
                "Another broker runs on the folder %s".formatted(path),
                "Stop it, or name another folder",
                null);
    }

    private void prepare(BrokerSettings settings) throws IOException {
        probeWrite();
        if (Files.exists(path.resolve(META))) {
            rejectOtherFormat();
            rejectNewer();
            hasUncleanShutdown = !Files.exists(path.resolve(CLEAN_SHUTDOWN_FILE));
        } else {
            deleteIncompleteFormat();
            rejectForeign(path);
            format(settings);
        }
        write(OWN_PROPERTIES, KAFKA_VERSION, AppInfoParser.getVersion());
    }

    Path path() {
        return path;
    }

    /** Whether the last broker on this folder did not shut down cleanly. */
    boolean hasUncleanShutdown() {
        return hasUncleanShutdown;
    }

    /** Releases the lock. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("folder", path).setCause(e).log("lock not released; it ends with this process");
        }
    }

    /** The cluster id from the formatting of the folder. */
    String clusterId() {
        try {
            return read(META, "cluster.id").orElseThrow(() -> foreign(path, "%s has no cluster.id".formatted(META)));
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    /** Finds the fault of the broker, as far as the folder shows it. */
    BrokerFault diagnose() {
        if (isFull()) {
            return new BrokerFault(
                    BrokerFault.BrokerFaultKind.DISK_FULL,
                    "The disk of the broker's folder %s is full".formatted(path),
                    "Free disk space and start again: no acknowledged record is lost");
        }
        if (!isWritable()) {
            return new BrokerFault(
                    BrokerFault.BrokerFaultKind.FOLDER_FAILED,
                    "The broker's folder %s cannot be written".formatted(path),
                    "Check the disk and the permissions of the folder, then start again");
        }
        return new BrokerFault(
                BrokerFault.BrokerFaultKind.STOPPED,
                "The broker on the folder %s stopped after an error".formatted(path),
                "Its last log lines say why; start again");
    }

    private boolean isFull() {
        try {
            return Files.getFileStore(path).getUsableSpace() < LOW_BYTES;
        } catch (IOException e) {
            return false; // then the disk has another fault
        }
    }

    private boolean isWritable() {
        try {
            probeWrite();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void probeWrite() throws IOException {
        Files.delete(Files.createTempFile(path, "probe", ".tmp"));
    }

    private void rejectOtherFormat() throws IOException {
        Optional<String> format = read(META, "version");
        if (!format.equals(Optional.of(FORMAT))) {
            throw foreign(
                    path, "%s has version %s, and this is version %s".formatted(META, format.orElse("none"), FORMAT));
        }
    }

    private void rejectNewer() throws IOException {
        Optional<String> wrote = read(OWN_PROPERTIES, KAFKA_VERSION);
        if (wrote.isPresent()
                && KafkaVersion.parse(wrote.get()).isAfter(KafkaVersion.parse(AppInfoParser.getVersion()))) {
            throw foreign(
                    path,
                    "it was last used by Kafka %s, and this is Kafka %s"
                            .formatted(wrote.get(), AppInfoParser.getVersion()));
        }
    }

    private static void rejectForeign(Path path) throws IOException {
        if (Files.exists(path.resolve(META))) {
            return;
        }
        try (Stream<Path> files = Files.list(path)) {
            Optional<Path> foreignFile =
                    files.filter(file -> !file.endsWith(LOCK)).findFirst();
            if (foreignFile.isPresent()) {
                throw foreign(
                        path,
                        "it is not empty and does not belong to a broker: it has "
                                + foreignFile.get().getFileName());
            }
        }
    }

    /** Kafka writes {@link #META} last, so a folder with nothing else has no data: a process was killed while it formatted it. */
    private void deleteIncompleteFormat() throws IOException {
        List<Path> found;
        try (Stream<Path> files = Files.list(path)) {
            found = files.filter(file -> !file.endsWith(LOCK)).toList();
        }
        if (found.stream()
                .allMatch(file -> FILES_BEFORE_META.contains(file.getFileName().toString()))) {
            for (Path file : found) {
                Files.delete(file);
            }
        }
    }

    private void format(BrokerSettings settings) {
        try {
            new Formatter()
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                    .setClusterId(settings.cluster()
                            .map(ControllerEndpoint::clusterId)
                            .orElseGet(() -> Uuid.randomUuid().toString()))
                    .setNodeId(settings.node())
                    .setControllerListenerName(BrokerSettings.CONTROLLER)
                    .setDirectories(List.of(path.toString()))
                    .setMetadataLogDirectory(path.toString())
                    .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                    .run();
        } catch (Exception e) {
            throw unusable(path, e);
        }
    }

    private Optional<String> read(String file, String name) throws IOException {
        Path properties = path.resolve(file);
        if (!Files.exists(properties)) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(properties)) {
            Properties p = new Properties();
            p.load(in);
            return Optional.ofNullable(p.getProperty(name));
        }
    }

    private void write(String file, String name, String value) throws IOException {
        Files.writeString(path.resolve(file), name + "=" + value + "\n");
    }

    private static BrokerStartException unusable(Path path, Exception e) {
        return new BrokerStartException(
                StartFailureKind.FOLDER_UNUSABLE,
                "The broker's folder %s cannot be used: %s".formatted(path, e),
                "Name a folder that this user can write, on a disk with free space",
                e);
    }

    private static BrokerStartException foreign(Path path, String reason) {
        return new BrokerStartException(
                StartFailureKind.FOLDER_FOREIGN,
                "The broker's folder %s is rejected: %s".formatted(path, reason),
                "Name another folder, or remove this one if its data is not needed",
                null);
    }

    private record KafkaVersion(List<Integer> numbers) {
        static KafkaVersion parse(String text) {
            return new KafkaVersion(Stream.of(text.split("[.-]"))
                    .takeWhile(part -> part.matches("\\d{1,6}"))
                    .map(Integer::valueOf)
                    .toList());
        }

        boolean isAfter(KafkaVersion other) {
            for (int i = 0; i < Math.min(numbers.size(), other.numbers.size()); i++) {
                int c = Integer.compare(numbers.get(i), other.numbers.get(i));
                if (c != 0) {
                    return c > 0;
                }
            }
            return false;
        }
    }
}
