package dev.claimstream.history.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a full disk is named, that what is stored is answered meanwhile, and that the history continues once there is space. */
class FullStoreIT {
    private static final String SCRIPT =
            "unshare -m bash -c 'mount -t tmpfs -o size=${MIB}m none $DIR && $JAVA $DIR $FILLER'";

    @TempDir
    private Path folder = Path.of("");

    @Test
    void answersWhenTransactionDoesNotFitAndContinuesAfterIt() throws IOException, InterruptedException {
        assertThat(fullDisk(24, 8).get("meanwhile")).isEqualTo("1");
    }

    /** A file whose checkpoint has failed can be neither read nor written until it is opened again. */
    @Test
    void reopensFileWhoseCheckpointDoesNotFit() throws IOException, InterruptedException {
        assertThat(fullDisk(130, 60).get("meanwhile"))
                .isEqualTo(
                        "DISK_FULL the history could not be written and is opened again: retry in a few seconds; its health has the cause");
    }

    private Map<String, String> fullDisk(int mib, int fillerMib) throws IOException, InterruptedException {
        boolean canMount = new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "none", "/tmp")
                        .start()
                        .waitFor()
                == 0;
        Assumptions.assumeTrue(canMount, "NOT TRIED: a full disk: this user cannot mount a small one");
        Map<String, String> printed = run(mib, fillerMib);
        assertThat(printed)
                .containsEntry("problem", "DISK_FULL")
                .containsEntry(
                        "message",
                        "the history cannot be written: the disk is full. Free space; the history continues where it stopped.")
                .containsEntry("full", "1")
                .containsEntry("added", "20000");
        long stored = Long.parseLong(printed.getOrDefault("stored", "0"));
        assertThat(stored).isPositive();
        assertThat(printed).containsEntry("intervals", Long.toString(stored + 20_000));
        return printed;
    }

    private Map<String, String> run(int mib, int fillerMib) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        var builder = new ProcessBuilder("bash", "-c", SCRIPT)
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment()
                .put(
                        "JAVA",
                        "%s --enable-native-access=ALL-UNNAMED -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp %s %s"
                                .formatted(
                                        Path.of(System.getProperty("java.home"), "bin", "java"),
                                        System.getProperty("java.class.path"),
                                        FullStoreProgram.class.getName()));
        builder.environment()
                .put("DIR", Files.createDirectory(folder.resolve("disk")).toString());
        builder.environment().put("MIB", Integer.toString(mib));
        builder.environment().put("FILLER", Integer.toString(fillerMib));
        Process process = builder.start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        var printed = new TreeMap<String, String>();
        try (Stream<String> lines = Files.lines(out)) {
            lines.map(line -> line.split("=", 2))
                    .filter(parts -> parts.length == 2)
                    .forEach(parts -> printed.put(parts[0], parts[1]));
        }
        return printed;
    }
}
