package dev.claimstream.systemtests.process;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * AOT cache of the shipped jars for the programs of the tests. It nearly halves time and CPU of a start of {@code up}.
 * A test run creates the cache once for the same jars, if it starts enough programs.
 *
 * <p>The name of the file contains a sum of names, sizes and times of the jars. A complete file gets this name in one
 * step, and only if the jars have not changed meanwhile.
 */
public final class StartCache {
    private static final Path FOLDER = Path.of("target");

    private static final Path LOCK = FOLDER.resolve("programs.lock");

    /**
     * Number of the start that creates the cache. The creation takes as long as four starts, and the cache halves each
     * later start. A gate starts many programs, so its first start creates the cache.
     */
    private static final int CREATING_START = System.getenv("CI") == null ? 4 : 1;

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static int starts;

    private StartCache() {}

    /** Returns the JVM options for the next start. */
    static synchronized List<String> options() throws IOException {
        if (!Files.exists(file()) && ++starts == CREATING_START) {
            makeOnce();
        }
        return Files.exists(file()) ? List.of("-XX:AOTCache=" + file().toAbsolutePath()) : List.of();
    }

    /**
     * Returns the file of the cache, which the first call creates. The cache is valid for the jars and for copies with
     * the same order, times and places relative to each other.
     */
    public static synchronized Path create() throws IOException {
        makeOnce();
        return file();
    }

    /** Returns the file of the cache for the jars as they are now. */
    private static Path file() throws IOException {
        var sum = new CRC32();
        for (String jar : Program.classPath().split(File.pathSeparator, -1)) {
            Path path = Path.of(jar);
            String entry = "%s %d %s%n".formatted(path, Files.size(path), Files.getLastModifiedTime(path));
            sum.update(entry.getBytes(StandardCharsets.UTF_8));
        }
        return FOLDER.resolve("programs-%08x.aot".formatted(sum.getValue()));
    }

    /** Two test JVMs may create the cache: the second one waits for the first. */
    private static void makeOnce() throws IOException {
        try (var channel = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var lock = channel.lock()) {
            if (lock.isValid() && !Files.exists(file())) {
                deleteOutdated();
                make();
            }
        }
    }

    private static void deleteOutdated() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path each : files.filter(file -> file.getFileName().toString().matches("programs-.*\\.aot"))
                    .toList()) {
                Files.delete(each);
            }
        }
    }

    /** Creates the cache from an {@code up} that is terminated regularly. */
    private static void make() throws IOException {
        Path file = file();
        Path folder = Files.createTempDirectory(FOLDER, "programs"); // on the file system of the cache
        Path made = folder.resolve("made.aot");
        try (Program up = Program.startRecording(
                folder, made, "up", "--data", folder.resolve("data").toString())) {
            up.awaitOut("Ctrl-C ends it");
            up.interrupt();
            int exitCode = up.awaitEnd(PATIENCE);
            if (exitCode != 0 || !Files.exists(made)) {
                throw new IllegalStateException("no cache of loaded classes was made: exit code %d, %s%s"
                        .formatted(exitCode, up.out(), up.err()));
            }
            if (!file.equals(file())) {
                throw new IllegalStateException(
                        "a build has replaced jars of %s during the tests: let it end, and run the tests again"
                                .formatted(Program.TARGET));
            }
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
