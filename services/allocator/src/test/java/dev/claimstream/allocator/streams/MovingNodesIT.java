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
final class MovingNodesIT {
    private static final String BIG = "big";
    private static final String SMALL = "small";
    private static final int BIG_DEVICES = 3;
    private static final int SMALL_DEVICES = 2;

    @TempDir
    private Path folder;

    private long version;

    @Test
    void aNodeMovesOnceNothingOnItIsHeldAndWhatIsAskedMeanwhileIsAnswered() {
        try (var site = site();
                var only = site.start("state").awaitRunning()) {
            site.publish(cluster());
            site.publish(List.of(claim("holds", BIG_DEVICES)));
            site.awaitGranted(1);
            site.publish(List.of(claim("meanwhile", 1)));
            site.awaitGranted(2);
            assertThat(cellOf(site, "meanwhile")).isEqualTo(1);

            site.publish(List.of(node(BIG, 1)));
            site.publish(List.of(claim("too-big", BIG_DEVICES), seen(podOf("spans", "holds", "meanwhile"))));
            awaitWaits(site, "too-big");
            Site.await(() -> "SpansCells".equals(reasons(site).get("spans")));
            site.publish(List.of(claim("last", 1)));
            site.awaitGranted(3);
            assertThat(places(site)).as("it holds something").containsEntry(BIG, 0);

            site.publish(List.of(gone(podOf("spans")), gone(claimOf("too-big")), gone(claimOf("holds"))));
            Site.await(() -> places(site).equals(Map.of(BIG, 1, SMALL, 1)));
            site.publish(List.of(claim("one", 1), claim("two", 2)));
            site.awaitGranted(4);
            site.publish(List.of(claim("too-many", 1)));
            awaitWaits(site, "too-many");
            assertThat(List.of(cellOf(site, "one"), cellOf(site, "two"))).containsOnly(1);
            assertNothingTwice(site, BIG_DEVICES + SMALL_DEVICES);
            assertThat(only.broken).isNotDone();
        }
    }

    /** Records of the node during its move, and its closing records before, stay in the rows of the router. */
    @Test
    void aMoveInWhoseMiddleTheAllocatorEndsIsFinishedByTheNext() {
        try (var site = site();
                var first = site.start("state-0").awaitRunning()) {
            site.publish(cluster());
            site.publish(List.of(claim("before", BIG_DEVICES)));
            site.awaitGranted(1);
            site.publish(List.of(gone(claimOf("before"))));
            site.awaitGranted(0);

            var oldCell = site.barrier(KafkaAdmin.log(0));
            site.publish(List.of(node(BIG, 1)));
            site.awaitTaken(KafkaAdmin.ROUTER);
            site.publish(List.of(
                    slice(BIG, 2, BIG_DEVICES + 1),
                    slice(SMALL, 1, SMALL_DEVICES),
                    PublicRecord.syncMarker(stamp(), Kind.RESOURCE_SLICE, 2)));
            site.publish(List.of(claim("during", BIG_DEVICES + 1)));
            site.awaitTaken(KafkaAdmin.ROUTER);
            try (var second = replaced(site, first, "state-1")) {
                var router = site.barrier(KafkaAdmin.ROUTER);
                oldCell.close();
                site.awaitTaken(KafkaAdmin.log(0));
                assertThat(places(site)).as("given up, and not taken").containsEntry(BIG, 0);
                site.publish(List.of(claim("behind", SMALL_DEVICES)));
                try (var third = replaced(site, second, "state-2")) {
                    router.close();
                    site.awaitGranted(2);
                    site.publish(List.of(claim("too-many", 1)));
                    awaitWaits(site, "too-many");
                    assertThat(places(site)).isEqualTo(Map.of(BIG, 1, SMALL, 1));
                    assertThat(List.of(cellOf(site, "during"), cellOf(site, "behind")))
                            .containsOnly(1);
                    assertNothingTwice(site, BIG_DEVICES + 1 + SMALL_DEVICES);
                    assertThat(grants(site)).containsExactlyInAnyOrder("before", "during", "behind");
                    site.ledger().stream()
                            .collect(Collectors.groupingBy(LedgerEvent::getCell))
                            .values()
                            .forEach(Ledger::verifyLinks);
                    assertThat(third.broken).isNotDone();
                }
            }
        }
    }

    /** Starts another instance under the same name. The former instance is fenced, which has the effect of a kill. */
    private static Site.Running replaced(Site site, Site.Running before, String state) {
        Site.Running next = site.start(state).awaitRunning();
        Site.await(before.broken::isDone);
        return next;
    }

    private Site site() {
        var partitions = new TreeMap<String, Integer>();
        Topics.shipped().forCells(2).all().forEach(topic -> partitions.put(topic.name(), topic.partitions()));
        return Site.in(folder, partitions, Site.waitingForSlices());
    }

    // ---- outputs

    private static Map<String, Integer> places(Site site) {
        var places = new TreeMap<String, Integer>();
        site.read(Topics.PLACEMENT, PlacementRecord.class).forEach(each -> places.put(each.getNode(), each.getCell()));
        return places;
    }

    private static int cellOf(Site site, String claim) {
        return site.decision(claim).getCell();
    }

    private static void awaitWaits(Site site, String claim) {
        Site.await(() -> Optional.ofNullable(site.decisions().get(claim))
                .flatMap(DecisionRecord::getWaits)
                .isPresent());
    }

    /** Reasons of pending items, by name. */
    private static Map<String, String> reasons(Site site) {
        var reasons = new TreeMap<String, String>();
        site.read(Topics.EXPLANATIONS, ExplanationRecord.class)
                .forEach(each -> each.getReason()
                        .ifPresent(reason -> reasons.put(each.getItem().getName(), reason)));
        return reasons;
    }

    /** Names of all claims that were ever allocated, one for each decision. */
    private static List<String> grants(Site site) {
        return site.allDecisions().stream()
                .filter(each -> each.getGranted().isPresent())
                .map(DecisionRecord::getName)
                .toList();
    }

    /** Asserts that this number of devices is allocated, each to one claim. */
    private static void assertNothingTwice(Site site, int devices) {
        assertThat(site.decisions().values().stream()
                        .flatMap(each -> each.getGranted().stream())
                        .flatMap(grant -> grant.getAllocation().getResults().stream())
                        .map(each -> each.getDevice().getPool() + "/"
                                + each.getDevice().getDevice()))
                .doesNotHaveDuplicates()
                .hasSize(devices);
    }

    // ---- inputs

    private Stamp stamp() {
        return new Stamp(World.SOURCE, 1, ++version);
    }

    private PublicRecord seen(ClusterObject object) {
        return PublicRecord.upsert(stamp(), object);
    }

    private PublicRecord gone(ClusterObject object) {
        return PublicRecord.deletion(stamp(), object);
    }

    private List<PublicRecord> cluster() {
        List<PublicRecord> all = new ArrayList<>();
        all.add(seen(World.classOf("gpu", World.DRIVER)));
        all.add(node(BIG, 0));
        all.add(node(SMALL, 1));
        all.add(slice(BIG, 1, BIG_DEVICES));
        all.add(slice(SMALL, 1, SMALL_DEVICES));
        all.add(PublicRecord.syncMarker(stamp(), Kind.RESOURCE_SLICE, 2));
        return all;
    }

    private PublicRecord node(String name, int cell) {
        Node node = World.nodeOf(name);
        var labels = new TreeMap<>(Map.of("claimstream.dev/cell", Integer.toString(cell)));
        return seen(new Node(node.meta().withLabels(labels), List.of(), false, true));
    }

    private PublicRecord slice(String node, long generation, int devices) {
        return seen(new ResourceSlice(
                ObjectMeta.of("", node + "-slice", "uid-slice-" + node),
                World.DRIVER,
                node,
                generation,
                1,
                new NodeScope.SingleNode(node),
                IntStream.range(0, devices)
                        .mapToObj(i -> Device.of("gpu-" + i, new TreeMap<>(), new TreeMap<>()))
                        .toList(),
                List.of()));
    }

    private PublicRecord claim(String name, int devices) {
        return seen(World.claimOf(name, "gpu", devices));
    }

    private static ClusterObject claimOf(String name) {
        return World.claimOf(name, "gpu", 1);
    }

    private static Pod podOf(String name, String... claims) {
        return new Pod(
                ObjectMeta.of("team", name, "uid-" + name),
                Optional.empty(),
                new TreeMap<>(),
                Optional.empty(),
                List.of(),
                0,
                Stream.of(claims)
                        .map(each -> new PodClaim(each, new PodClaim.ClaimSource.ClaimReference(each)))
                        .toList(),
                false);
    }
}
