package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.wire.PublicRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node moves from one of two cells to the other.
 *
 * <p>The two nodes have different sizes, so that the size of a claim determines the node that can serve it.
 */
final class NodeMoveIT {
    private static final String BIG = "big";
    private static final String SMALL = "small";
    private static final int BIG_DEVICES = 3;
    private static final int SMALL_DEVICES = 2;

    @TempDir
    private Path folder;

    private long version;

    @Test
    void movesNodeAfterDeallocationAndDecidesDuringMove() {
        try (var harness = startHarness();
                var only = harness.start("state").awaitRunning()) {
            harness.publish(cluster());
            harness.publish(List.of(claim("holds", BIG_DEVICES)));
            harness.awaitAllocated(1);
            harness.publish(List.of(claim("meanwhile", 1)));
            harness.awaitAllocated(2);
            assertThat(cellOf(harness, "meanwhile")).isEqualTo(1);

            harness.publish(List.of(node(BIG, 1)));
            harness.publish(List.of(claim("too-big", BIG_DEVICES), upsert(podOf("spans", "holds", "meanwhile"))));
            awaitPending(harness, "too-big");
            AllocatorHarness.await(
                    () -> "SpansCells".equals(pendingReasons(harness).get("spans")));
            harness.publish(List.of(claim("last", 1)));
            harness.awaitAllocated(3);
            assertThat(placements(harness)).as("it holds something").containsEntry(BIG, 0);

            harness.publish(
                    List.of(deletion(podOf("spans")), deletion(claimOf("too-big")), deletion(claimOf("holds"))));
            AllocatorHarness.await(() -> placements(harness).equals(Map.of(BIG, 1, SMALL, 1)));
            harness.publish(List.of(claim("one", 1), claim("two", 2)));
            harness.awaitAllocated(4);
            harness.publish(List.of(claim("too-many", 1)));
            awaitPending(harness, "too-many");
            assertThat(List.of(cellOf(harness, "one"), cellOf(harness, "two"))).containsOnly(1);
            assertNoDuplicateDevices(harness, BIG_DEVICES + SMALL_DEVICES);
            assertThat(only.failure).isNotDone();
        }
    }

    /** Records of the node during its move, and its closing records before, stay in the rows of the router. */
    @Test
    void nextAllocatorFinishesInterruptedMove() {
        try (var harness = startHarness();
                var first = harness.start("state-0").awaitRunning()) {
            harness.publish(cluster());
            harness.publish(List.of(claim("before", BIG_DEVICES)));
            harness.awaitAllocated(1);
            harness.publish(List.of(deletion(claimOf("before"))));
            harness.awaitAllocated(0);

            var oldCell = harness.blockReaders(KafkaAdmin.log(0));
            harness.publish(List.of(node(BIG, 1)));
            harness.awaitConsumed(KafkaAdmin.ROUTER);
            harness.publish(List.of(
                    slice(BIG, 2, BIG_DEVICES + 1),
                    slice(SMALL, 1, SMALL_DEVICES),
                    PublicRecord.syncMarker(stamp(), Kind.RESOURCE_SLICE, 2)));
            harness.publish(List.of(claim("during", BIG_DEVICES + 1)));
            harness.awaitConsumed(KafkaAdmin.ROUTER);
            try (var second = replace(harness, first, "state-1")) {
                var router = harness.blockReaders(KafkaAdmin.ROUTER);
                oldCell.close();
                harness.awaitConsumed(KafkaAdmin.log(0));
                assertThat(placements(harness)).as("given up, and not taken").containsEntry(BIG, 0);
                harness.publish(List.of(claim("behind", SMALL_DEVICES)));
                try (var third = replace(harness, second, "state-2")) {
                    router.close();
                    harness.awaitAllocated(2);
                    harness.publish(List.of(claim("too-many", 1)));
                    awaitPending(harness, "too-many");
                    assertThat(placements(harness)).isEqualTo(Map.of(BIG, 1, SMALL, 1));
                    assertThat(List.of(cellOf(harness, "during"), cellOf(harness, "behind")))
                            .containsOnly(1);
                    assertNoDuplicateDevices(harness, BIG_DEVICES + 1 + SMALL_DEVICES);
                    assertThat(allocatedClaims(harness)).containsExactlyInAnyOrder("before", "during", "behind");
                    harness.ledger().stream()
                            .collect(Collectors.groupingBy(LedgerEvent::getCell))
                            .values()
                            .forEach(LedgerVerifier::verifyLinks);
                    assertThat(third.failure).isNotDone();
                }
            }
        }
    }

    /** Starts another instance under the same name. The former instance is fenced, which has the effect of a kill. */
    private static AllocatorHarness.AllocatorInstance replace(
            AllocatorHarness harness, AllocatorHarness.AllocatorInstance before, String state) {
        AllocatorHarness.AllocatorInstance next = harness.start(state).awaitRunning();
        AllocatorHarness.await(before.failure::isDone);
        return next;
    }

    private AllocatorHarness startHarness() {
        var partitions = new TreeMap<String, Integer>();
        Topics.shipped().forCells(2).all().forEach(topic -> partitions.put(topic.name(), topic.partitions()));
        return AllocatorHarness.create(folder, partitions, AllocatorHarness.settingsWithSliceSource());
    }

    // ---- outputs

    private static Map<String, Integer> placements(AllocatorHarness harness) {
        var places = new TreeMap<String, Integer>();
        harness.read(Topics.PLACEMENT, PlacementRecord.class)
                .forEach(each -> places.put(each.getNode(), each.getCell()));
        return places;
    }

    private static int cellOf(AllocatorHarness harness, String claim) {
        return harness.decision(claim).getCell();
    }

    private static void awaitPending(AllocatorHarness harness, String claim) {
        AllocatorHarness.await(() -> Optional.ofNullable(harness.decisions().get(claim))
                .flatMap(DecisionRecord::getPending)
                .isPresent());
    }

    /** Reasons of pending items, by name. */
    private static Map<String, String> pendingReasons(AllocatorHarness harness) {
        var reasons = new TreeMap<String, String>();
        harness.read(Topics.EXPLANATIONS, ExplanationRecord.class)
                .forEach(each -> each.getReason()
                        .ifPresent(reason -> reasons.put(each.getItem().getName(), reason)));
        return reasons;
    }

    /** Names of all claims that were ever allocated, one for each decision. */
    private static List<String> allocatedClaims(AllocatorHarness harness) {
        return harness.allDecisions().stream()
                .filter(each -> each.getAllocated().isPresent())
                .map(DecisionRecord::getName)
                .toList();
    }

    /** Asserts that this number of devices is allocated, each to one claim. */
    private static void assertNoDuplicateDevices(AllocatorHarness harness, int devices) {
        assertThat(harness.decisions().values().stream()
                        .flatMap(each -> each.getAllocated().stream())
                        .flatMap(allocation -> allocation.getAllocation().getResults().stream())
                        .map(each -> each.getDevice().getPool() + "/"
                                + each.getDevice().getDevice()))
                .doesNotHaveDuplicates()
                .hasSize(devices);
    }

    // ---- inputs

    private Stamp stamp() {
        return new Stamp(ClusterInputs.SOURCE, 1, ++version);
    }

    private PublicRecord upsert(ClusterObject object) {
        return PublicRecord.upsert(stamp(), object);
    }

    private PublicRecord deletion(ClusterObject object) {
        return PublicRecord.deletion(stamp(), object);
    }

    private List<PublicRecord> cluster() {
        List<PublicRecord> all = new ArrayList<>();
        all.add(upsert(ClusterInputs.classOf("gpu", ClusterInputs.DRIVER)));
        all.add(node(BIG, 0));
        all.add(node(SMALL, 1));
        all.add(slice(BIG, 1, BIG_DEVICES));
        all.add(slice(SMALL, 1, SMALL_DEVICES));
        all.add(PublicRecord.syncMarker(stamp(), Kind.RESOURCE_SLICE, 2));
        return all;
    }

    private PublicRecord node(String name, int cell) {
        Node node = ClusterInputs.nodeOf(name);
        var labels = new TreeMap<>(Map.of("claimstream.dev/cell", Integer.toString(cell)));
        return upsert(new Node(node.meta().withLabels(labels), List.of(), false, true));
    }

    private PublicRecord slice(String node, long generation, int devices) {
        return upsert(ResourceSlice.builder(
                        ObjectMeta.of("", node + "-slice", "uid-slice-" + node), ClusterInputs.DRIVER, node)
                .generation(generation)
                .scope(new NodeScope.SingleNode(node))
                .devices(IntStream.range(0, devices)
                        .mapToObj(i -> Device.of("gpu-" + i, new TreeMap<>(), new TreeMap<>()))
                        .toList())
                .build());
    }

    private PublicRecord claim(String name, int devices) {
        return upsert(ClusterInputs.claimOf(name, "gpu", devices));
    }

    private static ClusterObject claimOf(String name) {
        return ClusterInputs.claimOf(name, "gpu", 1);
    }

    private static Pod podOf(String name, String... claims) {
        return Pod.builder(ObjectMeta.of("team", name, "uid-" + name))
                .resourceClaims(Stream.of(claims)
                        .map(each -> new PodClaim(each, new PodClaim.ClaimSource.ClaimReference(each)))
                        .toList())
                .build();
    }
}
