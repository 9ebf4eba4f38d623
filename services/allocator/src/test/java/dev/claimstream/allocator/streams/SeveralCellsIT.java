package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Settings;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.Health;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.wire.Published;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same claims over one, two and eight cells, on allocators that come and go. */
final class SeveralCellsIT {
    private static final int NODES = 8;
    private static final int DEVICES = 2;

    @TempDir
    private Path folder;

    private long version;

    @ParameterizedTest(name = "{0} cells, {1} allocators")
    @CsvSource({"1, 2", "2, 1", "2, 3", "8, 2"})
    void theSameClaimsAreServedAndNoDeviceTwice(int cells, int allocators) {
        try (var site = Site.in(folder, partitions(cells), settings())) {
            List<Site.Running> running = new ArrayList<>();
            running.add(site.start("allocator-0", "state-0").awaitRunning());
            site.publish(cluster());
            site.publish(claims("early", 6));
            for (int i = 1; i < allocators; i++) {
                running.add(site.start("allocator-" + i, "state-" + i));
            }
            site.publish(claims("late", 6));
            site.awaitGranted(12);

            running.getFirst().close(); // the others take over, or it comes back itself
            running.set(0, site.start("allocator-0", "state-0"));
            site.publish(claims("last", 8));
            site.awaitGranted(NODES * DEVICES);
            Site.await(() -> waiting(site).size() == 4);
            assertEveryDeviceOnce(site);

            site.publish(List.of(gone("early-0"), gone("early-1"), gone("late-0"), gone("late-1")));
            Site.await(() -> waiting(site).isEmpty());
            assertEveryDeviceOnce(site);
            running.forEach(Site.Running::close);
            if (cells > 1) {
                assertThat(site.read(Topics.PLACEMENT, PlacementRecord.class).stream()
                                .map(PlacementRecord::getCell)
                                .distinct())
                        .hasSize(cells);
            }
        }
    }

    @ParameterizedTest(name = "{0} cells without {1}")
    @CsvSource({
        "2, claimstream-allocator-router-rows-changelog, 'the router: its state is empty'",
        "8, claimstream-allocator-cell-rows-changelog, 'the changelog is lost'",
        "2, router.in, 'the router: topic router.in was deleted and made again'"
    })
    void whatIsLostIsSaidAndARebuildGivesNothingTwice(int cells, String lost, String said) {
        try (var site = Site.in(folder, partitions(cells), settings())) {
            try (var first = site.start("state").awaitRunning()) {
                site.publish(cluster());
                site.publish(claims("early", 10));
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
            site.publish(claims("late", 8));

            try (var rebuilt = site.rebuild("state").awaitRunning()) {
                Site.await(() -> site.granted().size() == NODES * DEVICES
                        && waiting(site).size() == 1);
                assertThat(rebuilt.broken).isNotDone();
            }
            assertEveryDeviceOnce(site);
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
            assertEveryDeviceOnce(site);
        }
    }

    @Test
    void theRouterIsNoCellAndItsLagIsShownByItself() {
        try (var site = Site.in(folder, partitions(2), settings());
                var only = site.start("state").awaitRunning()) {
            site.publish(cluster());
            site.publish(claims("early", 4));
            site.awaitGranted(4);
            assertThat(only.cells.condition()).isEqualTo(Health.Condition.up("2 cells at work"));
            Site.await(() -> only.cells.lag() == 0);
            assertThat(only.meters.text())
                    .contains(
                            "claimstream_cell_tasks 2.0",
                            "claimstream_cell_lag_records{topic=\"cells.in\"} 0.0",
                            "claimstream_cell_lag_records{topic=\"router.in\"} 0.0");
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

    private static Settings settings() {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        sources.put(Kind.RESOURCE_SLICE, new TreeSet<>(List.of("watcher")));
        return Settings.defaults().withSources(sources);
    }

    /** Every device is given out, and each to one claim. */
    private static void assertEveryDeviceOnce(Site site) {
        Set<String> given = new HashSet<>();
        List<String> twice = new ArrayList<>();
        site.decisions().values().stream()
                .flatMap(each -> each.getGranted().stream())
                .flatMap(grant -> grant.getAllocation().getResults().stream())
                .map(each -> each.getDevice().getPool() + "/" + each.getDevice().getDevice())
                .filter(device -> !given.add(device))
                .forEach(twice::add);
        assertThat(twice).isEmpty();
        assertThat(given).hasSize(NODES * DEVICES);
    }

    private static List<String> waiting(Site site) {
        return site.decisions().values().stream()
                .filter(each -> each.getWaits().isPresent())
                .map(DecisionRecord::getName)
                .toList();
    }

    // ---- what is published
    // ----------------------------------------------------------------------------------------------------

    private Stamp stamp() {
        return new Stamp("watcher", 1, ++version);
    }

    private List<Published> cluster() {
        List<Published> all = new ArrayList<>();
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
                    new NodeScope.OnNode(name),
                    IntStream.range(0, DEVICES)
                            .mapToObj(i -> Device.of("gpu-" + i, new TreeMap<>(), new TreeMap<>()))
                            .toList(),
                    List.of())));
        }
        all.add(Published.listed(stamp(), Kind.RESOURCE_SLICE, NODES));
        return all;
    }

    private Published seen(ClusterObject object) {
        return Published.seen(stamp(), object);
    }

    private List<Published> claims(String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> seen(claim(prefix + "-" + i)))
                .toList();
    }

    private Published gone(String claim) {
        return Published.gone(stamp(), claim(claim));
    }

    private static ResourceClaim claim(String name) {
        return World.claimOf(name, "gpu", 1);
    }
}
