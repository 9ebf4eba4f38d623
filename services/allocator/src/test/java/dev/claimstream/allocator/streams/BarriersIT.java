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

    private static AllocatorHarness harness;
    private static AllocatorHarness.AllocatorInstance running;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    BarriersIT() {}

    @BeforeAll
    static void start() {
        harness = AllocatorHarness.create(folder, PARTITIONS, settings());
        running = harness.start("state").awaitRunning();
        publish(
                syncMarker(AGENT, 1, Kind.RESOURCE_SLICE),
                syncMarker(WATCHER, 1, Kind.NODE),
                syncMarker(WATCHER, 1, Kind.RESOURCE_CLAIM));
    }

    @AfterAll
    static void stop() {
        assertThat(running.failure).isNotDone();
        running.close();
        harness.close();
    }

    // ---- sync markers, stale markers and relists

    @Test
    void doesNotAllocateBeforeEveryPartitionOfEverySourceSyncs(@TempDir Path unlisted) {
        var fixture = new ClusterFixture("new");
        try (var fresh = AllocatorHarness.create(unlisted, PARTITIONS, settings());
                var allocator = fresh.start("state").awaitRunning()) {
            var watch = fixture.watch(1);
            fresh.publish(List.of(
                    watch.upsert(fixture.deviceClass()),
                    watch.upsert(fixture.node()),
                    watch.upsert(fixture.slice(1, "gpu-0")),
                    watch.upsert(fixture.claim("a", 1)),
                    syncMarker(WATCHER, 1, Kind.NODE),
                    syncMarker(WATCHER, 1, Kind.RESOURCE_CLAIM)));
            fresh.awaitConsumed();
            assertThat(fresh.allDecisions()).as("before the agent has listed").isEmpty();

            fresh.publish(0, syncMarker(AGENT, 1, Kind.RESOURCE_SLICE));
            fresh.publish(0, syncMarker(AGENT, 1, Kind.RESOURCE_SLICE));
            fresh.awaitConsumed();
            assertThat(fresh.allDecisions()).as("after one partition, twice").isEmpty();

            fresh.publish(1, syncMarker(AGENT, 1, Kind.RESOURCE_SLICE));
            fresh.awaitConsumed();
            assertThat(fresh.allocatedDevices()).isEqualTo(Map.of("new-a", List.of("gpu-0")));
            assertThat(allocator.failure).isNotDone();
        }
    }

    @Test
    void doesNotAllocateWhileStaleAndResumesAfterRelist() {
        var fixture = withDevices("old", "gpu-0", "gpu-1", "gpu-2");
        var watch = fixture.watch(1);
        publish(watch.upsert(fixture.claim("a", 1)));
        var first = harness.decision("old-a");

        publish(staleMarker(1));
        publish(watch.upsert(fixture.claim("b", 1)));
        assertThat(harness.decisions()).doesNotContainKey("old-b").containsEntry("old-a", first);

        publish(syncMarker(WATCHER, 2, Kind.NODE));
        assertThat(allocatedDevices("old-b")).containsExactly("gpu-1");

        publish(staleMarker(1)); // of the epoch before the relist
        publish(watch.upsert(fixture.claim("c", 1)));
        assertThat(allocatedDevices("old-c")).containsExactly("gpu-2");
        assertThat(harness.decision("old-a")).isEqualTo(first);
    }

    @Test
    void relistDeletesMissingObjects() {
        var fixture = withDevices("gone", "gpu-0");
        var before = fixture.watch(1);
        var stays = fixture.claim("stays", 1);
        publish(before.upsert(fixture.claim("forgotten", 1)));
        publish(before.upsert(stays), before.syncMarker(Kind.RESOURCE_CLAIM));
        assertThat(allocatedDevices("gone-forgotten")).containsExactly("gpu-0");
        assertThat(pendingMessage("gone-stays")).contains("allocated to team/gone-forgotten");

        var now = fixture.watch(2);
        publish(now.upsert(stays));
        assertThat(allocatedDevices("gone-forgotten"))
                .as("before the list is complete")
                .containsExactly("gpu-0");
        publish(now.syncMarker(Kind.RESOURCE_CLAIM));
        assertThat(harness.decision("gone-forgotten").getReleased()).isTrue();
        assertThat(allocatedDevices("gone-stays")).containsExactly("gpu-0");

        publish(
                now.upsert(fixture.claim("next", 1)),
                now.syncMarker(Kind.RESOURCE_SLICE),
                now.syncMarker(Kind.DEVICE_CLASS));
        assertThat(pendingMessage("gone-next")).contains("class gone");
        assertThat(harness.decision("gone-stays").getRevoked())
                .as("what is gone before it is committed")
                .isPresent();
    }

    // ---- repeated records, late records and two watchers

    @Test
    void ignoresLateAndRepeatedRecords() {
        var fixture = withDevices("late", "gpu-0", "gpu-1");
        var watch = fixture.watch(1);
        var a = fixture.claim("a", 1);
        List<PublicRecord> said = new ArrayList<>(List.of(
                watch.upsert(fixture.deviceClass()),
                watch.upsert(fixture.node()),
                watch.upsert(fixture.slice(1, "gpu-0", "gpu-1")),
                watch.upsert(a),
                watch.upsert(fixture.claim("b", 1)),
                watch.syncMarker(Kind.RESOURCE_CLAIM),
                watch.upsert(fixture.slice(2, "gpu-0", "gpu-1", "gpu-2"))));
        publish(said);
        PublicRecord end = watch.deletion(a);
        publish(end);
        said.add(end);
        var given = harness.decision("late-b");
        publishOutcome("late-b", "committed");
        assertThat(harness.decision("late-a").getReleased()).isTrue();
        var answers = decisions(fixture);

        publish(said.reversed());
        publish(said);
        publishOutcome("late-b", "committed");
        publishOutcome("late-b", "rejected");
        assertThat(decisions(fixture)).isEqualTo(answers);
        assertThat(harness.decision("late-b")).isEqualTo(given);
    }

    @Test
    void laterRelistWinsAndEarlierWatcherStillAddsClaims() {
        var fixture = withDevices("two", "gpu-0", "gpu-1");
        var earlier = fixture.watch(1);
        var later = fixture.watch(2);
        var kept = fixture.claim("kept", 1);
        var ended = fixture.claim("ended", 1);
        publish(earlier.upsert(kept));
        publish(earlier.upsert(ended), earlier.syncMarker(Kind.RESOURCE_CLAIM));
        assertThat(allocatedDevices("two-ended")).containsExactly("gpu-1");
        var first = harness.decision("two-kept");
        PublicRecord before =
                earlier.upsert(fixture.claim("unheard", 1)); // created and deleted before the later watcher lists

        publish(later.upsert(kept));
        publish(later.syncMarker(Kind.RESOURCE_CLAIM));
        assertThat(harness.decision("two-ended").getReleased()).isTrue();

        publish(before, earlier.upsert(ended), earlier.syncMarker(Kind.RESOURCE_CLAIM));
        assertThat(harness.decisions()).doesNotContainKey("two-unheard");
        assertThat(harness.decision("two-ended").getReleased()).isTrue();

        PublicRecord news = earlier.upsert(fixture.claim("news", 1));
        publish(news);
        publish(later.upsert(fixture.claim("news", 1)), news);
        assertThat(allocatedDevices("two-news")).containsExactly("gpu-1");
        assertThat(harness.decision("two-kept")).isEqualTo(first);
        assertThat(harness.allDecisions())
                .filteredOn(each -> each.getName().equals("two-news"))
                .hasSize(1);
    }

    // ---- changes of pools and devices

    @Test
    void doesNotAllocateFromIncompletePoolGeneration() {
        var fixture = withDevices("half", "gpu-0", "gpu-1");
        var watch = fixture.watch(1);
        publish(watch.upsert(fixture.claim("a", 1)));
        var first = harness.decision("half-a");
        publish(watch.upsert(fixture.slice(2, "1", 2, "gpu-0", "gpu-1")));
        publish(watch.upsert(fixture.claim("b", 1)));
        assertThat(pendingMessage("half-b")).contains("slices of its pool are missing");

        publish(watch.upsert(fixture.slice(2, "2", 2, "gpu-2")));
        assertThat(allocatedDevices("half-b")).containsExactly("gpu-1");
        publish(watch.upsert(fixture.claim("c", 1)));
        assertThat(allocatedDevices("half-c")).containsExactly("gpu-2");
        assertThat(harness.decision("half-a")).isEqualTo(first);
    }

    @Test
    void revokesDeviceLostBeforeCommitAndReusesItAfterOutcome() {
        var fixture = withDevices("back", "gpu-0", "gpu-1");
        var watch = fixture.watch(1);
        publish(watch.upsert(fixture.claim("a", 1)));
        assertThat(allocatedDevices("back-a")).containsExactly("gpu-0");

        publish(watch.upsert(fixture.slice(2, "gpu-1")));
        assertThat(harness.decision("back-a").getRevoked()).isPresent();
        assertThat(alarms(fixture)).isEmpty();
        publish(watch.upsert(fixture.claim("both", 2)));
        publish(watch.upsert(fixture.slice(3, "gpu-0", "gpu-1")));
        assertThat(harness.decision("back-a").getRevoked())
                .as("before the answer")
                .isPresent();
        assertThat(pendingMessage("back-both")).contains("allocated to team/back-a");

        publishOutcome("back-a", "rejected");
        assertThat(allocatedDevices("back-a")).hasSize(1);
        publish(watch.deletion(fixture.claim("a", 1)));
        assertThat(allocatedDevices("back-both")).containsExactly("gpu-0", "gpu-1");
        assertThat(alarms(fixture)).isEmpty();
    }

    @Test
    void keepsDeviceLostAfterCommitAndRaisesAlarm() {
        var fixture = withDevices("lost", "gpu-0", "gpu-1");
        var watch = fixture.watch(1);
        publish(watch.upsert(fixture.claim("a", 2)));
        var first = harness.decision("lost-a");
        publishOutcome("lost-a", "committed");

        publish(watch.upsert(fixture.slice(2, "gpu-0")));
        assertThat(alarms(fixture)).containsExactly("alarm device-lost gpu-1 [team/lost-a]");
        publish(watch.upsert(fixture.claim("b", 1)));
        assertThat(pendingMessage("lost-b")).contains("allocated to team/lost-a");

        publish(watch.upsert(fixture.slice(3, "gpu-0", "gpu-1", "gpu-2")));
        assertThat(allocatedDevices("lost-b")).containsExactly("gpu-2");
        assertThat(harness.decision("lost-a")).isEqualTo(first);
        assertThat(alarms(fixture)).hasSize(2).last().isEqualTo("alarm-cleared device-lost gpu-1 [team/lost-a]");
    }

    @Test
    void keepsAllocationOfDeletedPoolAndRaisesAlarm() {
        var fixture = withDevices("away", "gpu-0");
        var watch = fixture.watch(1);
        publish(watch.upsert(fixture.claim("a", 1)));
        var first = harness.decision("away-a");
        publishOutcome("away-a", "committed");

        publish(watch.deletion(fixture.slice(1, "gpu-0")));
        assertThat(alarms(fixture)).containsExactly("alarm device-lost gpu-0 [team/away-a]");
        assertThat(harness.decision("away-a")).isEqualTo(first);
        publish(watch.upsert(fixture.claim("b", 1)));
        assertThat(harness.decision("away-b").getPending()).isPresent();

        publish(watch.upsert(fixture.slice(2, "gpu-0")));
        assertThat(alarms(fixture)).hasSize(2).last().isEqualTo("alarm-cleared device-lost gpu-0 [team/away-a]");
        assertThat(pendingMessage("away-b")).contains("allocated to team/away-a");
    }

    @Test
    void doesNotAllocateFromOverdrawnPoolAndRaisesAlarm() {
        var fixture = new ClusterFixture("less");
        var watch = fixture.watch(1);
        publish(
                watch.upsert(fixture.deviceClass()),
                watch.upsert(fixture.node()),
                watch.upsert(fixture.counterSlice(1, 9)),
                watch.upsert(fixture.consumingSlice(1, 4, "half-0", "half-1")));
        publish(watch.upsert(fixture.claim("a", 1)));
        var first = harness.decision("less-a");
        publishOutcome("less-a", "committed");

        publish(watch.upsert(fixture.counterSlice(2, 3)));
        publish(watch.upsert(fixture.consumingSlice(2, 4, "half-0", "half-1")));
        assertThat(alarms(fixture)).containsExactly("alarm overdrawn half-0 [team/less-a]");
        publish(watch.upsert(fixture.claim("b", 1)));
        assertThat(harness.decision("less-b").getPending()).isPresent();

        publish(watch.upsert(fixture.counterSlice(3, 8)));
        publish(watch.upsert(fixture.consumingSlice(3, 4, "half-0", "half-1")));
        assertThat(alarms(fixture)).hasSize(2).last().isEqualTo("alarm-cleared overdrawn half-0 [team/less-a]");
        assertThat(allocatedDevices("less-b")).containsExactly("half-1");
        assertThat(harness.decision("less-a")).isEqualTo(first);
    }

    @Test
    void doesNotAllocateConflictingDeviceUntilOneClaimIsLeft() {
        var fixture = withDevices("both", "gpu-0");
        var watch = fixture.watch(1);
        var managed = fixture.claim("managed", 1);
        ResourceClaim unmanaged = fixture.allocated(fixture.claim("unmanaged", 1), "gpu-0");
        publish(watch.upsert(managed));
        assertThat(harness.decision("both-managed").getRevoked()).isEmpty();

        publish(watch.upsert(unmanaged));
        assertThat(alarms(fixture)).containsExactly("alarm conflict gpu-0 [team/both-managed, team/both-unmanaged]");
        publish(watch.upsert(fixture.claim("third", 1)));
        assertThat(pendingMessage("both-third"))
                .contains("allocated to team/both-managed (allocation revoked, release not confirmed)"
                        + " and team/both-unmanaged (used by no pod)");
        assertThat(harness.decision("both-managed").getRevoked()).isPresent();
        assertThat(harness.decisions()).doesNotContainKey("both-unmanaged");

        publish(watch.deletion(unmanaged));
        assertThat(alarms(fixture)).hasSize(2).last().asString().startsWith("alarm-cleared conflict gpu-0");
        assertThat(pendingMessage("both-third")).contains("allocated to team/both-managed");
        publish(watch.deletion(managed));
        assertThat(allocatedDevices("both-third")).containsExactly("gpu-0");
    }

    // ---- records

    private static CellSettings settings() {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        sources.put(Kind.RESOURCE_SLICE, new TreeSet<>(List.of(AGENT)));
        sources.put(Kind.NODE, new TreeSet<>(List.of(WATCHER)));
        sources.put(Kind.RESOURCE_CLAIM, new TreeSet<>(List.of(WATCHER)));
        return CellSettings.builder().sources(sources).build();
    }

    private static PublicRecord syncMarker(String source, long epoch, Kind kind) {
        return PublicRecord.syncMarker(new Stamp(source, epoch, 0), kind, 0);
    }

    private static PublicRecord staleMarker(long epoch) {
        return PublicRecord.staleMarker(new Stamp(WATCHER, epoch, 0), Kind.NODE);
    }

    private static ClusterFixture withDevices(String name, String... devices) {
        var fixture = new ClusterFixture(name);
        var watch = fixture.watch(1);
        publish(
                watch.upsert(fixture.deviceClass()),
                watch.upsert(fixture.node()),
                watch.upsert(fixture.slice(1, devices)));
        return fixture;
    }

    private static void publish(PublicRecord... records) {
        publish(Arrays.asList(records));
    }

    /** Publishes records and returns once the outputs of the cell are readable. */
    private static void publish(List<PublicRecord> records) {
        harness.publish(records);
        harness.awaitConsumed();
    }

    private static void publishOutcome(String claim, String outcome) {
        harness.publishOutcome(harness.decision(claim), outcome);
        harness.awaitConsumed();
    }

    private static List<String> allocatedDevices(String claim) {
        return harness.allocatedDevices().getOrDefault(claim, List.of());
    }

    /** Message of a pending claim. */
    private static String pendingMessage(String claim) {
        return harness.decision(claim).getPending().orElseThrow().getMessage();
    }

    /** All decisions on the claims of a fixture, oldest first. */
    private static List<DecisionRecord> decisions(ClusterFixture fixture) {
        return harness.allDecisions().stream()
                .filter(each -> each.getName().startsWith(fixture.qualifiedName("")))
                .toList();
    }

    private static List<String> alarms(ClusterFixture fixture) {
        return harness.ledger().stream()
                .flatMap(event -> event.getAlarm().stream()
                        .filter(alarm -> alarm.getDriver().equals(fixture.driver()))
                        .map(alarm -> "%s %s %s %s"
                                .formatted(event.getEvent(), alarm.getKind(), alarm.getDevice(), alarm.getClaims())))
                .toList();
    }
}
