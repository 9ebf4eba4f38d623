package dev.claimstream.systemtests.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A separate process of the shipped jars. */
public final class Program implements AutoCloseable {
    private static final String MAIN = "dev.claimstream.cli.Main";
    /** The folder of the shipped jars. */
    public static final Path TARGET = Path.of("..", "cli", "target");

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Process process;
    private final Path out;
    private final Path err;

    private Program(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    public static Program start(Path logs, String... args) throws IOException {
        return start(logs, Map.of(), MAIN, args);
    }

    /** Starts another main class of the same jars, with these environment variables. */
    public static Program start(Path logs, Map<String, String> environment, String mainClass, String... args)
            throws IOException {
        return start(logs, List.of(), classPath(), environment, mainClass, List.of(args));
    }

    /** Starts another main class with these JVM options, which override the defaults. */
    public static Program start(Path logs, List<String> options, Map<String, String> environment, String mainClass)
            throws IOException {
        List<String> all = new ArrayList<>(StartCache.options());
        all.addAll(options);
        return start(logs, List.of(), all, classPath(), environment, mainClass, List.of());
    }

    /** Starts a main class of the tests. */
    public static Program start(Path logs, Class<?> main, String... args) throws IOException {
        // An AOT cache is valid only if the class path begins with the class path of the cache.
        String place = main.getProtectionDomain().getCodeSource().getLocation().getPath();
        return start(
                logs, List.of(), classPath() + File.pathSeparator + place, Map.of(), main.getName(), List.of(args));
    }

    /** Starts the command with {@code -XX:AOTCacheOutput}: the JVM writes the cache to this file on a regular exit. */
    static Program startRecording(Path logs, Path cache, String... args) throws IOException {
        return start(
                logs, List.of(), List.of("-XX:AOTCacheOutput=" + cache), classPath(), Map.of(), MAIN, List.of(args));
    }

    private static Program start(
            Path logs,
            List<String> before,
            String classPath,
            Map<String, String> environment,
            String mainClass,
            List<String> args)
            throws IOException {
        return start(logs, before, StartCache.options(), classPath, environment, mainClass, args);
    }

    private static Program start(
            Path logs,
            List<String> before,
            List<String> options,
            String classPath,
            Map<String, String> environment,
            String mainClass,
            List<String> args)
            throws IOException {
        Path out = Files.createTempFile(logs, "program", ".out");
        Path err = Files.createTempFile(logs, "program", ".err");
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xlog:disable"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, mainClass));
        command.addAll(args);
        var builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        return new Program(process, out, err);
    }

    /**
     * Starts the command by a bash script, in which {@code "$@"} is the command. The native library of RocksDB is
     * extracted before, because the script may leave too little disk space for it.
     */
    public static Program startScript(Path logs, List<String> shell, String script, String... args) throws IOException {
        Path library = Files.createDirectories(logs.resolve("library"));
        try (Stream<Path> jars = Files.list(TARGET.resolve("lib"))) {
            for (Path jar : jars.filter(each -> each.getFileName().toString().startsWith("rocksdbjni-"))
                    .toList()) {
                extract(jar, library);
            }
        }
        List<String> before = new ArrayList<>(shell);
        before.addAll(List.of("bash", "-c", script, "bash"));
        return start(
                logs,
                before,
                classPath(),
                Map.of("JAVA_TOOL_OPTIONS", "-Djava.library.path=" + library),
                MAIN,
                List.of(args));
    }

    private static void extract(Path jar, Path to) throws IOException {
        try (var files = FileSystems.newFileSystem(jar);
                Stream<Path> entries = Files.list(files.getPath("/"))) {
            for (Path entry :
                    entries.filter(each -> each.toString().endsWith(".so")).toList()) {
                Files.copy(entry, to.resolve(entry.getFileName().toString()));
            }
        }
    }

    /** Returns the class path of the shipped jars. */
    public static String classPath() throws IOException {
        try (Stream<Path> ours = Files.list(TARGET);
                Stream<Path> libraries = Files.list(TARGET.resolve("lib"))) {
            return Stream.concat(
                            ours.filter(file -> file.getFileName().toString().matches("claimstream-cli-.*\\.jar")),
                            libraries.sorted())
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    /** Runs the command to its end. */
    public static CommandResult run(Path logs, String... args) throws IOException, InterruptedException {
        try (Program program = start(logs, args)) {
            int exitCode = program.awaitEnd();
            return new CommandResult(exitCode, program.out(), program.err());
        }
    }

    public String out() {
        return text(out);
    }

    public String err() {
        return text(err);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a path in the mount namespace of the process. */
    public Path hostPath(Path path) {
        return Path.of("/proc", Long.toString(process.pid()), "root")
                .resolve(Path.of("/").relativize(path.toAbsolutePath()));
    }

    /** Waits until standard output contains the text. */
    public void awaitOut(String text) throws InterruptedException {
        awaitOut(text, PATIENCE);
    }

    /** Waits up to this time until standard output contains the text. */
    public void awaitOut(String text, Duration patience) throws InterruptedException {
        await(() -> out().contains(text) || !process.isAlive(), "'%s' on standard output".formatted(text), patience);
        if (!out().contains(text)) {
            throw new AssertionError("it ended: " + err());
        }
    }

    public static void await(BooleanSupplier reached, String what) throws InterruptedException {
        await(reached, what, PATIENCE);
    }

    public static void await(BooleanSupplier reached, String what, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no %s after %s".formatted(what, patience));
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public void interrupt() {
        process.destroy(); // SIGTERM
    }

    public void kill() {
        process.destroyForcibly(); // SIGKILL
    }

    /** Sends a signal by its name: {@code STOP} freezes the process, {@code CONT} resumes it. */
    public void signal(String name) throws IOException, InterruptedException {
        int exitCode = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw new IOException("kill -%s %d: exit code %d".formatted(name, process.pid(), exitCode));
        }
    }

    public int awaitEnd() throws InterruptedException {
        return awaitEnd(PATIENCE);
    }

    public int awaitEnd(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("it did not end: " + err());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
