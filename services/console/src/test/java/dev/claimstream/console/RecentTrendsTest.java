package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.DeviceId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RecentTrendsTest {
    private static final DeviceId GPU = new DeviceId("gpu.example.com", "node-1", "gpu-0");
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    private static TelemetrySample sample(int minute, double percent) {
        return new TelemetrySample(
                START.plusSeconds(60L * minute),
                OptionalDouble.of(percent),
                OptionalLong.of(20),
                OptionalLong.of(80),
                OptionalDouble.empty(),
                OptionalDouble.empty());
    }

    private static void add(DeviceTrends trends, int minute, TelemetrySample sample) {
        trends.add(START.plusSeconds(60L * minute), Map.of(GPU, sample));
    }

    @Test
    void keepsLastSamplesInOrder() {
        var trends = new DeviceTrends(3);
        for (int minute = 0; minute < 5; minute++) {
            add(trends, minute, sample(minute, 10.04 * minute));
        }
        assertThat(trends.of(GPU))
                .extracting(each -> "%s %s %s %s"
                        .formatted(
                                each.at(),
                                each.utilizationPercent().orElseThrow(),
                                each.memoryPercent().orElseThrow(),
                                each.watts()))
                .containsExactly(
                        "2026-03-01T12:02:00Z 20.1 25.0 OptionalLong.empty",
                        "2026-03-01T12:03:00Z 30.1 25.0 OptionalLong.empty",
                        "2026-03-01T12:04:00Z 40.2 25.0 OptionalLong.empty");
    }

    @Test
    void leavesGapWhileNodeSendsNothing() {
        var trends = new DeviceTrends(4);
        add(trends, 0, sample(0, 50));
        add(trends, 1, sample(0, 50));
        add(trends, 3, sample(3, 70));
        assertThat(trends.of(GPU))
                .extracting(DeviceTrends.TrendPoint::at)
                .containsExactly(START, START.plusSeconds(180));
    }

    @Test
    void meanCountsDevicesWithValueAtThatTime() {
        var other = new DeviceId("gpu.example.com", "node-1", "gpu-1");
        var trends = new DeviceTrends(4);
        trends.add(START, Map.of(GPU, sample(0, 50), other, sample(0, 25.5)));
        trends.add(START.plusSeconds(60), Map.of(GPU, sample(1, 70), other, sample(0, 25.5)));
        assertThat(trends.meanOf(List.of(GPU, other, new DeviceId("d", "p", "unknown"))))
                .extracting(each -> each.utilizationPercent().orElseThrow())
                .containsExactly(37.8, 70.0);
        assertThat(trends.meanOf(List.of())).isEmpty();
    }

    @Test
    void servesMeanOfDevicesOfNode() throws Exception {
        SmallCluster cluster = SmallCluster.ofOneNode();
        cluster.view.applySample(GPU, sample(0, 40));
        cluster.view.applySample(new DeviceId("gpu.example.com", "node-1", "gpu-1"), sample(0, 60));
        try (RunningConsole console = RunningConsole.start(cluster.view)) {
            console.trends().sample(START);
            assertThat(console.get("/api/v1/trends/nodes?node=node-1").body())
                    .isEqualTo("{\"items\":[{\"at\":\"2026-03-01T12:00:00Z\",\"memoryPercent\":25.0,"
                            + "\"utilizationPercent\":50.0}]}\n");
            assertThat(console.get("/api/v1/trends/nodes?node=node-2").body()).isEqualTo("{\"items\":[]}\n");
        }
    }

    @Test
    void countsPendingClaimsByReasonAndNamespace() throws Exception {
        SmallCluster cluster = SmallCluster.ofOneNode();
        cluster.upsert(SmallCluster.claim("a"));
        cluster.upsert(SmallCluster.claim("b"));
        cluster.allocate("a", "gpu-0");
        cluster.setPending("b");
        try (RunningConsole console = RunningConsole.start(cluster.view)) {
            console.trends().sample(START);
            assertThat(console.get("/api/v1/trends/reasons").body())
                    .isEqualTo("{\"items\":[{\"at\":\"2026-03-01T12:00:00Z\",\"counts\":{\"DevicesInUse\":1}}]}\n");
            assertThat(console.get("/api/v1/trends/reasons?namespace=other").body())
                    .contains("\"counts\":{}");
            assertThat(console.get("/api/v1/trends/telemetry?driver=d&pool=p&device=x")
                            .body())
                    .isEqualTo("{\"items\":[]}\n");
        }
    }
}
