package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.Health;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.wire.PublicRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same claims on one, two, four and eight cells while allocators restart. */
final class MultiCellIT {
    private static final int NODES = 8;
    private static final int DEVICES = 2;

    /** Devices of a node where claims request one, two or four of them. */
    private static final int DEVICES_MIXED = 4;

    @TempDir
    private Path folder;

    private long version;

    @ParameterizedTest(name = "1 cell, {0} allocators of {1} threads")
    @CsvSource({"1, 1", "2, 1", "3, 2"})
    @Tag("part-1")
    void allocatesSameClaimsOnOneCell(int allocators, int threads) {
        assertAllocatesSameClaimsWhileAllocatorsRestart(1, allocators, threads);
    }

    @ParameterizedTest(name = "2 cells, {0} allocators of {1} threads")
    @CsvSource({"1, 1", "2, 2", "3, 1"})
    @Tag("part-2")
    void allocatesSameClaimsOnTwoCells(int allocators, int threads) {
        assertAllocatesSameClaimsWhileAllocatorsRestart(2, allocators, threads);
    }

    @ParameterizedTest(name = "{0} cells, {1} allocators of {2} threads")
    @CsvSource({"4, 1, 2", "8, 1, 3", "8, 2, 2", "8, 3, 1"})
    @Tag("part-3")
    void allocatesSameClaimsOnManyCells(int cells, int allocators, int threads) {
        assertAllocatesSameClaimsWhileAllocatorsRestart(cells, allocators, threads);
    }

    /** The expected allocated and pending claims are the same for every number of cells, allocators and threads. */
    private void assertAllocatesSameClaimsWhileAllocatorsRestart(int cells, int allocators, int threads) {
        try (var harness =
                AllocatorHarness.create(folder, partitions(cells), settings()).withThreads(threads)) {
            List<AllocatorHarness.AllocatorInstance> running = new ArrayList<>();
            for (int i = 0; i < allocators; i++) {
                running.add(start(harness, i));
            }
            harness.publish(cluster(DEVICES_MIXED));
            harness.publish(claims("four", 3, 4));
            harness.awaitAllocated(3);
            for (int i = 0; i < 3; i++) {
                harness.publish(claims("turn-" + i, 2, 2));
                if (i < allocators) {
                    restartInstance(harness, running, i, 5 + 2 * i);
                }
            }
            harness.publish(claims("one", 8, 1));
            harness.awaitAllocated(17);
            assertEveryDeviceAllocatedOnce(harness, DEVICES_MIXED);

            // the claims have the same age, so that their names determine the order of the scheduling queue
            harness.publish(claims("later-a-four", 1, 4));
            harness.publish(claims("later-b-two", 1, 2));
            harness.publish(claims("later-c-one", 2, 1));
            awaitPending(harness, "later-a-four-0", "later-b-two-0", "later-c-one-0", "later-c-one-1");
            harness.publish(List.of(deletion("four-0")));
            awaitPending(harness, "later-b-two-0", "later-c-one-0", "later-c-one-1");
            harness.publish(List.of(deletion("turn-0-1")));
            awaitPending(harness, "later-c-one-0", "later-c-one-1");
            harness.publish(List.of(deletion("one-0"), deletion("one-7")));
            awaitPending(harness);
            assertEveryDeviceAllocatedOnce(harness, DEVICES_MIXED);
            assertThat(running).allMatch(each -> !each.failure.isDone());
            if (allocators == 1) {
                assertThat(running.getFirst().cells.condition())
                        .isEqualTo(Health.Condition.up(CellStreams.describeActivity(cells, threads)));
            }
            running.forEach(AllocatorHarness.AllocatorInstance::close);
            if (cells > 1) {
                assertThat(placements(harness).values())
                        .contains(IntStream.range(0, cells).boxed().toArray(Integer[]::new));
            }
        }
    }

    /**
     * Restarts an instance while it works. The last instance is replaced and fenced, which has the effect of a kill.
     */
    private static void restartInstance(
            AllocatorHarness harness, List<AllocatorHarness.AllocatorInstance> running, int number, int claims) {
        AllocatorHarness.AllocatorInstance leaving = running.get(number);
        if (number == running.size() - 1) {
            running.set(number, harness.start(instance(number), "another-state").awaitRunning());
            AllocatorHarness.await(leaving.failure::isDone);
            leaving.close();
        } else {
            leaving.close();
            harness.removeMembers(instance(number)); // the other instances take over at once
            harness.awaitAllocated(claims);
            running.set(number, start(harness, number));
        }
        harness.awaitAllocated(claims);
    }

    private static AllocatorHarness.AllocatorInstance start(AllocatorHarness harness, int number) {
        return harness.start(instance(number), "state-" + number).awaitRunning();
    }

    private static String instance(int number) {
        return "allocator-" + number;
    }

    private static void awaitPending(AllocatorHarness harness, String... claims) {
        AllocatorHarness.await(() -> pendingClaims(harness).equals(new TreeSet<>(List.of(claims))));
    }

    @ParameterizedTest(name = "{0} cells without {1}")
    @Tag("part-4")
    @CsvSource({
        "2, claimstream-allocator-router-rows-changelog, 'the router: its state is empty'",
        "8, claimstream-allocator-cell-rows-changelog, 'the changelog is lost'",
        "2, router.in, 'the router: topic router.in was deleted and recreated'",
        "2, decisions.v1, 'is in topic ledger.v1, but not in topic decisions.v1'",
        "2, ledger.v1, 'is empty, and its state has written a later event'"
    })
    void reportsLossAndRebuildsWithoutDuplicates(int cells, String lost, String output) {
        try (var harness = AllocatorHarness.create(folder, partitions(cells), settings())) {
            try (var first = harness.start("state").awaitRunning()) {
                harness.publish(cluster(DEVICES));
                harness.publish(claims("early", 10, 1));
                harness.awaitAllocated(10);
                assertThat(first.failure).isNotDone();
            }
            harness.removeMembers();
            var before = harness.decisions();
            var places = placements(harness);

            harness.deleteTopic(lost);
            harness.createTopics(partitions(cells));
            try (var robbed = harness.start("state")) {
                assertThat(robbed.continuityError()).contains(output, "claimstream.allocator.rebuild=true");
            }
            harness.removeMembers();
            harness.publish(List.of(deletion("early-0")));
            harness.publish(claims("late", 8, 1));

            try (var rebuilt = harness.rebuild("state").awaitRunning()) {
                AllocatorHarness.await(() -> harness.allocatedDevices().size() == NODES * DEVICES
                        && pendingClaims(harness).size() == 1);
                assertThat(rebuilt.failure).isNotDone();
            }
            assertEveryDeviceAllocatedOnce(harness, DEVICES);
            assertThat(harness.decision("early-0").getReleased()).isTrue();
            before.remove("early-0");
            before.forEach((claim, decision) ->
                    assertThat(harness.decision(claim).getAllocated()).as(claim).isEqualTo(decision.getAllocated()));
            assertThat(placements(harness)).isEqualTo(places);
            harness.ledger().stream()
                    .collect(Collectors.groupingBy(LedgerEvent::getCell))
                    .values()
                    .forEach(LedgerVerifier::verifyLinks);

            harness.removeMembers();
            harness.publish(List.of(deletion("early-1")));
            try (var again = harness.start("state").awaitRunning()) {
                AllocatorHarness.await(() -> pendingClaims(harness).isEmpty());
                assertThat(again.failure).isNotDone();
            }
            assertEveryDeviceAllocatedOnce(harness, DEVICES);
        }
    }

    @Test
    void reportsRouterLagSeparatelyFromCells() {
        try (var harness = AllocatorHarness.create(folder, partitions(2), settings());
                var only = harness.start("state").awaitRunning()) {
            harness.publish(cluster(DEVICES));
            harness.publish(claims("early", 4, 1));
            harness.awaitAllocated(4);
            assertThat(only.cells.condition()).isEqualTo(Health.Condition.up("2 cells active"));
            AllocatorHarness.await(() -> only.cells.lag().equals(OptionalLong.of(0)));
            assertThat(only.meters.text())
                    .contains(
                            "claimstream_cell_tasks 2.0",
                            "claimstream_cell_lag_records{topic=\"cells.in\"} 0.0",
                            "claimstream_cell_lag_records{topic=\"router.in\"} 0.0");
        }
    }

    /** The router decides the deallocation that the cell of the pod's node proposes. */
    @Test
    void deallocatesClaimForPodInOtherCell() {
        try (var harness = AllocatorHarness.create(folder, partitions(2), settings());
                var only = harness.start("state").awaitRunning()) {
            harness.publish(cluster(DEVICES));
            ResourceClaim free = ClusterInputs.claimOf("moved", "gpu", 1);
            harness.publish(List.of(upsert(allocated(free, "node-0")), upsert(gatedPod(free.key(), "node-1"))));
            AllocatorHarness.await(() -> Optional.ofNullable(harness.decisions().get("moved"))
                    .flatMap(DecisionRecord::getDeallocation)
                    .isPresent());
            harness.publish(List.of(upsert(free)));
            harness.awaitAllocated(1);
            assertThat(harness.decision("moved").getAllocated().orElseThrow().getNode())
                    .isEqualTo("node-1");
            assertThat(placements(harness).get("node-0"))
                    .isNotEqualTo(placements(harness).get("node-1"));
            assertThat(only.failure).isNotDone();
        }
    }

    private static ResourceClaim allocated(ResourceClaim claim, String node) {
        var allocation = new Allocation(
                List.of(DeviceResult.of("r", new DeviceId(ClusterInputs.DRIVER, node, "gpu-0"))),
                List.of(),
                Optional.of(NodeSelector.ofNode(node)),
                Optional.empty());
        return new ResourceClaim(claim.meta(), claim.spec(), Optional.of(allocation), List.of());
    }

    private static Pod gatedPod(ObjectKey claim, String node) {
        return Pod.builder(ObjectMeta.of(claim.namespace(), "pod", "uid-pod"))
                .requiredAffinity(Optional.of(NodeSelector.ofNode(node)))
                .resourceClaims(List.of(new PodClaim("gpus", new PodClaim.ClaimSource.ClaimReference(claim.name()))))
                .schedulingGates(List.of(Pod.ALLOCATION_GATE))
                .build();
    }

    /** Without this, cells of removed threads of a killed process would have no owner for a whole session timeout. */
    @Test
    void fewerThreadsTakeOverAllCellsAtOnce() throws Exception {
        try (var harness = AllocatorHarness.create(folder, partitions(4), settings())) {
            try (var three = harness.withThreads(3).start("state").awaitRunning()) {
                harness.publish(cluster(DEVICES));
                harness.publish(claims("early", 4, 1));
                harness.awaitAllocated(4);
                assertThat(three.cells.condition()).isEqualTo(Health.Condition.up("4 cells active in 3 threads"));
            }
            abandonMember(harness, "allocator-0-2");
            try (var one = harness.withThreads(1).start("state").awaitRunning();
                    var admin = harness.admin()) {
                assertThat(members(admin))
                        .filteredOn(member -> !member.endsWith("-intake"))
                        .containsExactly("allocator-0-1");
                harness.publish(claims("late", 4, 1));
                harness.awaitAllocated(8);
                assertThat(one.cells.condition()).isEqualTo(Health.Condition.up("4 cells active"));
            }
        }
    }

    /** Joins the group of the cells with this static member, and ends without leaving it, as a killed process does. */
    private static void abandonMember(AllocatorHarness harness, String instance) {
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(harness.kafka(), instance)
                        .inGroup(AllocatorTopology.APPLICATION)
                        .properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(Topics.CELLS_IN));
            AllocatorHarness.await(() -> {
                var unused = consumer.poll(Duration.ofMillis(100));
                return !consumer.assignment().isEmpty();
            });
        }
    }

    /** A static member would keep intake, cells and router until its session times out. */
    @Test
    void allocatorThatEndsInOrderLeavesItsGroups() throws Exception {
        try (var harness = AllocatorHarness.create(folder, partitions(2), settings());
                var admin = harness.admin()) {
            var first = start(harness, 0);
            harness.publish(cluster(DEVICES));
            harness.publish(claims("early", 4, 1));
            harness.awaitAllocated(4);
            try (var second = start(harness, 1)) {
                first.close();
                assertThat(members(admin)).allMatch(member -> member.contains(instance(1)));
                harness.publish(claims("late", 4, 1));
                harness.awaitAllocated(8);
                assertThat(second.failure).isNotDone();
                assertThat(second.cells.condition()).isEqualTo(Health.Condition.up("2 cells active"));
            }
            assertThat(members(admin)).isEmpty();
        }
    }

    /** Returns the names of the static members of the groups of an allocator. */
    private static List<String> members(Admin admin) throws Exception {
        return admin
                .describeConsumerGroups(List.of(AllocatorTopology.APPLICATION, Intake.GROUP))
                .all()
                .get()
                .values()
                .stream()
                .flatMap(group -> group.members().stream())
                .flatMap(member -> member.groupInstanceId().stream())
                .toList();
    }

    private static Map<String, Integer> placements(AllocatorHarness harness) {
        var places = new TreeMap<String, Integer>();
        harness.read(Topics.PLACEMENT, PlacementRecord.class)
                .forEach(each -> places.put(each.getNode(), each.getCell()));
        return places;
    }

    private static Map<String, Integer> partitions(int cells) {
        var partitions = new TreeMap<String, Integer>();
        Topics.shipped().forCells(cells).all().forEach(topic -> partitions.put(topic.name(), topic.partitions()));
        return partitions;
    }

    private static CellSettings settings() {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        sources.put(Kind.RESOURCE_SLICE, new TreeSet<>(List.of("watcher")));
        return CellSettings.builder().sources(sources).build();
    }

    /** Asserts that every device is allocated, each to one claim. */
    private static void assertEveryDeviceAllocatedOnce(AllocatorHarness harness, int devices) {
        Set<String> given = new HashSet<>();
        List<String> twice = new ArrayList<>();
        harness.decisions().values().stream()
                .flatMap(each -> each.getAllocated().stream())
                .flatMap(allocation -> allocation.getAllocation().getResults().stream())
                .map(each -> each.getDevice().getPool() + "/" + each.getDevice().getDevice())
                .filter(device -> !given.add(device))
                .forEach(twice::add);
        assertThat(twice).isEmpty();
        assertThat(given).hasSize(NODES * devices);
    }

    private static SortedSet<String> pendingClaims(AllocatorHarness harness) {
        return harness.decisions().values().stream()
                .filter(each -> each.getPending().isPresent())
                .map(DecisionRecord::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    // ---- inputs

    private Stamp stamp() {
        return new Stamp("watcher", 1, ++version);
    }

    private List<PublicRecord> cluster(int devices) {
        List<PublicRecord> all = new ArrayList<>();
        all.add(upsert(ClusterInputs.classOf("gpu", ClusterInputs.DRIVER)));
        for (int node = 0; node < NODES; node++) {
            String name = "node-" + node;
            all.add(upsert(ClusterInputs.nodeOf(name)));
            all.add(upsert(ResourceSlice.builder(
                            ObjectMeta.of("", name + "-slice", "uid-slice-" + name), ClusterInputs.DRIVER, name)
                    .generation(1)
                    .scope(new NodeScope.SingleNode(name))
                    .devices(IntStream.range(0, devices)
                            .mapToObj(i -> Device.of("gpu-" + i, new TreeMap<>(), new TreeMap<>()))
                            .toList())
                    .build()));
        }
        all.add(PublicRecord.syncMarker(stamp(), Kind.RESOURCE_SLICE, NODES));
        return all;
    }

    private PublicRecord upsert(ClusterObject object) {
        return PublicRecord.upsert(stamp(), object);
    }

    private List<PublicRecord> claims(String prefix, int count, int devices) {
        return IntStream.range(0, count)
                .mapToObj(i -> upsert(ClusterInputs.claimOf(prefix + "-" + i, "gpu", devices)))
                .toList();
    }

    private PublicRecord deletion(String claim) {
        return PublicRecord.deletion(stamp(), ClusterInputs.claimOf(claim, "gpu", 1));
    }
}
