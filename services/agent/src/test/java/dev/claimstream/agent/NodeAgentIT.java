package dev.claimstream.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.agent.devices.Machines;
import dev.claimstream.agent.streams.KafkaFixture;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.ResourceSliceRecord;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole agent with a broker, a sysfs tree and an exporter. */
@Timeout(60)
final class NodeAgentIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final String GPUS = "nvidia-gpu.agent.claimstream.dev";

    @TempDir
    private Path folder;

    private KafkaFixture kafka;
    private HttpServer exporter;

    @BeforeEach
    void start() throws IOException {
        kafka = KafkaFixture.start(folder.resolve("kafka"));
        exporter = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        exporter.createContext("/metrics", exchange -> {
            byte[] body = fixture();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        exporter.start();
    }

    @AfterEach
    void stop() {
        exporter.stop(0);
        kafka.close();
    }

    private static byte[] fixture() throws IOException {
        try (InputStream in = Objects.requireNonNull(NodeAgentIT.class.getResourceAsStream("telemetry/dcgm.txt"))) {
            return in.readAllBytes();
        }
    }

    private ApplicationContext startAgent(Path sys, Path proc) {
        return ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .properties(Map.of(
                        "claimstream.agent.mode",
                        "node",
                        "claimstream.agent.node",
                        "dgx-1",
                        "claimstream.agent.sys",
                        sys.toString(),
                        "claimstream.agent.proc",
                        proc.toString(),
                        "claimstream.agent.heartbeat-every",
                        "200ms",
                        "claimstream.agent.scan-every",
                        "200ms",
                        "claimstream.agent.exporters",
                        "http://localhost:%d/metrics"
                                .formatted(exporter.getAddress().getPort())))
                .singletons(kafka.connection(), kafka.registry())
                .start();
    }

    private static void awaitCondition(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        var never = new CountDownLatch(1);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time is up").isLessThan(end);
            assertThat(never.await(100, TimeUnit.MILLISECONDS)).isFalse();
        }
    }

    private List<ResourceSliceRecord> slices(String driver) {
        return kafka.inventory().stream()
                .flatMap(record -> record.getSlice().stream())
                .filter(slice -> slice.getDriver().equals(driver))
                .toList();
    }

    @Test
    void publishesDevicesOfNodeAndTheirChanges() throws InterruptedException {
        var sys = Machines.dgx(folder);
        try (var context = startAgent(sys.sys(), sys.proc())) {
            assertThat(context.isRunning()).isTrue();
            awaitCondition(() -> kafka.telemetry().size() > 2);
            List<InventoryRecord> first = kafka.inventory();
            assertThat(first)
                    .hasSize(4)
                    .allSatisfy(each -> assertThat(each.getSource()).isEqualTo("agent:dgx-1"));
            assertThat(first.getLast().getSynced())
                    .hasValueSatisfying(listed -> assertThat(listed.getCount()).isEqualTo(3));
            ResourceSliceRecord gpus = slices(GPUS).getFirst();
            assertThat(gpus.getDevices()).hasSize(8);
            assertThat(gpus.getDevices().get(2).getTaints())
                    .singleElement()
                    .satisfies(taint -> assertThat(taint.getValue()).isEqualTo("xid-79"));
            sys.remove("0000:1b:00.0");
            awaitCondition(() -> slices(GPUS).size() == 2);
            ResourceSliceRecord now = slices(GPUS).getLast();
            assertThat(now.getDevices()).hasSize(7);
            assertThat(now.getGeneration()).isEqualTo(gpus.getGeneration() + 1);
        }
        assertThat(kafka.telemetry()).allSatisfy(each -> assertThat(each.node()).isEqualTo("dgx-1"));
        assertThat(kafka.telemetry().getFirst().samples()).hasSize(8);
        assertThat(kafka.telemetry().getFirst().samples().getFirst().pciBusId()).contains("0000:1b:00.0");
    }

    @Test
    void relistsWithHigherEpochAfterRestart() throws InterruptedException {
        var sys = Machines.gaudi(folder);
        try (var context = startAgent(sys.sys(), sys.proc())) {
            assertThat(context.isRunning()).isTrue();
            awaitCondition(() -> !kafka.inventory().isEmpty());
        }
        List<InventoryRecord> before = kafka.inventory();
        try (var context = startAgent(sys.sys(), sys.proc())) {
            assertThat(context.isRunning()).isTrue();
            awaitCondition(() -> kafka.inventory().size() == 2 * before.size());
        }
        List<InventoryRecord> after = kafka.inventory().subList(before.size(), 2 * before.size());
        assertThat(after.getFirst().getEpoch()).isGreaterThan(before.getFirst().getEpoch());
        assertThat(after.getFirst().getVersion()).isGreaterThan(before.getLast().getVersion());
    }
}
