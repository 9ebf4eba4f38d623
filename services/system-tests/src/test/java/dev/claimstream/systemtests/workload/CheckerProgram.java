package dev.claimstream.systemtests.workload;

import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs {@code load-tests/checker} as a separate process. */
public final class CheckerProgram {
    private static final Path SOURCE = Path.of("..", "..", "load-tests", "checker", "Checker.java");
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int TRIES = 10;
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    private static List<String> compiledChecker = List.of();

    private CheckerProgram() {}

    /** Reads the topics to their current ends and checks them without patience: all delayed work must be complete. */
    public static CommandResult runOnce(Path logs, String bootstrap, URI registry)
            throws IOException, InterruptedException {
        try (var checker =
                CheckerProcess.start(logs, compiledChecker(), bootstrap, registry, "--once", "--patience", "0")) {
            return checker.awaitResult();
        }
    }

    /**
     * Repeats the check until it reports nothing, at most ten times. The decision that releases the devices of a
     * deleted claim may not be published yet. A device that is allocated twice is reported every time.
     */
    public static CommandResult runUntilClean(Path logs, String bootstrap, URI registry)
            throws IOException, InterruptedException {
        CommandResult checked = runOnce(logs, bootstrap, registry);
        for (int tries = 1; tries < TRIES && checked.exitCode() != 0; tries++) {
            Users.pause(BETWEEN_TRIES);
            checked = runOnce(logs, bootstrap, registry);
        }
        return checked;
    }

    /** Starts a checker from its source that follows the topics, and terminates it after its first line of output. */
    public static CommandResult runUntilTerminated(Path logs, String bootstrap, URI registry, String... options)
            throws IOException, InterruptedException {
        List<String> program = List.of("--class-path", libraryClassPath(), SOURCE.toString());
        try (var checker = CheckerProcess.start(logs, program, bootstrap, registry, options)) {
            checker.awaitFirstLine();
            checker.process.destroy();
            return checker.awaitResult();
        }
    }

    private record CheckerProcess(Process process, Path out, Path err) implements AutoCloseable {
        static CheckerProcess start(Path logs, List<String> program, String bootstrap, URI registry, String... options)
                throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1"));
            command.addAll(program);
            command.addAll(List.of(bootstrap, registry.toString()));
            command.addAll(List.of(options));
            Path out = Files.createTempFile(logs, "checker", ".out");
            Path err = Files.createTempFile(logs, "checker", ".err");
            var builder =
                    new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
            return new CheckerProcess(builder.start(), out, err);
        }

        void awaitFirstLine() throws InterruptedException {
            SlowPoll.await(() -> text().contains("\n"), this::text);
        }

        private String text() {
            try {
                return Files.readString(out) + Files.readString(err);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        CommandResult awaitResult() throws IOException, InterruptedException {
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("the checker does not end: " + text());
            }
            return new CommandResult(process.exitValue(), Files.readString(out), Files.readString(err));
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    /** Returns the arguments that run the compiled checker. The source would be compiled for each run. */
    private static synchronized List<String> compiledChecker() throws IOException {
        if (compiledChecker.isEmpty()) {
            String classes =
                    Files.createTempDirectory(Path.of("target"), "checker").toString();
            int exitCode = ToolProvider.findFirst("javac")
                    .orElseThrow()
                    .run(
                            System.out,
                            System.err,
                            "-proc:none",
                            "-d",
                            classes,
                            "-cp",
                            libraryClassPath(),
                            "-sourcepath",
                            Objects.requireNonNull(SOURCE.getParent()).toString(),
                            SOURCE.toString());
            if (exitCode != 0) {
                throw new IllegalStateException("%s is not compiled: exit code %d".formatted(SOURCE, exitCode));
            }
            compiledChecker = List.of("-cp", classes + File.pathSeparator + libraryClassPath(), "Checker");
        }
        return compiledChecker;
    }

    /** Returns the clients of Kafka and Avro; no class of Claimstream. */
    private static String libraryClassPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(each -> Path.of(each)
                        .getFileName()
                        .toString()
                        .matches("(kafka-clients|avro|jackson-(core|databind|annotations)|slf4j-api)-[0-9].*"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
