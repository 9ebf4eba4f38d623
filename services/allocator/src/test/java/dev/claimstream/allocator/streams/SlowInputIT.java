package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.observability.Health;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Health, metrics and attempts of a cell whose thread does not return from an input. */
@Tag("part-3")
class SlowInputIT {
    private final ClusterFixture fixture = new ClusterFixture("slow");
    private final ClusterFixture.WatchSource watch = fixture.watch(1);
    private final HangingSelectors selectors = new HangingSelectors();

    @TempDir
    private Path folder = Path.of("");

    private AllocatorHarness harness;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    SlowInputIT() {}

    @BeforeEach
    void start() {
        harness = AllocatorHarness.create(folder, Map.of(), CellSettings.defaults())
                .withSelectors(selectors);
    }

    @AfterEach
    void stop() {
        selectors.release();
        harness.close();
    }

    @Test
    void showsInputAndLagWhileCellHangs() {
        try (var running = harness.start("state").awaitRunning()) {
            publishHangingClaim();
            AllocatorHarness.await(() -> running.cells.inputCondition().status() == Health.HealthStatus.DEGRADED);
            assertThat(running.cells.inputCondition().sentence())
                    .containsPattern("^cell 0 has worked for [0-9]+ s on offset [0-9]+ of cells.in \\(ResourceClaim"
                            + " team/slow-hangs; evaluates claim team/slow-hangs\\), attempt 1, since 20[^;]*$");
            assertThat(running.cells.condition().status()).isEqualTo(Health.HealthStatus.UP);
            assertThat(seconds(running)).isGreaterThan(4);
            harness.publish(List.of(watch.upsert(fixture.claim("a", 1)), watch.upsert(fixture.claim("b", 1))));
            AllocatorHarness.await(() -> running.cells.lag().orElse(0) == 3);
            assertThat(running.meters.text()).contains("claimstream_cell_lag_records{topic=\"cells.in\"} 3.0");

            selectors.release();
            harness.awaitAllocated(3);
            AllocatorHarness.await(() -> running.cells.lag().orElse(-1) == 0);
            AllocatorHarness.await(() -> running.cells.inputCondition().status() == Health.HealthStatus.UP);
            assertThat(seconds(running)).isZero();
        }
    }

    @Test
    void countsAttemptsOverKillsAndRaisesAlarm() throws IOException, InterruptedException {
        String[] place = {
            harness.kafka().bootstrap(),
            harness.serveRegistry().toString(),
            folder.resolve("state").toString()
        };
        try (var offsets = new GroupOffsets(harness.kafka(), "test-attempts", Duration.ofSeconds(10))) {
            var attempts = new GroupAttemptLog(offsets);
            for (int attempt = 1; attempt <= 2; attempt++) {
                Process process = HangingAllocator.start(place);
                try {
                    if (attempt == 1) {
                        publishHangingClaim();
                    }
                    awaitAttempt(attempts, attempt);
                } finally {
                    HangingAllocator.kill(process);
                }
            }
            try (var third = harness.start("state")) {
                awaitAttempt(attempts, 3);
                AllocatorHarness.await(
                        () -> third.meters.text().contains("claimstream_alarms_total{kind=\"input-failing\"} 1.0"));
                assertThat(third.cells.inputCondition().sentence())
                        .containsPattern("cell 0 fails repeatedly at offset [0-9]+ of cells.in"
                                + " \\(ResourceClaim team/slow-hangs\\), attempt 3, since 20");
                selectors.release();
                harness.awaitAllocated(1);
                AllocatorHarness.await(() -> third.cells.inputCondition().status() == Health.HealthStatus.UP);
            }
        }
    }

    /** The remedy of the documentation: delete the claim, then rebuild. */
    @Test
    void rebuildLeavesOutInputOfDeletedClaim() throws IOException, InterruptedException {
        String[] place = {
            harness.kafka().bootstrap(),
            harness.serveRegistry().toString(),
            folder.resolve("state").toString()
        };
        Process process = HangingAllocator.start(place);
        try {
            publishHangingClaim();
            try (var offsets = new GroupOffsets(harness.kafka(), "test-attempts", Duration.ofSeconds(10))) {
                awaitAttempt(new GroupAttemptLog(offsets), 1);
            }
        } finally {
            HangingAllocator.kill(process);
        }
        harness.publish(List.of(watch.deletion(hangingClaim()), watch.upsert(fixture.claim("plain", 1))));
        harness.removeMembers();
        try (var rebuilt = harness.rebuild("state").awaitRunning()) {
            harness.awaitAllocated(1);
            assertThat(harness.allocatedDevices()).containsKey("slow-plain");
            assertThat(rebuilt.cells.inputCondition().status()).isEqualTo(Health.HealthStatus.UP);
        }
    }

    private static void awaitAttempt(AttemptLog attempts, int count) {
        AllocatorHarness.await(() -> attempts.last(KafkaAdmin.log(0))
                .attempt()
                .filter(each -> each.count() == count && each.subject().equals("ResourceClaim team/slow-hangs"))
                .isPresent());
    }

    private void publishHangingClaim() {
        harness.publish(List.of(
                watch.upsert(fixture.deviceClass()),
                watch.upsert(fixture.node()),
                watch.upsert(fixture.slice(1, "gpu-0", "gpu-1", "gpu-2"))));
        harness.awaitConsumed();
        harness.publish(List.of(watch.upsert(hangingClaim())));
    }

    private ResourceClaim hangingClaim() {
        var request = new RequestSpec(
                "slow",
                List.of(HangingSelectors.EXPRESSION),
                AllocationMode.EXACT_COUNT,
                1,
                List.of(),
                new TreeMap<>());
        return new ResourceClaim(
                fixture.claim("hangs", 1).meta(),
                new ClaimSpec(
                        List.of(new DeviceRequest.Exactly("gpus", request, Optional.empty())), List.of(), List.of()),
                Optional.empty(),
                List.of());
    }

    private static double seconds(AllocatorHarness.AllocatorInstance running) {
        return running.meters
                .text()
                .lines()
                .filter(line -> line.startsWith("claimstream_cell_input_seconds{cell=\"0\"} "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElse(-1);
    }
}
