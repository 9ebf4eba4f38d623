package dev.claimstream.cli.folder;

import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.output.CliVersion;
import dev.claimstream.cli.output.RunFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * The data folder of {@code claimstream up}, locked by one process.
 * It contains the broker's data, the state of the allocator, the ports, and the endpoints of the running process.
 */
public final class DataFolder implements AutoCloseable {
    private static final String FORMAT = "2";
    private static final String FORMAT_FILE = "claimstream.properties";
    private static final String LOCK_FILE = "claimstream.lock";
    private static final String PORTS_FILE = "ports.properties";
    private static final String CELLS_FILE = "cells.properties";
    private static final String CLUSTER_FILE = "cluster.properties";
    private static final String CONTROL_PLANE_FOLDER = "control-plane";
    private static final String READS_FILE = "reads.log";
    static final String ENDPOINT_FILE = "endpoint.json";

    /** What a start creates before the folder belongs to a cluster, besides the lock file. */
    private static final List<String> OF_UNBOUND_FOLDER = List.of("kafka", CELLS_FILE, FORMAT_FILE, READS_FILE);

    private final Path path;
    private final FileChannel lock;
    private final FolderOrigin origin;
    private boolean isDiscarded;

    private DataFolder(Path path, FileChannel lock, FolderOrigin origin) {
        this.path = path;
        this.lock = lock;
        this.origin = origin;
    }

    /** What existed before this process opened the folder. */
    private enum FolderOrigin {
        NOTHING,
        EMPTY_FOLDER,
        DATA
    }

    /**
     * Locks the folder for this process until {@link #close}.
     *
     * @throws RunFailure if another process holds the lock, the folder contains foreign files, or it is not writable
     */
    public static DataFolder open(Path folder) {
        Path path = folder.toAbsolutePath().normalize();
        rejectForeign(path);
        boolean isCreated = !Files.isDirectory(path);
        FolderChecks.requireWritable("--data", path);
        try {
            FileChannel lock = lock(path);
            FolderOrigin origin = Files.exists(path.resolve(FORMAT_FILE))
                    ? FolderOrigin.DATA
                    : isCreated ? FolderOrigin.NOTHING : FolderOrigin.EMPTY_FOLDER;
            var opened = new DataFolder(path, lock, origin);
            opened.write(
                    FORMAT_FILE,
                    "# a data folder of claimstream; do not change its files while claimstream runs%nformat=%s%nversion=%s%n"
                            .formatted(FORMAT, new CliVersion().getVersion()[0]));
            return opened;
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static void rejectForeign(Path path) {
        if (!Files.isDirectory(path)) {
            return; // creation reports the error of a path that is not a directory
        }
        Optional<String> format = read(path.resolve(FORMAT_FILE), "format");
        if (format.isPresent()) {
            if (!format.get().equals(FORMAT)) {
                throw new RunFailure(
                        "%s has data of format %s (written by %s), and this program reads format %s: use that version, or name another folder with --data"
                                .formatted(
                                        path,
                                        format.get(),
                                        read(path.resolve(FORMAT_FILE), "version")
                                                .orElse("another version"),
                                        FORMAT));
            }
            return;
        }
        try (Stream<Path> content = Files.list(path)) {
            Optional<Path> stranger =
                    content.filter(file -> !file.endsWith(LOCK_FILE)).sorted().findFirst();
            if (stranger.isPresent()) {
                throw new RunFailure(
                        "%s is not a data folder of claimstream, it contains %s: name an empty or a new folder with --data"
                                .formatted(path, stranger.get().getFileName()));
            }
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static RunFailure unusable(Path path, IOException e) {
        return new RunFailure("--data %s cannot be used, %s: name a folder that you may write to"
                .formatted(path, FolderChecks.reason(e)));
    }

    private static FileChannel lock(Path path) throws IOException {
        FileChannel channel = FileChannel.open(
                path.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(
                        Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // this process holds the lock: handled like a lock of another process
        }
        channel.close();
        throw new RunFailure(
                "claimstream already runs on %s (process %s): use it, stop it, or name another folder with --data"
                        .formatted(path, holder(path)));
    }

    private static String holder(Path path) throws IOException {
        String pid = Files.readString(path.resolve(LOCK_FILE)).strip();
        return pid.isEmpty() ? "unknown" : pid;
    }

    public Path path() {
        return path;
    }

    // ---- cells

    /**
     * Returns the number of cells, which is fixed at the first start.
     *
     * @param wanted number from the command line
     * @throws RunFailure if the command line asks for another number
     */
    public int cells(Optional<Integer> wanted) {
        Optional<Integer> known = knownCells(path);
        if (known.isPresent() && wanted.isPresent() && !known.equals(wanted)) {
            throw new RunFailure(
                    "--cells %d: %s has %d since its first start, which cannot be changed: leave the option out, or name another folder with --data"
                            .formatted(wanted.get(), path, known.get()));
        }
        int cells = known.or(() -> wanted).orElse(1);
        write(CELLS_FILE, "cells=%d%n".formatted(cells));
        return cells;
    }

    /** Returns the number of cells of a data folder; 1 if the folder has no number yet. */
    public static int cellsOf(Path folder) {
        return knownCells(folder).orElse(1);
    }

    private static Optional<Integer> knownCells(Path folder) {
        return read(folder.resolve(CELLS_FILE), "cells")
                .filter(text -> text.matches("[1-9][0-9]{0,3}"))
                .map(Integer::valueOf);
    }

    // ---- cluster

    /**
     * Binds the folder to a cluster at its first start.
     * The folder's state is about the objects of one cluster. It would be applied wrongly to another cluster.
     *
     * @throws RunFailure if the folder belongs to another cluster
     */
    public void bindCluster(ClusterKind kind, BoundCluster cluster) {
        requireCluster(cluster);
        write(
                CLUSTER_FILE,
                "cluster=%s%nkind=%s%n".formatted(cluster.id(), kind.name())
                        + cluster.server().map("server=%s%n"::formatted).orElse(""));
    }

    /**
     * Checks that the folder belongs to no other cluster.
     *
     * @throws RunFailure if the folder belongs to another cluster
     */
    public void requireCluster(BoundCluster cluster) {
        BoundCluster known = read(path.resolve(CLUSTER_FILE), "cluster")
                .map(id -> new BoundCluster(id, read(path.resolve(CLUSTER_FILE), "server")))
                .orElse(Files.exists(path.resolve(PORTS_FILE)) ? BoundCluster.MINIATURE : cluster);
        if (!known.id().equals(cluster.id())) {
            throw new RunFailure(
                    "%1$s belongs to %2$s since its first start, not to %3$s: name another folder with --data, or delete %1$s if that cluster no longer exists"
                            .formatted(path, known, cluster));
        }
    }

    /**
     * Checks before anything is written that a folder may serve a cluster of this kind.
     *
     * @throws RunFailure if the folder belongs to a cluster of another kind
     */
    public static void requireKind(Path folder, ClusterKind wanted) {
        kindOf(folder).filter(known -> known != wanted).ifPresent(known -> {
            throw new RunFailure("%s belongs to %s since its first start, not to %s: name another folder with --data"
                    .formatted(folder, known, wanted));
        });
    }

    /** Returns the kind of cluster that a folder belongs to; empty before its first complete start. */
    static Optional<ClusterKind> kindOf(Path folder) {
        return read(folder.resolve(CLUSTER_FILE), "kind")
                .flatMap(name -> Stream.of(ClusterKind.values())
                        .filter(kind -> kind.name().equals(name))
                        .findFirst())
                .or(() -> inferredKind(folder));
    }

    /** Returns the kind of a folder that an earlier version bound, without a record of the kind. */
    private static Optional<ClusterKind> inferredKind(Path folder) {
        Optional<String> known = clusterOf(folder);
        if (known.isEmpty()
                ? Files.exists(folder.resolve(PORTS_FILE))
                : known.get().equals(BoundCluster.MINIATURE.id())) {
            return Optional.of(ClusterKind.IN_MEMORY);
        }
        return known.map(_ -> Files.isDirectory(folder.resolve(CONTROL_PLANE_FOLDER))
                ? ClusterKind.CONTROL_PLANE
                : ClusterKind.KUBERNETES);
    }

    /** Returns the folder in which a local control plane keeps its data. */
    public Path controlPlane() {
        return path.resolve(CONTROL_PLANE_FOLDER);
    }

    /** Returns the file with one line per question to the history and the simulator. */
    public Path reads() {
        return path.resolve(READS_FILE);
    }

    /** Returns the cluster id that {@link #bindCluster} has stored. */
    public static Optional<String> clusterOf(Path folder) {
        return read(folder.resolve(CLUSTER_FILE), "cluster");
    }

    // ---- ports

    /** Returns the port of a server at the last start. */
    public OptionalInt port(String name) {
        return read(path.resolve(PORTS_FILE), name)
                .filter(text -> text.matches("[1-9][0-9]{0,4}"))
                .map(text -> OptionalInt.of(Integer.parseInt(text)))
                .orElse(OptionalInt.empty());
    }

    /** Stores the ports for the next start, so that producers reach the broker at the same address. */
    public void savePorts(int broker, int registry, int console) {
        write(PORTS_FILE, "broker=%d%nregistry=%d%nconsole=%d%n".formatted(broker, registry, console));
    }

    // ---- endpoints

    public void publishEndpoint(Endpoint endpoint) {
        write(ENDPOINT_FILE, endpoint.text());
    }

    public void deleteEndpoint() {
        try {
            Files.deleteIfExists(path.resolve(ENDPOINT_FILE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the endpoints that the last process has published. That process may have exited. */
    public static Optional<Endpoint> publishedEndpoint(Path folder) {
        try {
            return Optional.of(Endpoint.of(Files.readString(folder.resolve(ENDPOINT_FILE))));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    // ---- files

    /** Replaces a file atomically, so that readers see either the old or the new text. */
    private void write(String name, String text) {
        try {
            Path draft = path.resolve(name + ".new");
            Files.writeString(draft, text);
            Files.move(draft, path.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static Optional<String> read(Path file, String name) {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(new StringReader(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.of("unknown");
        }
        return Optional.ofNullable(properties.getProperty(name));
    }

    /**
     * Removes what this process created in the folder when it is closed, unless the folder belongs to a cluster.
     * After a rejected first start the folder is then free for any cluster.
     */
    public void discardIfUnbound() {
        isDiscarded = origin != FolderOrigin.DATA && clusterOf(path).isEmpty();
    }

    /** Removes the lock file last, because another process may use the folder after that. */
    private void removeContent() throws IOException {
        for (String name : OF_UNBOUND_FOLDER) {
            if (Files.exists(path.resolve(name))) {
                FolderRemoval.remove(path.resolve(name));
            }
        }
        Files.delete(path.resolve(LOCK_FILE));
        if (origin == FolderOrigin.NOTHING) {
            try {
                Files.delete(path);
            } catch (DirectoryNotEmptyException e) {
                return; // it contains files of others, or another process uses it now
            }
        }
    }

    /** Releases the lock. */
    @Override
    public void close() {
        try (lock) {
            if (isDiscarded) {
                removeContent();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
