import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The process {@code claimstream up} that serves the cluster. */
final class UpProcess implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofMinutes(5);
    private static final int POLL_MS = 50;

    private final Path folder;
    private final List<String> command;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private volatile Optional<Process> process = Optional.empty();
    private volatile boolean isClosed;
    private volatile double startSeconds;

    UpProcess(Path launcher, Path folder, Path kubeconfig) {
        this.folder = folder;
        this.command =
                List.of(launcher.toString(), "up", "--kubeconfig", kubeconfig.toString(), "--data", data().toString());
    }

    private Path data() {
        return folder.resolve("data");
    }

    Path log() {
        return folder.resolve("up.err");
    }

    /** Starts the process and waits until it is ready. Returns false if it ended before. */
    boolean start() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Path out = folder.resolve("up.out");
        Files.writeString(out, "");
        Process started;
        synchronized (this) {
            if (isClosed) {
                return true;
            }
            started = new ProcessBuilder(command)
                    .redirectOutput(out.toFile())
                    .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
            process = Optional.of(started);
        }
        Files.writeString(
                folder.resolve("up.pids"), started.pid() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        while (!Files.readString(out).contains("Ctrl-C ends it")) {
            if (!started.isAlive()) {
                return false;
            }
            if (System.nanoTime() - begin > READY_WITHIN.toNanos()) {
                throw new IllegalStateException("claimstream up is not ready after %s".formatted(READY_WITHIN));
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        startSeconds = (System.nanoTime() - begin) / 1e9;
        return true;
    }

    double startSeconds() {
        return startSeconds;
    }

    boolean isAlive() {
        return process.filter(Process::isAlive).isPresent();
    }

    void kill() throws InterruptedException {
        process.orElseThrow().destroyForcibly().waitFor();
    }

    /** Ends the process as Ctrl-C does. Returns the exit code. */
    int end() throws InterruptedException {
        Process ending = process.orElseThrow();
        ending.destroy();
        if (!ending.waitFor(60, TimeUnit.SECONDS)) {
            ending.destroyForcibly();
        }
        return ending.waitFor();
    }

    /** Sends a signal, for example STOP or CONT. */
    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder(
                        "kill", "-" + name, Long.toString(process.orElseThrow().pid()))
                .start()
                .waitFor();
    }

    /** The response of the console; empty if it does not respond. */
    Optional<String> console(String path, String type) throws InterruptedException {
        try {
            URI console = URI.create(
                    JsonReader.text(JsonReader.read(Files.readString(data().resolve("endpoint.json"))), "console"));
            var request = HttpRequest.newBuilder(console.resolve(path))
                    .header("Accept", type)
                    .timeout(Duration.ofSeconds(20))
                    .build();
            var response = client.send(request, BodyHandlers.ofString());
            return response.statusCode() == 200 ? Optional.of(response.body()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    long residentMb() {
        try (Stream<String> lines =
                Files.lines(Path.of("/proc", Long.toString(process.orElseThrow().pid()), "status"))) {
            return lines.filter(line -> line.startsWith("VmRSS"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0; // between two starts, or not on this system
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
        }
        process.ifPresent(Process::destroyForcibly);
    }
}
