package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.Health;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.wire.PublicRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same claims on one, two, four and eight cells while allocators restart. */
@Tag("part-3")
final class SeveralCellsIT {
    private static final int NODES = 8;
    private static final int DEVICES = 2;

    /** Devices of a node where claims request one, two or four of them. */
    private static final int DEVICES_MIXED = 4;

    @TempDir
    private Path folder;

    private long version;

    /** The expected allocated and pending claims are the same for every number of cells, allocators and threads. */
    @ParameterizedTest(name = "{0} cells, {1} allocators of {2} threads")
    @CsvSource({
        "1, 1, 1", "1, 2, 1", "1, 3, 2", "2, 1, 1", "2, 2, 2", "2, 3, 1", "4, 1, 2", "8, 1, 3", "8, 2, 2", "8, 3, 1"
    })
    void theSameClaimsAreServedAndNoDeviceTwiceWhoeverLeavesAndComesBack(int cells, int allocators, int threads) {
        try (var site = Site.in(folder, partitions(cells), settings()).withThreads(threads)) {
            List<Site.Running> running = new ArrayList<>();
            for (int i = 0; i < allocators; i++) {
                running.add(start(site, i));
            }
            site.publish(cluster(DEVICES_MIXED));
            site.publish(claims("four", 3, 4));
            site.awaitGranted(3);
            for (int i = 0; i < 3; i++) {
                site.publish(claims("turn-" + i, 2, 2));
                if (i < allocators) {
                    leaveAndComeBack(site, running, i, 5 + 2 * i);
                }
            }
            site.publish(claims("one", 8, 1));
            site.awaitGranted(17);
            assertEveryDeviceOnce(site, DEVICES_MIXED);

            // the claims have the same age, so that their names determine the order of the scheduling queue
            site.publish(claims("later-a-four", 1, 4));
            site.publish(claims("later-b-two", 1, 2));
            site.publish(claims("later-c-one", 2, 1));
            awaitWaiting(site, "later-a-four-0", "later-b-two-0", "later-c-one-0", "later-c-one-1");
            site.publish(List.of(gone("four-0")));
            awaitWaiting(site, "later-b-two-0", "later-c-one-0", "later-c-one-1");
            site.publish(List.of(gone("turn-0-1")));
            awaitWaiting(site, "later-c-one-0", "later-c-one-1");
            site.publish(List.of(gone("one-0"), gone("one-7")));
            awaitWaiting(site);
            assertEveryDeviceOnce(site, DEVICES_MIXED);
            assertThat(running).allMatch(each -> !each.broken.isDone());
            if (allocators == 1) {
                assertThat(running.getFirst().cells.condition())
                        .isEqualTo(Health.Condition.up(CellStreams.describeActivity(cells, threads)));
            }
            running.forEach(Site.Running::close);
            if (cells > 1) {
                assertThat(places(site).values())
                        .contains(IntStream.range(0, cells).boxed().toArray(Integer[]::new));
            }
        }
    }

    /**
     * Restarts an instance while it works. The last instance is replaced and fenced, which has the effect of a kill.
     */
    private static void leaveAndComeBack(Site site, List<Site.Running> running, int number, int claims) {
        Site.Running leaving = running.get(number);
        if (number == running.size() - 1) {
            running.set(number, site.start(instance(number), "another-state").awaitRunning());
            Site.await(leaving.broken::isDone);
            leaving.close();
        } else {
            leaving.close();
            site.forgetMembers(instance(number)); // the other instances take over at once
            site.awaitGranted(claims);
            running.set(number, start(site, number));
        }
        site.awaitGranted(claims);
    }

    private static Site.Running start(Site site, int number) {
        return site.start(instance(number), "state-" + number).awaitRunning();
    }

    private static String instance(int number) {
        return "allocator-" + number;
    }

    private static void awaitWaiting(Site site, String... claims) {
        Site.await(() -> waiting(site).equals(new TreeSet<>(List.of(claims))));
    }

    @ParameterizedTest(name = "{0} cells without {1}")
    @CsvSource({
        "2, claimstream-allocator-router-rows-changelog, 'the router: its state is empty'",
        "8, claimstream-allocator-cell-rows-changelog, 'the changelog is lost'",
        "2, router.in, 'the router: topic router.in was deleted and made again'",
        "2, decisions.v1, 'stands in topic ledger.v1 and not in topic decisions.v1'",
        "2, ledger.v1, 'is empty, and its state has written another event after that'"
    })
    void whatIsLostIsSaidAndARebuildGivesNothingTwice(int cells, String lost, String said) {
        try (var site = Site.in(folder, partitions(cells), settings())) {
            try (var first = site.start("state").awaitRunning()) {
                site.publish(cluster(DEVICES));
                site.publish(claims("early", 10, 1));
                site.awaitGranted(10);
                assertThat(first.broken).isNotDone();
            }
            site.forgetMembers();
            var before = site.decisions();
            var places = places(site);

            site.deleteTopic(lost);
            site.makeTopics(partitions(cells));
            try (var robbed = site.start("state")) {
                assertThat(robbed.refusal()).contains(said, "claimstream.allocator.rebuild=true");
            }
            site.forgetMembers();
            site.publish(List.of(gone("early-0")));
            site.publish(claims("late", 8, 1));

            try (var rebuilt = site.rebuild("state").awaitRunning()) {
                Site.await(() -> site.granted().size() == NODES * DEVICES
                        && waiting(site).size() == 1);
                assertThat(rebuilt.broken).isNotDone();
            }
            assertEveryDeviceOnce(site, DEVICES);
            assertThat(site.decision("early-0").getReleased()).isTrue();
            before.remove("early-0");
            before.forEach((claim, decision) ->
                    assertThat(site.decision(claim).getGranted()).as(claim).isEqualTo(decision.getGranted()));
            assertThat(places(site)).isEqualTo(places);
            site.ledger().stream()
                    .collect(Collectors.groupingBy(LedgerEvent::getCell))
                    .values()
                    .forEach(Ledger::verifyLinks);

            site.forgetMembers();
            site.publish(List.of(gone("early-1")));
            try (var again = site.start("state").awaitRunning()) {
                Site.await(() -> waiting(site).isEmpty());
                assertThat(again.broken).isNotDone();
            }
            assertEveryDeviceOnce(site, DEVICES);
        }
    }

    @Test
    void theRouterIsNoCellAndItsLagIsShownByItself() {
        try (var site = Site.in(folder, partitions(2), settings());
                var only = site.start("state").awaitRunning()) {
            site.publish(cluster(DEVICES));
            site.publish(claims("early", 4, 1));
            site.awaitGranted(4);
            assertThat(only.cells.condition()).isEqualTo(Health.Condition.up("2 cells at work"));
            Site.await(() -> only.cells.lag().equals(OptionalLong.of(0)));
            assertThat(only.meters.text())
                    .contains(
                            "claimstream_cell_tasks 2.0",
                            "claimstream_cell_lag_records{topic=\"cells.in\"} 0.0",
                            "claimstream_cell_lag_records{topic=\"router.in\"} 0.0");
        }
    }

    /** Without this, cells of removed threads would have no owner for a whole session timeout. */
    @Test
    void fewerThreadsTakeUpAtOnceWhatMoreHad() throws Exception {
        try (var site = Site.in(folder, partitions(4), settings())) {
            try (var three = site.withThreads(3).start("state").awaitRunning()) {
                site.publish(cluster(DEVICES));
                site.publish(claims("early", 4, 1));
                site.awaitGranted(4);
                assertThat(three.cells.condition()).isEqualTo(Health.Condition.up("4 cells at work in 3 threads"));
            }
            try (var one = site.withThreads(1).start("state").awaitRunning();
                    var admin = site.admin()) {
                assertThat(
                                admin
                                        .describeConsumerGroups(List.of(AllocatorTopology.APPLICATION))
                                        .all()
                                        .get()
                                        .values()
                                        .stream()
                                        .flatMap(group -> group.members().stream())
                                        .flatMap(member -> member.groupInstanceId().stream()))
                        .containsExactly("allocator-0-1");
                site.publish(claims("late", 4, 1));
                site.awaitGranted(8);
                assertThat(one.cells.condition()).isEqualTo(Health.Condition.up("4 cells at work"));
            }
        }
    }

    private static Map<String, Integer> places(Site site) {
        var places = new TreeMap<String, Integer>();
        site.read(Topics.PLACEMENT, PlacementRecord.class).forEach(each -> places.put(each.getNode(), each.getCell()));
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
        return CellSettings.defaults().withSources(sources);
    }

    /** Asserts that every device is allocated, each to one claim. */
    private static void assertEveryDeviceOnce(Site site, int devices) {
        Set<String> given = new HashSet<>();
        List<String> twice = new ArrayList<>();
        site.decisions().values().stream()
                .flatMap(each -> each.getGranted().stream())
                .flatMap(grant -> grant.getAllocation().getResults().stream())
                .map(each -> each.getDevice().getPool() + "/" + each.getDevice().getDevice())
                .filter(device -> !given.add(device))
                .forEach(twice::add);
        assertThat(twice).isEmpty();
        assertThat(given).hasSize(NODES * devices);
    }

    private static SortedSet<String> waiting(Site site) {
        return site.decisions().values().stream()
                .filter(each -> each.getWaits().isPresent())
                .map(DecisionRecord::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    // ---- inputs

    private Stamp stamp() {
        return new Stamp("watcher", 1, ++version);
    }

    private List<PublicRecord> cluster(int devices) {
        List<PublicRecord> all = new ArrayList<>();
        all.add(seen(World.classOf("gpu", World.DRIVER)));
        for (int node = 0; node < NODES; node++) {
            String name = "node-" + node;
            all.add(seen(World.nodeOf(name)));
            all.add(seen(new ResourceSlice(
                    ObjectMeta.of("", name + "-slice", "uid-slice-" + name),
                    World.DRIVER,
                    name,
                    1,
                    1,
                    new NodeScope.SingleNode(name),
                    IntStream.range(0, devices)
                            .mapToObj(i -> Device.of("gpu-" + i, new TreeMap<>(), new TreeMap<>()))
                            .toList(),
                    List.of())));
        }
        all.add(PublicRecord.syncMarker(stamp(), Kind.RESOURCE_SLICE, NODES));
        return all;
    }

    private PublicRecord seen(ClusterObject object) {
        return PublicRecord.upsert(stamp(), object);
    }

    private List<PublicRecord> claims(String prefix, int count, int devices) {
        return IntStream.range(0, count)
                .mapToObj(i -> seen(World.claimOf(prefix + "-" + i, "gpu", devices)))
                .toList();
    }

    private PublicRecord gone(String claim) {
        return PublicRecord.deletion(stamp(), World.claimOf(claim, "gpu", 1));
    }
}
