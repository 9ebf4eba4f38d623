package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests one cell where code is clearer than a story: sources, epochs, lists, probes and invariants. */
class CellTest {
    private final CellFixture stage = new CellFixture();
    private final Sentences actions = new Sentences();

    CellTest() {
        ItemSentences.addTo(actions, stage);
        ClusterSentences.addTo(actions, stage);
    }

    private void execute(String... sentences) {
        for (String sentence : sentences) {
            assertThat(actions.execute(sentence)).as(sentence).isPresent();
        }
        stage.run();
    }

    private Optional<Reason> reason(String pod) {
        return stage.state().item(ItemId.pod(CellFixture.key(pod))).flatMap(SchedulingRow.ItemRow::reason);
    }

    @Test
    void reservesSharedClaimForAtMost256Pods() {
        execute("class gpu exists", "node-1 joins with 1 gpu", "claim shared requests 1 gpu");
        for (int i = 0; i < ClaimConsumer.MAX; i++) {
            execute("pod p-%d uses claim shared".formatted(i));
        }
        assertThat(stage.decidedAllocation("shared")
                        .map(ClaimRow.AllocationRow::reservedFor)
                        .orElse(List.of()))
                .hasSize(ClaimConsumer.MAX);
        execute("pod late uses claim shared");
        assertThat(reason("late")).contains(Reason.ConsumersExhausted);
        execute("pod p-7 succeeds");
        assertThat(reason("late")).isEmpty();
        assertThat(stage.decidedAllocation("shared")
                        .map(ClaimRow.AllocationRow::reservedFor)
                        .orElse(List.of()))
                .hasSize(ClaimConsumer.MAX)
                .extracting(ClaimConsumer::name)
                .contains("late")
                .doesNotContain("p-7");
    }

    @Test
    void keepsUnknownConsumersOfClaimStatus() {
        execute(
                "class gpu exists",
                "node-1 joins with 1 gpu",
                "claim shared requests 1 gpu",
                "pod a uses claim shared");
        ClaimRow.AllocationRow allocationRow = stage.decidedAllocation("shared").orElseThrow();
        ResourceClaim claim = stage.claim("shared");
        var group = new ClaimConsumer("scheduling.k8s.io", "podgroups", "group", "uid-of-group");
        stage.apiServer.write(
                new ResourceClaim(claim.meta(), claim.spec(), Optional.of(allocationRow.allocation()), List.of(group)));
        execute("pod b uses claim shared");
        assertThat(stage.decidedAllocation("shared")
                        .map(ClaimRow.AllocationRow::reservedFor)
                        .orElse(List.of()))
                .extracting(ClaimConsumer::name)
                .containsExactly("a", "group", "b");
    }

    @Test
    void ignoresInputAtOrBelowLastOffset() {
        var cell = new Cell(new State(new TextSelectors()));
        var upserted = new Observation.ObjectUpserted(new Stamp("api", 1, 1), SampleObjects.node("node-1"));
        assertThat(cell.step(new Input(5, History.START, upserted)).facts()).isNotEmpty();
        assertThat(cell.step(new Input(5, History.START, upserted)).facts()).isEmpty();
        assertThat(cell.step(new Input(4, History.START, upserted)).facts()).isEmpty();
    }

    @Test
    void ignoresChangesOfObjectsByAnotherSource() {
        execute("class gpu exists", "node-1 joins with 1 gpu", "claim a requests 1 gpu");
        ResourceClaim claim = stage.claim("a");
        var foreignStamp = new Stamp("file", 9, 999);
        stage.observe(new Observation.ObjectDeleted(
                foreignStamp, Kind.RESOURCE_CLAIM, claim.key(), claim.meta().uid()));
        stage.observe(new Observation.ObjectUpserted(
                foreignStamp, new ResourceClaim(claim.meta(), claim.spec(), Optional.empty(), List.of())));
        stage.observe(new Observation.ObjectUpserted(
                foreignStamp,
                new ResourceClaim(
                        ObjectMeta.of("default", "thief", claim.meta().uid()),
                        claim.spec(),
                        Optional.empty(),
                        List.of())));
        stage.observe(new Observation.KindSynced(foreignStamp, Kind.RESOURCE_CLAIM, 0, 1));
        stage.run();
        assertThat(stage.state().claim(claim.key())).isPresent();
        assertThat(stage.decidedAllocation("a")).isPresent();
        assertThat(stage.ignored())
                .extracting(IgnoredObservation::reason)
                .hasSize(3)
                .containsOnly(IgnoredObservation.IgnoredReason.FOREIGN);
    }

    @Test
    void isSyncedAfterListEndsOnEveryPartition() {
        var sources = new TreeMap<Kind, SortedSet<String>>();
        sources.put(Kind.NODE, new TreeSet<>(List.of("api", "file")));
        stage.sources(sources);
        endList("api", 0, 2);
        endList("api", 0, 2);
        endList("file", 0, 1);
        assertThat(stage.state().isSynced()).isFalse();
        endList("api", 1, 2);
        assertThat(stage.state().isSynced()).isTrue();
    }

    @Test
    void acceptsNewerObjectsOfOlderWatcher() {
        execute("class gpu exists", "node-1 joins with 2 gpu");
        ResourceClaim early = claimWithoutRequests("early");
        ResourceClaim between = claimWithoutRequests("between");
        ResourceClaim late = claimWithoutRequests("late");
        stage.observe(new Observation.ObjectUpserted(
                olderEpochStamp(101), between)); // newer than the list below, but observed before it
        stage.observe(
                new Observation.KindSynced(new Stamp(SimulatedApiServer.SOURCE, 200, 100), Kind.RESOURCE_CLAIM, 0, 1));
        stage.observe(
                new Observation.ObjectUpserted(olderEpochStamp(99), early)); // deleted before the list, observed late
        stage.observe(new Observation.ObjectUpserted(olderEpochStamp(102), late));
        stage.run();
        assertThat(stage.state().claim(between.key())).isPresent();
        assertThat(stage.state().claim(late.key())).isPresent();
        assertThat(stage.state().claim(early.key())).isEmpty();
        assertThat(stage.ignored())
                .containsExactly(new IgnoredObservation(
                        new Observation.ObjectUpserted(olderEpochStamp(99), early),
                        IgnoredObservation.IgnoredReason.STALE));
    }

    @Test
    void reportsOlderNodeLivenessAsStaleButNotRepetition() {
        var liveness = new Observation.NodeLiveness(new Stamp("agent", 1, 7), "node-1", true);
        stage.observe(liveness);
        stage.observe(liveness);
        stage.run();
        assertThat(stage.ignored()).isEmpty();
        var late = new Observation.NodeLiveness(new Stamp("agent", 1, 6), "node-1", false);
        stage.observe(late);
        stage.run();
        assertThat(stage.ignored())
                .containsExactly(new IgnoredObservation(late, IgnoredObservation.IgnoredReason.STALE));
    }

    @Test
    void deletesUnlistedObjectsAfterVersionsGoBack() {
        ResourceClaim ahead = claimWithoutRequests("ahead");
        stage.observe(new Observation.ObjectUpserted(olderEpochStamp(500), ahead));
        stage.observe(new Observation.KindSynced(olderEpochStamp(501), Kind.RESOURCE_CLAIM, 0, 1));
        stage.observe(
                new Observation.KindSynced(new Stamp(SimulatedApiServer.SOURCE, 200, 300), Kind.RESOURCE_CLAIM, 0, 1));
        stage.run();
        assertThat(stage.state().claim(ahead.key())).isEmpty();
    }

    private static ResourceClaim claimWithoutRequests(String name) {
        return new ResourceClaim(
                ObjectMeta.of("default", name, "uid-" + name),
                new ClaimSpec(List.of(), List.of(), List.of()),
                Optional.empty(),
                List.of());
    }

    private static Stamp olderEpochStamp(long version) {
        return new Stamp(SimulatedApiServer.SOURCE, 100, version);
    }

    @Test
    void ignoresStalenessOfSupersededList() {
        var sources = new TreeMap<Kind, SortedSet<String>>();
        sources.put(Kind.NODE, new TreeSet<>(List.of("api")));
        stage.sources(sources);
        endList("api", 0, 1);
        stage.observe(new Observation.KindSynced(new Stamp("api", 2, 0), Kind.NODE, 0, 1));
        stage.observe(new Observation.KindStale(new Stamp("api", 1, 0), Kind.NODE));
        stage.run();
        assertThat(stage.state().isSynced()).isTrue();
        assertThat(stage.ignored())
                .extracting(IgnoredObservation::reason)
                .containsExactly(IgnoredObservation.IgnoredReason.STALE);
        stage.observe(new Observation.KindStale(new Stamp("api", 2, 0), Kind.NODE));
        stage.run();
        assertThat(stage.state().isSynced()).isFalse();
    }

    private void endList(String source, int partition, int partitions) {
        stage.observe(new Observation.KindSynced(new Stamp(source, 1, 0), Kind.NODE, partition, partitions));
        stage.run();
    }

    @Test
    void answersProbeAfterItArrivesOnEveryPartition() {
        execute("class gpu exists", "node-1 joins with 1 gpu", "claim a requests 1 gpu", "claim b requests 1 gpu");
        stage.observe(new Observation.Probe("p", 1, 2));
        stage.run();
        assertThat(stage.outputs()).isEmpty();
        stage.observe(new Observation.Probe("p", 0, 2));
        stage.run();
        assertThat(stage.outputs()).contains(new Output.ProbeAnswered("p", 1, 1));
    }

    @Test
    void setsAllocationTimestampToInputTime() {
        execute("class gpu exists", "node-1 joins with 1 gpu", "claim a requests 1 gpu");
        assertThat(stage.decidedAllocation("a")
                        .flatMap(allocationRow -> allocationRow.allocation().allocationTimestamp()))
                .contains(History.START.plusSeconds(3));
    }

    @Test
    void treatsClaimRecreatedUnderSameNameAsNewItem() {
        execute("class gpu exists", "node-1 joins with 1 gpu", "claim a requests 1 gpu");
        String before = stage.claim("a").meta().uid();
        execute("claim a requests 2 gpu");
        assertThat(stage.state().decidedAllocation(before)).isEmpty();
        assertThat(stage.state().item(ItemId.claim(CellFixture.key("a"))).flatMap(SchedulingRow.ItemRow::reason))
                .contains(Reason.InsufficientDevicesPerNode);
    }

    @Test
    void appliesChangedPolicyToLaterItems() {
        execute(
                "class gpu exists",
                "the policy is first-fit",
                "node-1 joins with gpu-0 memory:80Gi, gpu-1 memory:40Gi");
        execute("claim a requests 1 gpu");
        assertThat(device("a")).isEqualTo("gpu-0");
        execute("claim a is deleted", "the policy is best-fit", "claim b requests 1 gpu");
        assertThat(device("b")).isEqualTo("gpu-1");
        assertThat(stage.state().settings().policy()).isEqualTo(PlacementPolicy.BEST_FIT);
    }

    private String device(String claim) {
        return stage.decidedAllocation(claim)
                .orElseThrow()
                .allocation()
                .results()
                .getFirst()
                .device()
                .device();
    }

    @Test
    void invariantsReportDeviceAllocatedTwice() {
        execute("class gpu exists", "node-1 joins with 2 gpu", "claim a requests 1 gpu", "claim b requests 1 gpu");
        ClaimRow.AllocationRow one = stage.decidedAllocation("a").orElseThrow();
        ClaimRow.AllocationRow other = stage.decidedAllocation("b").orElseThrow();
        stage.state()
                .apply(new Fact.Put(
                        other.toBuilder().allocation(one.allocation()).build()));
        assertThat(catchThrowable(() -> Invariants.check(stage.state())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("device driver.example/node-1/gpu-0 is allocated to claims");
    }

    @Test
    void allocatesDevicesOnNodeOfBoundPod() {
        execute(
                "class gpu exists",
                "node-1 joins with 1 gpu",
                "node-2 joins with 1 gpu",
                "pod p on node-2 uses claim a",
                "claim a requests 1 gpu");
        Pod pod = stage.pod("p");
        assertThat(pod.nodeName()).contains("node-2");
        assertThat(stage.decidedAllocation("a").map(ClaimRow.AllocationRow::node))
                .contains("node-2");
    }
}
