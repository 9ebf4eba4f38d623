package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.observability.Meters;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the metrics about devices and claims of the cluster. */
final class UsageMetersTest {
    private static final List<String> POOL_LABELS = List.of("example.com/pool", "example.com/kind");

    private static final int LARGE_NODES = 1250;

    private final SmallCluster cluster = SmallCluster.ofOneNode();

    /** A reader whose state is complete or not. */
    private record FixedStatus(boolean isCaughtUp) implements ConsumerStatus {
        @Override
        public boolean isAlive() {
            return true;
        }

        @Override
        public Optional<String> problem() {
            return Optional.empty();
        }
    }

    /** Returns the series about the cluster, sorted. */
    private static List<String> series(ClusterView view, boolean isCaughtUp, boolean withDevices) {
        var meters = new Meters();
        var unused = new UsageMeters(view, new FixedStatus(isCaughtUp), meters, 5, POOL_LABELS, withDevices);
        return meters.text()
                .lines()
                .filter(line -> line.matches("claimstream_(node_pool|namespace|device)_.*"))
                .sorted()
                .toList();
    }

    private List<String> series(boolean withDevices) {
        return series(cluster.view, true, withDevices);
    }

    private void sample(String device, Duration age, OptionalDouble utilization) {
        cluster.view.applySample(
                new DeviceId("gpu.example.com", "node-1", device),
                new TelemetrySample(
                        Instant.now().minus(age),
                        utilization,
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalDouble.empty(),
                        OptionalDouble.empty()));
    }

    @Test
    void countsDevicesByPoolProductAndState() {
        cluster.upsert("""
                apiVersion: v1
                kind: Node
                metadata: {name: node-1, uid: node-1, labels: {example.com/kind: b, example.com/pool: a}}
                status: {conditions: [{type: Ready, status: "True"}]}
                """);
        cluster.upsert(SmallCluster.claim("a"));
        cluster.allocate("a", "gpu-0");
        assertThat(series(false))
                .contains(
                        "claimstream_node_pool_devices{driver=\"gpu.example.com\",node_pool=\"a\",product=\"A\",state=\"allocated\"} 1.0",
                        "claimstream_node_pool_devices{driver=\"gpu.example.com\",node_pool=\"a\",product=\"\",state=\"free\"} 1.0");
    }

    @Test
    void countsUseOfAllocatedDevices() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.allocate("a", "gpu-0");
        assertThat(series(false)).contains(devices("unmeasured"));
        sample("gpu-0", Duration.ofMinutes(1), OptionalDouble.of(4.9));
        assertThat(series(false)).contains(devices("idle"));
        sample("gpu-0", Duration.ofMinutes(1), OptionalDouble.of(5));
        assertThat(series(false)).contains(devices("used"));
        sample("gpu-0", Duration.ofMinutes(6), OptionalDouble.of(5));
        assertThat(series(false)).contains(devices("unmeasured"));
        sample("gpu-0", Duration.ofMinutes(1), OptionalDouble.empty());
        assertThat(series(false)).contains(devices("unmeasured"));
    }

    private static String devices(String use) {
        return "claimstream_namespace_devices{claim_namespace=\"default\",class=\"gpu.example.com\",driver=\"gpu.example.com\",product=\"A\",use=\"%s\"} 1.0"
                .formatted(use);
    }

    @Test
    void countsClaimsAndTheirWait() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.upsert(SmallCluster.claim("b"));
        cluster.upsert(SmallCluster.claim("c"));
        cluster.allocate("a", "gpu-0");
        cluster.setPending("b");
        List<String> series = series(false);
        assertThat(series)
                .contains(
                        "claimstream_namespace_claims{claim_namespace=\"default\",state=\"allocated\"} 1.0",
                        "claimstream_namespace_claims{claim_namespace=\"default\",state=\"pending\"} 2.0");
        double expected = 2.0
                * Duration.between(Instant.parse("2025-12-31T23:55:00Z"), Instant.now())
                        .toSeconds();
        assertThat(series)
                .filteredOn(line -> line.startsWith("claimstream_namespace_pending_seconds"))
                .singleElement()
                .satisfies(line -> assertThat(Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                        .isBetween(expected - 60, expected + 60));
    }

    @Test
    void joinsDevicesToClaimsOnlyIfEnabled() {
        cluster.upsert("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: slice-2, uid: slice-2}
                spec:
                  driver: gpu.nvidia.com
                  nodeName: node-1
                  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
                  devices:
                  - name: gpu-7
                    attributes:
                      uuid: {string: GPU-b}
                      parentUUID: {string: GPU-a}
                      profile: {string: 1g.10gb}
                      resource.kubernetes.io/pciBusID: {string: "0000:1b:00.0"}
                  - name: gpu-9
                    attributes:
                      serial: {string: S-1}
                      resource.kubernetes.io/pciBusID: {string: "0000:0a:00.0"}
                """);
        cluster.upsert(SmallCluster.claim("a"));
        cluster.allocate("a", "gpu-0");
        assertThat(series(false)).noneMatch(line -> line.startsWith("claimstream_device_info"));
        assertThat(series(true))
                .filteredOn(line -> line.startsWith("claimstream_device_info"))
                .containsExactly(
                        info("", "", "", "gpu-1", "gpu.example.com", "1", "", "", ""),
                        info("", "", "", "gpu-7", "gpu.nvidia.com", "1", "1g.10gb", "", "GPU-b")
                                .replace("parent_uuid=\"\"", "parent_uuid=\"GPU-a\"")
                                .replace(",profile=\"\"", ",profile=\"1g.10gb\""),
                        info("", "", "", "gpu-9", "gpu.nvidia.com", "0", "", "S-1", ""),
                        info("a", "default", "gpu.example.com", "gpu-0", "gpu.example.com", "0", "A", "", ""));
    }

    private static String info(
            String claim,
            String namespace,
            String deviceClass,
            String device,
            String driver,
            String index,
            String product,
            String serial,
            String uuid) {
        return ("claimstream_device_info{claim=\"%s\",claim_namespace=\"%s\",class=\"%s\",device=\"%s\",driver=\"%s\",index=\"%s\","
                        + "node=\"node-1\",node_pool=\"(none)\",parent_uuid=\"\",pool=\"node-1\",product=\"%s\",profile=\"\",serial=\"%s\",uuid=\"%s\"} 1")
                .formatted(claim, namespace, deviceClass, device, driver, index, product, serial, uuid);
    }

    @Test
    void hasNoSeriesBeforeTheStateIsComplete() {
        cluster.upsert(SmallCluster.claim("a"));
        assertThat(series(cluster.view, false, true)).isEmpty();
        assertThat(series(cluster.view, true, true)).isNotEmpty();
    }

    /** METRICS.md has these numbers. */
    @Test
    void numberOfSeriesIsThatOfThePageAt40000Devices() {
        ClusterView view = largeCluster();
        List<String> series = series(view, true, true);
        long devices = series.stream()
                .filter(line -> line.startsWith("claimstream_device_info"))
                .count();
        assertThat(devices).isEqualTo(40_000);
        assertThat(series.size() - devices).isEqualTo(490);
    }

    /** Returns 1,250 nodes of 32 devices, 1,250 claims with 16 devices each, and 1,250 pending claims. */
    private static ClusterView largeCluster() {
        var view = new ClusterView();
        var text = new StringBuilder();
        for (int i = 0; i < LARGE_NODES; i++) {
            text.append(nodeWithClaims(i));
        }
        var version = new AtomicLong();
        Manifests.read("test", text.toString())
                .objects()
                .forEach(object -> view.observe(
                        new Observation.ObjectUpserted(new Stamp("watcher", 1, version.incrementAndGet()), object)));
        for (int i = 0; i < LARGE_NODES; i++) {
            var sample = new TelemetrySample(
                    Instant.now(),
                    OptionalDouble.of(i % 3 == 0 ? 0 : 50),
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalDouble.empty(),
                    OptionalDouble.empty());
            view.applySample(new DeviceId("gpu.example.com", "node-" + i, "gpu-" + i % 2), sample);
        }
        return view;
    }

    private static String nodeWithClaims(int i) {
        String devices = IntStream.range(0, 32)
                .mapToObj(j -> "{name: gpu-%d, attributes: {model: {string: model-%d}}}".formatted(j, i % 4))
                .collect(Collectors.joining(", "));
        String results = IntStream.range(0, 16)
                .mapToObj(j -> "{request: gpu, driver: gpu.example.com, pool: node-%d, device: gpu-%d}".formatted(i, j))
                .collect(Collectors.joining(", "));
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: node-%1$d, uid: node-%1$d, labels: {example.com/pool: pool-%2$d}}
                status: {conditions: [{type: Ready, status: "True"}]}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: slice-%1$d, uid: slice-%1$d}
                spec:
                  driver: gpu.example.com
                  nodeName: node-%1$d
                  pool: {name: node-%1$d, generation: 1, resourceSliceCount: 1}
                  devices: [%3$s]
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: claim-%1$d, namespace: team-%4$d, uid: claim-%1$d}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 16}}]}}
                status: {allocation: {devices: {results: [%5$s]}}}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: pending-%1$d, namespace: team-%4$d, uid: pending-%1$d}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 16}}]}}
                """.formatted(i, i % 10, devices, i % 50, results);
    }
}
