package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.wire.PublicRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Decisions in the public topics before sources sync, and after objects change, repeat or disappear. */
final class BarriersIT {
    private static final String AGENT = "agent";
    private static final String WATCHER = "watcher";
    private static final Map<String, Integer> PARTITIONS = Map.of(Topics.INVENTORY, 2, Topics.CLAIMS, 2);

    @TempDir
    private static Path folder = Path.of("");

    private static Site site;
    private static Site.Running running;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    BarriersIT() {}

    @BeforeAll
    static void start() {
        site = Site.in(folder, PARTITIONS, settings());
        running = site.start("state").awaitRunning();
        tell(
                listed(AGENT, 1, Kind.RESOURCE_SLICE),
                listed(WATCHER, 1, Kind.NODE),
                listed(WATCHER, 1, Kind.RESOURCE_CLAIM));
    }

    @AfterAll
    static void stop() {
        assertThat(running.broken).isNotDone();
        running.close();
        site.close();
    }

    // ---- sync markers, stale markers and relists

    @Test
    void nothingIsGrantedBeforeEverySourceHasListedFromEveryPartition(@TempDir Path unlisted) {
        var corner = new Corner("new");
        try (var fresh = Site.in(unlisted, PARTITIONS, settings());
                var allocator = fresh.start("state").awaitRunning()) {
            var watch = corner.watch(1);
            fresh.publish(List.of(
                    watch.seen(corner.deviceClass()),
                    watch.seen(corner.node()),
                    watch.seen(corner.slice(1, "gpu-0")),
                    watch.seen(corner.claim("a", 1)),
                    listed(WATCHER, 1, Kind.NODE),
                    listed(WATCHER, 1, Kind.RESOURCE_CLAIM)));
            fresh.awaitTaken();
            assertThat(fresh.allDecisions()).as("before the agent has listed").isEmpty();

            fresh.publish(0, listed(AGENT, 1, Kind.RESOURCE_SLICE));
            fresh.publish(0, listed(AGENT, 1, Kind.RESOURCE_SLICE));
            fresh.awaitTaken();
            assertThat(fresh.allDecisions()).as("after one partition, twice").isEmpty();

            fresh.publish(1, listed(AGENT, 1, Kind.RESOURCE_SLICE));
            fresh.awaitTaken();
            assertThat(fresh.granted()).isEqualTo(Map.of("new-a", List.of("gpu-0")));
            assertThat(allocator.broken).isNotDone();
        }
    }

    @Test
    void nothingIsGrantedWhileAListIsOldAndItGoesOnWhenItIsListedAgain() {
        var corner = withDevices("old", "gpu-0", "gpu-1", "gpu-2");
        var watch = corner.watch(1);
        tell(watch.seen(corner.claim("a", 1)));
        var first = site.decision("old-a");

        tell(stale(1));
        tell(watch.seen(corner.claim("b", 1)));
        assertThat(site.decisions()).doesNotContainKey("old-b").containsEntry("old-a", first);

        tell(listed(WATCHER, 2, Kind.NODE));
        assertThat(granted("old-b")).containsExactly("gpu-1");

        tell(stale(1)); // of the epoch before the relist
        tell(watch.seen(corner.claim("c", 1)));
        assertThat(granted("old-c")).containsExactly("gpu-2");
        assertThat(site.decision("old-a")).isEqualTo(first);
    }

    @Test
    void whatANewListDoesNotShowIsGone() {
        var corner = withDevices("gone", "gpu-0");
        var before = corner.watch(1);
        var stays = corner.claim("stays", 1);
        tell(before.seen(corner.claim("forgotten", 1)));
        tell(before.seen(stays), before.listed(Kind.RESOURCE_CLAIM));
        assertThat(granted("gone-forgotten")).containsExactly("gpu-0");
        assertThat(waits("gone-stays")).contains("held by team/gone-forgotten");

        var now = corner.watch(2);
        tell(now.seen(stays));
        assertThat(granted("gone-forgotten")).as("before the list is complete").containsExactly("gpu-0");
        tell(now.listed(Kind.RESOURCE_CLAIM));
        assertThat(site.decision("gone-forgotten").getReleased()).isTrue();
        assertThat(granted("gone-stays")).containsExactly("gpu-0");

        tell(now.seen(corner.claim("next", 1)), now.listed(Kind.RESOURCE_SLICE), now.listed(Kind.DEVICE_CLASS));
        assertThat(waits("gone-next")).contains("class gone");
        assertThat(site.decision("gone-stays").getRevoked())
                .as("what is gone before it is committed")
                .isPresent();
    }

    // ---- repeated records, late records and two watchers

    @Test
    void whatIsSaidLateOrAgainChangesNothingAndIsNotAnsweredAgain() {
        var corner = withDevices("late", "gpu-0", "gpu-1");
        var watch = corner.watch(1);
        var a = corner.claim("a", 1);
        List<PublicRecord> said = new ArrayList<>(List.of(
                watch.seen(corner.deviceClass()),
                watch.seen(corner.node()),
                watch.seen(corner.slice(1, "gpu-0", "gpu-1")),
                watch.seen(a),
                watch.seen(corner.claim("b", 1)),
                watch.listed(Kind.RESOURCE_CLAIM),
                watch.seen(corner.slice(2, "gpu-0", "gpu-1", "gpu-2"))));
        tell(said);
        PublicRecord end = watch.gone(a);
        tell(end);
        said.add(end);
        var given = site.decision("late-b");
        carriedOut("late-b", "committed");
        assertThat(site.decision("late-a").getReleased()).isTrue();
        var answers = answers(corner);

        tell(said.reversed());
        tell(said);
        carriedOut("late-b", "committed");
        carriedOut("late-b", "refused");
        assertThat(answers(corner)).isEqualTo(answers);
        assertThat(site.decision("late-b")).isEqualTo(given);
    }

    @Test
    void ofTwoWatchersTheLaterListCountsAndTheEarlierOneStillTellsWhatIsNew() {
        var corner = withDevices("two", "gpu-0", "gpu-1");
        var earlier = corner.watch(1);
        var later = corner.watch(2);
        var kept = corner.claim("kept", 1);
        var ended = corner.claim("ended", 1);
        tell(earlier.seen(kept));
        tell(earlier.seen(ended), earlier.listed(Kind.RESOURCE_CLAIM));
        assertThat(granted("two-ended")).containsExactly("gpu-1");
        var first = site.decision("two-kept");
        PublicRecord before =
                earlier.seen(corner.claim("unheard", 1)); // created and deleted before the later watcher lists

        tell(later.seen(kept));
        tell(later.listed(Kind.RESOURCE_CLAIM));
        assertThat(site.decision("two-ended").getReleased()).isTrue();

        tell(before, earlier.seen(ended), earlier.listed(Kind.RESOURCE_CLAIM));
        assertThat(site.decisions()).doesNotContainKey("two-unheard");
        assertThat(site.decision("two-ended").getReleased()).isTrue();

        PublicRecord news = earlier.seen(corner.claim("news", 1));
        tell(news);
        tell(later.seen(corner.claim("news", 1)), news);
        assertThat(granted("two-news")).containsExactly("gpu-1");
        assertThat(site.decision("two-kept")).isEqualTo(first);
        assertThat(site.allDecisions())
                .filteredOn(each -> each.getName().equals("two-news"))
                .hasSize(1);
    }

    // ---- changes of pools and devices

    @Test
    void nothingNewIsGrantedFromAPoolThatIsHalfWayToItsNextGeneration() {
        var corner = withDevices("half", "gpu-0", "gpu-1");
        var watch = corner.watch(1);
        tell(watch.seen(corner.claim("a", 1)));
        var first = site.decision("half-a");
        tell(watch.seen(corner.slice(2, "1", 2, "gpu-0", "gpu-1")));
        tell(watch.seen(corner.claim("b", 1)));
        assertThat(waits("half-b")).contains("slices of its pool are missing");

        tell(watch.seen(corner.slice(2, "2", 2, "gpu-2")));
        assertThat(granted("half-b")).containsExactly("gpu-1");
        tell(watch.seen(corner.claim("c", 1)));
        assertThat(granted("half-c")).containsExactly("gpu-2");
        assertThat(site.decision("half-a")).isEqualTo(first);
    }

    @Test
    void aDeviceThatGoesBeforeItIsCommittedIsTakenBackAndFreeOnceTheWriterHasAnswered() {
        var corner = withDevices("back", "gpu-0", "gpu-1");
        var watch = corner.watch(1);
        tell(watch.seen(corner.claim("a", 1)));
        assertThat(granted("back-a")).containsExactly("gpu-0");

        tell(watch.seen(corner.slice(2, "gpu-1")));
        assertThat(site.decision("back-a").getRevoked()).isPresent();
        assertThat(alarms(corner)).isEmpty();
        tell(watch.seen(corner.claim("both", 2)));
        tell(watch.seen(corner.slice(3, "gpu-0", "gpu-1")));
        assertThat(site.decision("back-a").getRevoked()).as("before the answer").isPresent();
        assertThat(waits("back-both")).contains("held by team/back-a");

        carriedOut("back-a", "refused");
        assertThat(granted("back-a")).hasSize(1);
        tell(watch.gone(corner.claim("a", 1)));
        assertThat(granted("back-both")).containsExactly("gpu-0", "gpu-1");
        assertThat(alarms(corner)).isEmpty();
    }

    @Test
    void aDeviceThatGoesAfterItIsCommittedStaysHeldAndAnAlarmSaysSo() {
        var corner = withDevices("lost", "gpu-0", "gpu-1");
        var watch = corner.watch(1);
        tell(watch.seen(corner.claim("a", 2)));
        var first = site.decision("lost-a");
        carriedOut("lost-a", "committed");

        tell(watch.seen(corner.slice(2, "gpu-0")));
        assertThat(alarms(corner)).containsExactly("alarm device-lost gpu-1 [team/lost-a]");
        tell(watch.seen(corner.claim("b", 1)));
        assertThat(waits("lost-b")).contains("held by team/lost-a");

        tell(watch.seen(corner.slice(3, "gpu-0", "gpu-1", "gpu-2")));
        assertThat(granted("lost-b")).containsExactly("gpu-2");
        assertThat(site.decision("lost-a")).isEqualTo(first);
        assertThat(alarms(corner)).hasSize(2).last().isEqualTo("alarm-over device-lost gpu-1 [team/lost-a]");
    }

    @Test
    void aPoolThatGoesWhileItIsHeldIsNotForgottenAndAnAlarmSaysSo() {
        var corner = withDevices("away", "gpu-0");
        var watch = corner.watch(1);
        tell(watch.seen(corner.claim("a", 1)));
        var first = site.decision("away-a");
        carriedOut("away-a", "committed");

        tell(watch.gone(corner.slice(1, "gpu-0")));
        assertThat(alarms(corner)).containsExactly("alarm device-lost gpu-0 [team/away-a]");
        assertThat(site.decision("away-a")).isEqualTo(first);
        tell(watch.seen(corner.claim("b", 1)));
        assertThat(site.decision("away-b").getWaits()).isPresent();

        tell(watch.seen(corner.slice(2, "gpu-0")));
        assertThat(alarms(corner)).hasSize(2).last().isEqualTo("alarm-over device-lost gpu-0 [team/away-a]");
        assertThat(waits("away-b")).contains("held by team/away-a");
    }

    @Test
    void aPoolThatHasLessThanItsClaimsTakeGivesNothingMoreAndAnAlarmSaysSoUntilItHasEnough() {
        var corner = new Corner("less");
        var watch = corner.watch(1);
        tell(
                watch.seen(corner.deviceClass()),
                watch.seen(corner.node()),
                watch.seen(corner.counters(1, 9)),
                watch.seen(corner.counting(1, 4, "half-0", "half-1")));
        tell(watch.seen(corner.claim("a", 1)));
        var first = site.decision("less-a");
        carriedOut("less-a", "committed");

        tell(watch.seen(corner.counters(2, 3)));
        tell(watch.seen(corner.counting(2, 4, "half-0", "half-1")));
        assertThat(alarms(corner)).containsExactly("alarm overdrawn half-0 [team/less-a]");
        tell(watch.seen(corner.claim("b", 1)));
        assertThat(site.decision("less-b").getWaits()).isPresent();

        tell(watch.seen(corner.counters(3, 8)));
        tell(watch.seen(corner.counting(3, 4, "half-0", "half-1")));
        assertThat(alarms(corner)).hasSize(2).last().isEqualTo("alarm-over overdrawn half-0 [team/less-a]");
        assertThat(granted("less-b")).containsExactly("half-1");
        assertThat(site.decision("less-a")).isEqualTo(first);
    }

    @Test
    void aDeviceThatSomebodyElseHasGivenTooIsNobodysUntilOneHolderIsLeft() {
        var corner = withDevices("both", "gpu-0");
        var watch = corner.watch(1);
        var ours = corner.claim("ours", 1);
        ResourceClaim theirs = corner.allocated(corner.claim("theirs", 1), "gpu-0");
        tell(watch.seen(ours));
        var first = site.decision("both-ours");

        tell(watch.seen(theirs));
        assertThat(alarms(corner)).containsExactly("alarm conflict gpu-0 [team/both-ours, team/both-theirs]");
        tell(watch.seen(corner.claim("third", 1)));
        assertThat(waits("both-third"))
                .contains("held by team/both-ours (used by no pod) and team/both-theirs (used by no pod)");
        assertThat(site.decision("both-ours")).isEqualTo(first);
        assertThat(site.decisions()).doesNotContainKey("both-theirs");

        tell(watch.gone(theirs));
        assertThat(alarms(corner)).hasSize(2).last().asString().startsWith("alarm-over conflict gpu-0");
        assertThat(waits("both-third")).contains("held by team/both-ours");
        tell(watch.gone(ours));
        assertThat(granted("both-third")).containsExactly("gpu-0");
    }

    // ---- records

    private static CellSettings settings() {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        sources.put(Kind.RESOURCE_SLICE, new TreeSet<>(List.of(AGENT)));
        sources.put(Kind.NODE, new TreeSet<>(List.of(WATCHER)));
        sources.put(Kind.RESOURCE_CLAIM, new TreeSet<>(List.of(WATCHER)));
        return CellSettings.defaults().withSources(sources);
    }

    private static PublicRecord listed(String source, long epoch, Kind kind) {
        return PublicRecord.syncMarker(new Stamp(source, epoch, 0), kind, 0);
    }

    private static PublicRecord stale(long epoch) {
        return PublicRecord.staleMarker(new Stamp(WATCHER, epoch, 0), Kind.NODE);
    }

    private static Corner withDevices(String name, String... devices) {
        var corner = new Corner(name);
        var watch = corner.watch(1);
        tell(watch.seen(corner.deviceClass()), watch.seen(corner.node()), watch.seen(corner.slice(1, devices)));
        return corner;
    }

    private static void tell(PublicRecord... records) {
        tell(Arrays.asList(records));
    }

    /** Publishes records and returns once the outputs of the cell are readable. */
    private static void tell(List<PublicRecord> records) {
        site.publish(records);
        site.awaitTaken();
    }

    private static void carriedOut(String claim, String outcome) {
        site.carriedOut(site.decision(claim), outcome);
        site.awaitTaken();
    }

    private static List<String> granted(String claim) {
        return site.granted().getOrDefault(claim, List.of());
    }

    /** Message of a pending claim. */
    private static String waits(String claim) {
        return site.decision(claim).getWaits().orElseThrow().getMessage();
    }

    /** All decisions on the claims of a fixture, oldest first. */
    private static List<DecisionRecord> answers(Corner corner) {
        return site.allDecisions().stream()
                .filter(each -> each.getName().startsWith(corner.nameOf("")))
                .toList();
    }

    private static List<String> alarms(Corner corner) {
        return site.ledger().stream()
                .flatMap(event -> event.getAlarm().stream()
                        .filter(alarm -> alarm.getDriver().equals(corner.driver()))
                        .map(alarm -> "%s %s %s %s"
                                .formatted(event.getEvent(), alarm.getSort(), alarm.getDevice(), alarm.getClaims())))
                .toList();
    }
}
