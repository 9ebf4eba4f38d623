import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The process {@code claimstream up} and a client of its console, which retries while the process restarts. */
final class SoakServer implements AutoCloseable {
    static final Duration READY_WITHIN = Duration.ofMinutes(5);

    private static final Duration RESPONSE_WITHIN = Duration.ofSeconds(60);
    private static final int STOP_SECONDS_MAX = 60;
    private static final int POLL_MS = 20;
    private static final int RETRY_MS = 200;

    private final Path launcher;
    private final Path data;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private Optional<Process> process = Optional.empty();
    private URI console = URI.create("http://127.0.0.1");
    private double startSeconds;
    private int kills;

    SoakServer(Path launcher, Path data) {
        this.launcher = launcher;
        this.data = data;
    }

    // ---- the process

    /** Starts the process and waits until it is ready. */
    void start() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Path out = data.resolveSibling("up.out");
        Path err = data.resolveSibling("up.err");
        Files.createDirectories(data);
        Files.writeString(out, "");
        Process started = new ProcessBuilder(launcher.toString(), "up", "--data", data.toString())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        process = Optional.of(started);
        while (!Files.readString(out).contains("Ctrl-C ends it")) {
            if (!started.isAlive() || System.nanoTime() - begin > READY_WITHIN.toNanos()) {
                throw new IllegalStateException("claimstream up is not ready: " + Files.readString(err));
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        startSeconds = (System.nanoTime() - begin) / 1e9;
        console = URI.create(field(Files.readString(data.resolve("endpoint.json")), "console"));
    }

    private static String field(String json, String name) {
        Matcher matcher =
                Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").matcher(json);
        if (!matcher.find()) {
            throw new IllegalStateException("endpoint.json has no field %s: %s".formatted(name, json));
        }
        return matcher.group(1);
    }

    void killAndStart() throws IOException, InterruptedException {
        process.orElseThrow().destroyForcibly().waitFor();
        kills++;
        start();
    }

    /** Ends the process as Ctrl-C does. Returns false if it does not end in time. */
    boolean stop() throws InterruptedException {
        Process ending = process.orElseThrow();
        ending.destroy();
        return ending.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        process.ifPresent(Process::destroyForcibly);
    }

    // ---- the console

    void apply(String manifests) throws InterruptedException {
        String response = post("/api/v1/apply", manifests);
        if (response.contains("\"rejected\"") || response.contains("\"error\"")) {
            throw new IllegalStateException("a valid object is rejected: " + response);
        }
    }

    void delete(String manifests) throws InterruptedException {
        post("/api/v1/delete", manifests);
    }

    long count(String path) throws InterruptedException {
        var request = HttpRequest.newBuilder(console.resolve(path)).header("Accept", "application/x-ndjson");
        return send(request.GET()).lines().count();
    }

    private String post(String path, String manifests) throws InterruptedException {
        var request = HttpRequest.newBuilder(console.resolve(path)).header("Content-Type", "application/yaml");
        return send(request.POST(BodyPublishers.ofString(manifests)));
    }

    private String send(HttpRequest.Builder request) throws InterruptedException {
        long end = System.nanoTime() + READY_WITHIN.toNanos();
        while (true) {
            String cause;
            try {
                HttpResponse<String> response =
                        client.send(request.timeout(RESPONSE_WITHIN).build(), BodyHandlers.ofString());
                if (response.statusCode() == 200) {
                    return response.body();
                }
                cause = response.body();
            } catch (IOException e) {
                cause = e.toString();
            }
            if (System.nanoTime() > end || !process.orElseThrow().isAlive()) {
                throw new IllegalStateException("no response from the console %s: %s".formatted(console, cause));
            }
            TimeUnit.MILLISECONDS.sleep(RETRY_MS);
        }
    }

    // ---- figures

    int kills() {
        return kills;
    }

    /** Returns the duration of the last start. */
    double startSeconds() {
        return startSeconds;
    }

    long residentMb() {
        Path status = Path.of("/proc", Long.toString(process.orElseThrow().pid()), "status");
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmRSS"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0; // not on this system
        }
    }

    long diskMb() throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            return files.mapToLong(file -> file.toFile().length()).sum() >> 20;
        } catch (UncheckedIOException e) {
            return 0; // a file was deleted during the walk
        }
    }
}
