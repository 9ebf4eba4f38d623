package dev.claimstream.cli;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The program of {@code load-tests/checker}, as a process of its own. */
final class Checking {
    private static final Path SOURCE = Path.of("..", "..", "load-tests", "checker", "Checker.java");
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private Checking() {}

    /** Reads the topics as they are and judges them; what takes time has to be done by now. */
    static Ran once(Path logs, String bootstrap, URI registry) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--class-path",
                itsLibraries(),
                SOURCE.toString()));
        command.addAll(List.of(bootstrap, registry.toString(), "--once", "--patience", "0"));
        Path out = Files.createTempFile(logs, "checker", ".out");
        Path err = Files.createTempFile(logs, "checker", ".err");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("the checker does not end: " + Files.readString(out) + Files.readString(err));
            }
            return new Ran(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            process.destroyForcibly();
        }
    }

    /** Kafka's and Avro's clients, and nothing of ours. */
    private static String itsLibraries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(each -> Path.of(each)
                        .getFileName()
                        .toString()
                        .matches("(kafka-clients|avro|jackson-(core|databind|annotations)|slf4j-api)-[0-9].*"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
