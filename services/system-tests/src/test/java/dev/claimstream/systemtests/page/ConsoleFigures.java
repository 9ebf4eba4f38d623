package dev.claimstream.systemtests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures the console page on 1,250 nodes with 10,000 devices: first paint, longest task by view, and memory while claims come and go.
 * {@code load-tests/console} runs it; its name keeps it out of other builds.
 */
class ConsoleFigures {
    private static final int NODES = Integer.getInteger("figures.nodes", 1250);
    private static final int CLAIMS = 1500;
    private static final Duration TIME = Duration.ofSeconds(Integer.getInteger("figures.seconds", 600));
    private static final Duration SAMPLE = Duration.ofSeconds(30);

    /** Changes per second: claims and pods, half of them created and half deleted. */
    private static final int RATE = Integer.getInteger("figures.rate", 200);

    private static final int BATCH = RATE / 4;
    private static final double MIB = 1 << 20;
    private static final List<String> VIEWS = List.of(
            "#/",
            "#/cluster",
            "#/cluster?group=rack",
            "#/cluster?colour=used",
            "#/claims",
            "#/queue",
            "#/usage?hours=1");
    private static final String OBSERVER = """
            window.tasks = [];
            new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => window.tasks.push(duration)))
              .observe({ type: 'longtask', buffered: true });""";

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void measure(@TempDir Path folder) throws Exception {
        Path objects = GpuFleetManifests.write(folder.resolve("fleet.yaml"), NODES, CLAIMS);
        Path data = folder.resolve("data");
        try (var up = Program.start(
                        folder, "up", "--data", data.toString(), "--with", "history", "-f", objects.toString());
                var chromium = Chromium.start("--js-flags=--expose-gc", "--enable-precise-memory-info")) {
            up.awaitOut("Ctrl-C ends it");
            URI console =
                    Endpoint.of(Files.readString(data.resolve("endpoint.json"))).console();
            System.out.printf(
                    "%,d devices, %,d claims, load %s%n",
                    NODES * GpuFleetManifests.DEVICES,
                    CLAIMS,
                    Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]);
            var pages = new PageInspector(chromium, console, Path.of("target", "page"));
            for (String view : VIEWS) {
                measureView(pages, view);
            }
            measureMemory(pages, console);
        }
    }

    private static void measureView(PageInspector pages, String view) {
        try (BrowserContext context = pages.window(1440, ColorScheme.LIGHT)) {
            context.addInitScript(OBSERVER);
            Page page = pages.open(context, view);
            assertThat(page.locator("main"))
                    .not()
                    .containsText("Loading…"); // the security policy forbids functions as texts
            page.waitForTimeout(4000);
            System.out.printf(
                    "%-24s first paint %5.0f ms, longest task %4.0f ms%n",
                    view,
                    number(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")),
                    number(page.evaluate("Math.max(0, ...window.tasks)")));
        }
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    private void measureMemory(PageInspector pages, URI console) throws InterruptedException {
        var isOver = new AtomicBoolean();
        var changes = new AtomicLong();
        Thread load = Thread.ofPlatform().start(() -> change(console, isOver, changes));
        try (BrowserContext context = pages.window(1440, ColorScheme.LIGHT)) {
            context.addInitScript(OBSERVER);
            Page page = pages.open(context, "#/cluster");
            long start = System.nanoTime();
            System.out.println("  second  changes/s  heap MiB  nodes of the document  longest task ms");
            for (long second = 0; second <= TIME.toSeconds(); second += SAMPLE.toSeconds()) {
                while (System.nanoTime() - start < Duration.ofSeconds(second).toNanos()) {
                    page.waitForTimeout(100);
                }
                page.evaluate("gc()");
                System.out.printf(
                        "%8d %10d %9.1f %22.0f %16.0f%n",
                        second,
                        second == 0 ? 0 : changes.get() / second,
                        number(page.evaluate("performance.memory.usedJSHeapSize")) / MIB,
                        number(page.evaluate("document.querySelectorAll('*').length")),
                        number(page.evaluate("Math.max(0, ...window.tasks.splice(0))")));
            }
        } finally {
            isOver.set(true);
            load.join();
        }
    }

    /** Creates and deletes claims with pods at the rate. */
    private void change(URI console, AtomicBoolean isOver, AtomicLong changes) {
        long start = System.nanoTime();
        for (int second = 0; !isOver.get(); second++) {
            int first = 1_000_000 + second * BATCH;
            String objects = IntStream.range(first, first + BATCH)
                    .mapToObj(GpuFleetManifests::claim)
                    .collect(Collectors.joining());
            try {
                post(console, "apply", objects);
                Thread.sleep(500);
                post(console, "delete", objects);
                changes.addAndGet(4L * BATCH);
                long wait = start + Duration.ofSeconds(second + 1L).toNanos() - System.nanoTime();
                Thread.sleep(Duration.ofNanos(Math.max(0, wait)));
            } catch (IOException e) {
                throw new IllegalStateException("the console does not answer", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void post(URI console, String action, String objects) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(console.resolve("/api/v1/" + action))
                        .header("Content-Type", "application/yaml")
                        .POST(HttpRequest.BodyPublishers.ofString(objects))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("%s: %d %s".formatted(action, answer.statusCode(), answer.body()));
        }
    }
}
