package dev.claimstream.agent.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.claimstream.agent.devices.Accelerator;
import dev.claimstream.agent.devices.DeviceTable;
import dev.claimstream.agent.devices.Discovery;
import dev.claimstream.agent.devices.Machines;
import dev.claimstream.agent.devices.PciTree;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Scrapes of exporters over HTTP that respond, fail, respond slowly or redirect. */
@Timeout(20)
final class ExportersTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration EVERY = Duration.ofSeconds(15);
    private static final long BYTES_MAX = 100_000;

    @TempDir
    private Path folder;

    private final CountDownLatch done = new CountDownLatch(1);
    private final AtomicInteger redirectCount = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private List<Accelerator> gpus = List.of();

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        String dcgm = DeviceMetricsReaderTest.fixture("dcgm.txt");
        server.createContext("/dcgm", exchange -> answer(exchange, 200, dcgm));
        server.createContext("/down", exchange -> answer(exchange, 503, "busy"));
        server.createContext("/nonsense", exchange -> answer(exchange, 200, "<html>not here</html>"));
        server.createContext("/huge", exchange -> answer(exchange, 200, "a 1\n".repeat(100_000)));
        server.createContext("/slow", exchange -> exchange.getResponseHeaders().add("X", await()));
        server.createContext("/dripping", this::respondSlowly);
        server.createContext("/elsewhere", exchange -> {
            exchange.getResponseHeaders().add("Location", "/followed");
            answer(exchange, 302, "");
        });
        server.createContext("/followed", exchange -> {
            redirectCount.incrementAndGet();
            answer(exchange, 200, dcgm);
        });
        server.start();
        var sys = Machines.dgx(folder);
        gpus = new Discovery(new PciTree(sys.sys(), sys.proc()), DeviceTable.builtIn(), List.of(), List.of())
                .scan()
                .physical();
    }

    @AfterEach
    void stop() {
        done.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private String await() {
        try {
            done.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "";
    }

    private void respondSlowly(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().write('#');
        exchange.getResponseBody().flush();
        await();
        exchange.close();
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private URI at(String path) {
        return URI.create("http://localhost:%d%s".formatted(server.getAddress().getPort(), path));
    }

    private static Exporters of(URI... addresses) {
        return new Exporters(new Exporters.ExporterSettings(
                List.of(addresses), EVERY, Duration.ofSeconds(2), BYTES_MAX, new TreeSet<>()));
    }

    private int scrapeAndTake(Exporters exporters, Instant now) {
        exporters.scrapeIfDue(now);
        exporters.await();
        return exporters.take(gpus).size();
    }

    @Test
    void scrapesOnlyWhenDue() {
        try (var exporters = of(at("/dcgm"))) {
            assertThat(scrapeAndTake(exporters, START)).isEqualTo(8);
            assertThat(scrapeAndTake(exporters, START.plusSeconds(14))).isZero();
            assertThat(scrapeAndTake(exporters, START.plusSeconds(15))).isEqualTo(8);
            assertThat(exporters.failures()).isZero();
        }
    }

    @Test
    void countsFailedExporterAndKeepsOtherSamples() throws IOException {
        int closed;
        try (var socket = new java.net.ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        try (var exporters = of(
                at("/down"),
                at("/nonsense"),
                at("/huge"),
                at("/slow"),
                at("/dripping"),
                at("/elsewhere"),
                URI.create("http://localhost:" + closed + "/metrics"),
                at("/dcgm"))) {
            assertThat(scrapeAndTake(exporters, START)).isEqualTo(8);
            assertThat(exporters.failures()).isEqualTo(7);
            assertThat(scrapeAndTake(exporters, START.plusSeconds(15))).isEqualTo(8);
            assertThat(exporters.failures()).isEqualTo(14);
        }
    }

    @Test
    void doesNotFollowRedirects() {
        try (var exporters = of(at("/elsewhere"))) {
            assertThat(scrapeAndTake(exporters, START)).isZero();
            assertThat(redirectCount).hasValue(0);
        }
    }
}
