package dev.claimstream.kafka.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A broker process on a disk that fills up: by a file size limit, and by a small mount where the user may mount. */
@Tag("part-4")
class FullDiskIT {
    @TempDir
    Path folder;

    enum DiskLimit {
        FILE_SIZE_LIMIT(
                "(ulimit -f 14336; $JAVA fill $DIR/data); $JAVA count $DIR/data", BrokerFault.BrokerFaultKind.STOPPED),
        SMALL_DISK(
                "unshare -m bash -c 'mount -t tmpfs -o size=20m none $DIR && $JAVA fill $DIR/data;"
                        + " mount -o remount,size=80m $DIR && $JAVA count $DIR/data'",
                BrokerFault.BrokerFaultKind.DISK_FULL);

        private final String script;
        private final BrokerFault.BrokerFaultKind fault;

        DiskLimit(String script, BrokerFault.BrokerFaultKind fault) {
            this.script = script;
            this.fault = fault;
        }
    }

    static Stream<DiskLimit> means() throws Exception {
        boolean canMount = new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "none", "/tmp")
                        .start()
                        .waitFor()
                == 0;
        return canMount ? Stream.of(DiskLimit.values()) : Stream.of(DiskLimit.FILE_SIZE_LIMIT);
    }

    @ParameterizedTest
    @MethodSource("means")
    void reportsFullDiskAndLosesNoAcknowledgedRecord(DiskLimit means) throws Exception {
        Map<String, String> said = run(means.script);
        assertThat(said)
                .containsEntry("kind", means.fault.name())
                .containsEntry("alive", "yes")
                .hasEntrySatisfying("said", text -> assertThat(text).contains(folder.toString()))
                .hasEntrySatisfying(
                        "close-ms", ms -> assertThat(Long.parseLong(ms)).isLessThan(6_000))
                .hasEntrySatisfying(
                        "acknowledged",
                        count -> assertThat(Long.parseLong(count)).isPositive());
        assertThat(Long.parseLong(said.getOrDefault("kept", "-1")))
                .isGreaterThanOrEqualTo(Long.parseLong(said.getOrDefault("acknowledged", "0")));
    }

    private Map<String, String> run(String script) throws IOException, InterruptedException {
        String java = "%s -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp %s %s"
                .formatted(
                        Path.of(System.getProperty("java.home"), "bin", "java"),
                        System.getProperty("java.class.path"),
                        FullDiskProgram.class.getName());
        Path out = folder.resolve("out");
        var builder = new ProcessBuilder("bash", "-c", script)
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JAVA", java);
        builder.environment()
                .put("DIR", Files.createDirectory(folder.resolve("disk")).toString());
        Process process = builder.start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        var said = new TreeMap<String, String>();
        try (Stream<String> lines = Files.lines(out)) {
            lines.map(line -> line.split("=", 2))
                    .filter(parts -> parts.length == 2)
                    .forEach(parts -> said.put(parts[0], parts[1]));
        }
        return said;
    }
}
