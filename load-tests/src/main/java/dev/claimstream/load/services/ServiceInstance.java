package dev.claimstream.load.services;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A command of {@code claimstream}, such as {@code service NAME}, as a process of the packaged jars, with the JVM flags
 * of the image.
 */
final class ServiceInstance implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int SHOWN = 1_500;
    private static final Pattern SPACE_IN_USE =
            Pattern.compile("(?:new generation|tenured generation|DefNew|Tenured)\\s+total \\d+K, used (\\d+)K");

    private final Process process;
    private final Path log;
    private final URI health;
    private final HttpClient client;
    private final long startedAt = System.nanoTime();

    private ServiceInstance(Process process, Path log, URI health, HttpClient client) {
        this.process = process;
        this.log = log;
        this.health = health;
        this.client = client;
    }

    /**
     * Starts a command.
     *
     * @param jars of the version of the command
     * @param words of the command
     * @param prefix words before the command, for example of a program that limits it; empty for none
     * @param options JVM options after those of the image
     * @param log file of its output; it is appended to
     * @param port of its health pages
     */
    static ServiceInstance start(
            HttpClient client,
            ServiceJars jars,
            List<String> words,
            List<String> prefix,
            List<String> options,
            Map<String, String> settings,
            Path log,
            int port)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(options);
        command.addAll(List.of("-cp", jars.classPath(), "dev.claimstream.cli.Main"));
        command.addAll(words);
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(settings);
        builder.environment().put("CLAIMSTREAM_OBSERVABILITY_PORT", Integer.toString(port));
        return new ServiceInstance(builder.start(), log, URI.create("http://127.0.0.1:" + port), client);
    }

    /**
     * Waits until the service is ready, and returns the time since its start.
     *
     * @throws IOException if it ends before; the message contains the end of its log
     */
    Duration awaitReady() throws IOException, InterruptedException {
        long limit = startedAt + PATIENCE.toNanos();
        while (!isReady()) {
            if (!process.isAlive() || System.nanoTime() > limit) {
                throw new IOException("%s is not ready: %s".formatted(log.getFileName(), logEnd()));
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return Duration.ofNanos(System.nanoTime() - startedAt);
    }

    boolean isReady() throws InterruptedException {
        return answers(health.resolve("/health/ready"));
    }

    private boolean answers(URI address) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(address)
                    .timeout(Duration.ofSeconds(5))
                    .build();
            return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private String logEnd() throws IOException {
        String text = Files.readString(log).strip();
        return text.substring(Math.max(0, text.length() - SHOWN));
    }

    /** Ends the process, and returns the time of the signal in ns. */
    long end(EndSignal signal) {
        long now = System.nanoTime();
        switch (signal) {
            case KILL -> process.destroyForcibly();
            case TERMINATE -> process.destroy();
        }
        return now;
    }

    void awaitEnd() throws InterruptedException {
        process.waitFor();
    }

    /** Returns the exit code of a process that has ended. */
    int exitCode() {
        return process.exitValue();
    }

    /**
     * Waits until a command has done its work, and returns its time and the largest resident set.
     *
     * @throws IOException if it fails; the message contains the end of its log
     */
    CommandUse awaitSuccess() throws IOException, InterruptedException {
        long peak = 0;
        while (process.isAlive()) {
            peak = Math.max(peak, statusField("VmHWM"));
            TimeUnit.MILLISECONDS.sleep(10);
        }
        Duration time = Duration.ofNanos(System.nanoTime() - startedAt);
        if (exitCode() != 0) {
            throw new IOException("%s failed: %s".formatted(log.getFileName(), logEnd()));
        }
        return new CommandUse(time, peak);
    }

    /**
     * Time and memory that a command needed.
     *
     * @param time from its start to its end
     * @param peak largest resident set in MB
     */
    record CommandUse(Duration time, long peak) {}

    /** The text of the health page; empty if the process does not respond. */
    String health() throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(health.resolve("/health"))
                    .timeout(Duration.ofSeconds(5))
                    .build();
            return client.send(request, BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        }
    }

    /** How a process is ended. */
    enum EndSignal {
        KILL("kill -9"),
        TERMINATE("SIGTERM");

        private final String text;

        EndSignal(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /**
     * Memory of a process in MB.
     *
     * @param resident resident set now
     * @param peak largest resident set since the start
     * @param heap heap in use after a full collection
     */
    record MemoryUse(long resident, long peak, long heap) {}

    /** Returns the memory: first the resident set, then the heap after a full collection. */
    MemoryUse memory() throws IOException, InterruptedException {
        long resident = statusField("VmRSS");
        long peak = statusField("VmHWM");
        jcmd("GC.run");
        long heap = SPACE_IN_USE
                .matcher(jcmd("GC.heap_info"))
                .results()
                .mapToLong(space -> Long.parseLong(space.group(1)))
                .sum();
        return new MemoryUse(resident, peak, heap * 1024 / 1_000_000);
    }

    /** Returns a field in MB; 0 after the end of the process. */
    private long statusField(String name) throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith(name + ":"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .sum()
                    * 1024
                    / 1_000_000;
        } catch (IOException | UncheckedIOException e) {
            if (process.isAlive()) {
                throw new IOException("%s cannot be read: %s".formatted(status, e.getMessage()), e);
            }
            return 0;
        }
    }

    private String jcmd(String command) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(process.pid()),
                        command)
                .redirectErrorStream(true)
                .start();
        String output;
        try (var reader = jcmd.inputReader()) {
            output = reader.lines().collect(Collectors.joining("\n"));
        }
        if (jcmd.waitFor() != 0) {
            throw new IOException("jcmd %d %s: %s".formatted(process.pid(), command, output));
        }
        return output;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
