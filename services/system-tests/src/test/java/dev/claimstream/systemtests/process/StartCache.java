package dev.claimstream.systemtests.process;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * AOT cache of the shipped jars for the programs of the tests. It nearly halves time and CPU of a start of {@code up}.
 * A test run creates the cache once for the same jars, if it starts enough programs.
 */
final class StartCache {
    private static final Path FILE = Path.of("target", "programs.aot");

    private static final Path LOCK = Path.of("target", "programs.lock");

    /**
     * Number of starts after which the cache pays off. Its creation takes as long as four starts, and it halves each
     * later start.
     */
    private static final int STARTS_BEFORE_CACHE = 4;

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static int starts;

    private StartCache() {}

    /** Returns the JVM options for the next start. */
    static synchronized List<String> options() throws IOException {
        if (!isCurrent() && ++starts == STARTS_BEFORE_CACHE) {
            makeOnce();
        }
        return isCurrent() ? List.of("-XX:AOTCache=" + FILE) : List.of();
    }

    /** The JVM ignores a cache that does not match the jars, and only starts slower. */
    private static boolean isCurrent() throws IOException {
        return Files.exists(FILE) && Files.getLastModifiedTime(FILE).compareTo(newestJar()) > 0;
    }

    private static FileTime newestJar() throws IOException {
        FileTime newest = FileTime.fromMillis(0);
        for (String jar : Program.classPath().split(File.pathSeparator, -1)) {
            FileTime time = Files.getLastModifiedTime(Path.of(jar));
            newest = time.compareTo(newest) > 0 ? time : newest;
        }
        return newest;
    }

    /** Two test JVMs may create the cache: the second one waits for the first. */
    private static void makeOnce() throws IOException {
        try (var file = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var lock = file.lock()) {
            if (lock.isValid() && !isCurrent()) {
                make();
            }
        }
    }

    /** Creates the cache from an {@code up} that is terminated regularly. */
    private static void make() throws IOException {
        Path folder = Files.createTempDirectory("claimstream-start-cache");
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
            Files.move(made, FILE, StandardCopyOption.REPLACE_EXISTING);
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
