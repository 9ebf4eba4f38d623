package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import dev.claimstream.observability.Meter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metrics of an allocator while it decides, and after it restores elsewhere. */
class MetricsIT {
    private static final Pattern COMMENT = Pattern.compile("# (HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]* .+");
    private static final String LABEL = "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\\"n])*\"";
    private static final Pattern SAMPLE = Pattern.compile(
            "([a-zA-Z_:][a-zA-Z0-9_:]*(?:\\{(?:%1$s(?:,%1$s)*)?,?})?) (-?[0-9.]+(?:[eE][-+]?[0-9]+)?|NaN|[-+]Inf)"
                    .formatted(LABEL));

    private final ClusterFixture fixture = new ClusterFixture("metered");
    private final ClusterFixture.WatchSource watch = fixture.watch(1);

    @TempDir
    private Path folder = Path.of("");

    private AllocatorHarness harness;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    MetricsIT() {}

    @BeforeEach
    void start() {
        harness = AllocatorHarness.create(folder, Map.of(), CellSettings.defaults());
    }

    @AfterEach
    void stop() {
        harness.close();
    }

    @Test
    void countsEveryDeviceOnceByDriverClassAndState() {
        ResourceClaim claim = fixture.claim("a", 1);
        try (var running = harness.start("state").awaitRunning()) {
            harness.publish(List.of(
                    watch.upsert(fixture.deviceClass()),
                    watch.upsert(ClusterInputs.classOf("of-others", "others.example.com")),
                    watch.upsert(fixture.node()),
                    watch.upsert(tainted(fixture.slice(1, "gpu-0", "gpu-1", "gpu-2"), "gpu-2")),
                    watch.upsert(claim)));
            awaitDevices(running, Map.of("metered allocated", 1, "metered free", 1, "metered tainted", 1));

            harness.publish(List.of(
                    watch.upsert(fixture.allocated(claim, "gpu-0")), watch.upsert(fixture.slice(2, "gpu-1", "gpu-2"))));
            awaitDevices(running, Map.of("(none) lost", 1, "metered free", 2));

            Node node = fixture.node();
            harness.publish(List.of(
                    watch.upsert(ClusterInputs.classOf("wider", fixture.driver())),
                    watch.upsert(new Node(node.meta(), node.taints(), false, false))));
            awaitDevices(running, Map.of("(none) lost", 1, "(several) unusable", 2));
        }
    }

    private static ResourceSlice tainted(ResourceSlice slice, String device) {
        var taint = new Taint("example.com/hot", "", "NoSchedule", Optional.empty());
        return slice.toBuilder()
                .devices(slice.devices().stream()
                        .map(each -> each.name().equals(device) ? each.withTaints(List.of(taint)) : each)
                        .toList())
                .sharedCounters(List.of())
                .skipNodeOperations(List.of())
                .build();
    }

    /** Waits until exactly these devices are counted, by class and state. */
    private void awaitDevices(AllocatorHarness.AllocatorInstance running, Map<String, Integer> expected) {
        var wanted = new TreeMap<String, Double>();
        expected.forEach((what, count) -> {
            String[] parts = what.split(" ", -1);
            wanted.put(
                    "claimstream_devices{class=\"%s\",driver=\"%s\",state=\"%s\"}"
                            .formatted(parts[0], fixture.driver(), parts[1]),
                    count.doubleValue());
        });
        AllocatorHarness.await(() -> samples(running)
                .subMap("claimstream_devices", "claimstream_devicet")
                .equals(wanted));
    }

    @Test
    void exposesPrometheusTextWithCountsOfWork() {
        try (var running = harness.start("state").awaitRunning()) {
            harness.publish(List.of(
                    watch.upsert(fixture.deviceClass()),
                    watch.upsert(fixture.node()),
                    watch.upsert(fixture.slice(1, "gpu-0", "gpu-1")),
                    watch.upsert(fixture.claim("fits", 1)),
                    watch.syncMarker(Kind.RESOURCE_SLICE)));
            harness.awaitConsumed();
            harness.publish(List.of(
                    watch.upsert(fixture.claim("does-not-fit", 2)),
                    watch.upsert(fixture.pod("first", "does-not-fit")),
                    watch.upsert(fixture.pod("second", "does-not-fit")),
                    watch.upsert(fixture.pod("third", "fits", "does-not-fit"))));
            harness.awaitConsumed();
            AllocatorHarness.await(() -> samples(running).getOrDefault("claimstream_queue_items", 0.0) == 3);
            SortedMap<String, Double> shown = samples(running);
            assertThat(shown)
                    .containsEntry("claimstream_claims{reason=\"\",state=\"allocated\"}", 1.0)
                    .containsEntry("claimstream_claims{reason=\"DevicesInUse\",state=\"pending\"}", 1.0)
                    .containsEntry("claimstream_decision_seconds_count{result=\"allocated\"}", 1.0)
                    .containsEntry("claimstream_decision_seconds_bucket{result=\"allocated\",le=\"+Inf\"}", 1.0)
                    .containsEntry("claimstream_cell_tasks", 1.0)
                    .containsEntry("claimstream_cell_restore_records", 0.0)
                    .containsEntry("claimstream_intake_records_total{topic=\"claims.v1\"}", 5.0)
                    .containsKey("claimstream_cell_commits_total")
                    .containsEntry(
                            "claimstream_cell_snapshot_hash_seconds_count{cell=\"0\"}",
                            shown.get("claimstream_cell_snapshots_total"));
            AllocatorHarness.await(
                    () -> samples(running).getOrDefault("claimstream_cell_lag_records{topic=\"cells.in\"}", -1.0) == 0);
            AllocatorHarness.await(() ->
                    samples(running).getOrDefault("claimstream_intake_lag_records{topic=\"claims.v1\"}", -1.0) == 0);
            assertBucketsAscend(shown);
        }
        harness.removeMembers();
        try (var elsewhere = harness.start("another-state").awaitRunning()) {
            assertThat(samples(elsewhere)).containsEntry("claimstream_cell_restore_records", 0.0);
            AllocatorHarness.await(() -> samples(elsewhere).getOrDefault("claimstream_queue_items", 0.0) == 3);
        }
    }

    /**
     * Reads the metrics as a scraper does: each line is a comment or a sample, no sample repeats, and each Claimstream
     * meter has its type.
     */
    private static SortedMap<String, Double> samples(AllocatorHarness.AllocatorInstance running) {
        var samples = new TreeMap<String, Double>();
        String text = running.meters.text();
        for (String line : text.split("\n", -1)) {
            if (line.isEmpty() || COMMENT.matcher(line).matches()) {
                continue;
            }
            Matcher sample = SAMPLE.matcher(line);
            assertThat(sample.matches()).as(line).isTrue();
            String value = sample.group(2).replace("+Inf", "Infinity").replace("-Inf", "-Infinity");
            assertThat(samples.put(sample.group(1), Double.valueOf(value)))
                    .as(line)
                    .isNull();
        }
        Meter.all().stream()
                .filter(meter ->
                        samples.keySet().stream().anyMatch(name -> name.matches(meter.prometheusName() + "(\\{.*)?")))
                .forEach(meter -> assertThat(text)
                        .contains("# TYPE %s %s\n"
                                .formatted(meter.prometheusName(), meter.type().text())));
        return samples;
    }

    private static void assertBucketsAscend(SortedMap<String, Double> shown) {
        Pattern bucket = Pattern.compile("claimstream_decision_seconds_bucket\\{result=\"allocated\",le=\"(.*)\"}");
        var counts = new TreeMap<Double, Double>();
        shown.forEach((name, count) -> {
            Matcher matcher = bucket.matcher(name);
            if (matcher.matches()) {
                counts.put(Double.valueOf(matcher.group(1).replace("+Inf", "Infinity")), count);
            }
        });
        assertThat(counts).hasSizeGreaterThan(5);
        assertThat(List.copyOf(counts.values())).isSorted();
    }
}
