package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests a cell whose cluster was restored from a backup: objects have earlier states and lower versions again. */
class RestoredClusterTest {
    private static final int EPOCH = 50;

    private final CellFixture stage = new CellFixture();
    private final Sentences actions = new Sentences();

    RestoredClusterTest() {
        ItemSentences.addTo(actions, stage);
        ClusterSentences.addTo(actions, stage);
        execute("class gpu exists", "node-1 joins with 1 gpu", "the quarantine lasts 10 seconds");
    }

    private void execute(String... sentences) {
        for (String sentence : sentences) {
            assertThat(actions.execute(sentence)).as(sentence).isPresent();
        }
        stage.run();
    }

    /** Lists objects of a kind with these versions; the list shows states up to {@code listVersion}. */
    private void list(Kind kind, long listVersion, ObjectAtVersion... listed) {
        Arrays.stream(listed)
                .forEach(each -> stage.observe(
                        new Observation.ObjectUpserted(stamp(EPOCH, each.version, listVersion), each.object)));
        stage.observe(new Observation.KindSynced(stamp(EPOCH, listVersion, 0), kind, 0, 1));
        stage.run();
    }

    private record ObjectAtVersion(ClusterObject object, long version) {}

    private static Stamp stamp(long epoch, long version, long listVersion) {
        return new Stamp(SimulatedApiServer.SOURCE, epoch, version, AllocationTiming.IMMEDIATE, listVersion);
    }

    private Optional<ResourceClaim> known(String claim) {
        return stage.state().claim(CellFixture.key(claim));
    }

    @Test
    void decidesAgainForClaimThatLostItsAllocation() {
        execute("claim a requests 1 gpu");
        ResourceClaim pending = stage.claim("a");
        long version = stage.apiServer.version();
        execute("the API server stores the allocation of claim a");
        list(Kind.RESOURCE_CLAIM, version + 100, new ObjectAtVersion(pending, version));
        assertThat(known("a").flatMap(ResourceClaim::allocation)).isEmpty();
        assertThat(stage.decidedAllocation("a").map(ClaimRow.AllocationRow::claimVersion))
                .as("decided for the restored version")
                .contains(version);
        assertThat(stage.decidedAllocation("a").map(ClaimRow.AllocationRow::commitState))
                .contains(ClaimRow.AllocationRow.CommitState.DECIDED);
    }

    @Test
    void decidesAgainAfterLostCommitThatWasNeverObserved() {
        execute("claim a requests 1 gpu", "claim a changes");
        ResourceClaim pending = stage.claim("a");
        long version = stage.apiServer.version();
        execute("claim a changes", "the writer commits the allocation of claim a");
        list(Kind.RESOURCE_CLAIM, version + 100, new ObjectAtVersion(pending, version));
        assertThat(stage.decidedAllocation("a").map(ClaimRow.AllocationRow::commitState))
                .contains(ClaimRow.AllocationRow.CommitState.DECIDED);
    }

    @Test
    void keepsStateNewerThanList() {
        execute("claim a requests 1 gpu");
        ResourceClaim pending = stage.claim("a");
        long version = stage.apiServer.version();
        execute("the API server stores the allocation of claim a");
        list(Kind.RESOURCE_CLAIM, version, new ObjectAtVersion(pending, version));
        assertThat(known("a").flatMap(ResourceClaim::allocation)).isPresent();
    }

    @Test
    void ignoresLateRecordsOfReplacedHistory() {
        execute("claim a requests 1 gpu");
        ResourceClaim pending = stage.claim("a");
        long version = stage.apiServer.version();
        execute("the API server stores the allocation of claim a");
        ResourceClaim allocated = stage.claim("a");
        list(Kind.RESOURCE_CLAIM, version + 100, new ObjectAtVersion(pending, version));
        stage.observe(new Observation.ObjectUpserted(stamp(1, version + 50, 0), allocated));
        stage.observe(new Observation.ObjectDeleted(
                stamp(1, version + 60, 0),
                Kind.RESOURCE_CLAIM,
                allocated.key(),
                allocated.meta().uid()));
        stage.run();
        assertThat(known("a").orElseThrow().allocation()).isEmpty();
        assertThat(stage.ignored())
                .extracting(IgnoredObservation::reason)
                .hasSize(2)
                .containsOnly(IgnoredObservation.IgnoredReason.STALE);
    }

    @Test
    void acceptsChangesAfterRestore() {
        execute("claim a requests 1 gpu");
        ResourceClaim pending = stage.claim("a");
        long version = stage.apiServer.version();
        execute("the API server stores the allocation of claim a", "claim a changes", "claim a changes");
        ResourceClaim allocated = stage.claim("a");
        list(Kind.RESOURCE_CLAIM, version + 100, new ObjectAtVersion(pending, version));
        stage.observe(new Observation.ObjectUpserted(stamp(EPOCH, version + 1, version + 100), allocated));
        stage.run();
        assertThat(known("a").flatMap(ResourceClaim::allocation)).isPresent();
    }

    /** A restored cluster uses versions again: the same version is another state. */
    @Test
    void acceptsOtherStateWithEqualVersion() {
        execute("claim a requests 1 gpu");
        ResourceClaim pending = stage.claim("a");
        execute("the API server stores the allocation of claim a");
        long version = stage.apiServer.version();
        list(Kind.RESOURCE_CLAIM, version + 100, new ObjectAtVersion(pending, version));
        assertThat(known("a").orElseThrow().allocation()).isEmpty();
    }

    /**
     * The watcher leaves out opaque parameters by its settings. The record of a claim that is read again after a change
     * of the settings must not free devices, whose commit the claim may show a moment later.
     */
    @Test
    void keepsCommittedAllocationOfClaimWhoseParametersAreLeftOutNow() {
        execute("claim a requests 1 gpu");
        ResourceClaim pending = stage.claim("a");
        long version = stage.apiServer.version();
        execute("the writer commits the allocation of claim a");
        list(Kind.RESOURCE_CLAIM, version + 100, new ObjectAtVersion(withParameters(pending), version));
        assertThat(known("a").orElseThrow().spec().config()).hasSize(1);
        assertThat(stage.decidedAllocation("a").map(ClaimRow.AllocationRow::commitState))
                .contains(ClaimRow.AllocationRow.CommitState.COMMITTED);
        execute("claim b requests 1 gpu");
        assertThat(stage.decidedAllocation("b"))
                .as("the only device is allocated")
                .isEmpty();
    }

    private static ResourceClaim withParameters(ResourceClaim claim) {
        var config = new ClaimConfig(List.of(), new OpaqueConfig("gpu.example.com", "{}"));
        return new ResourceClaim(
                claim.meta(),
                new ClaimSpec(claim.spec().requests(), claim.spec().constraints(), List.of(config)),
                claim.allocation(),
                claim.reservedFor());
    }

    @Test
    void bringsBackDeletedClaim() {
        execute("claim a requests 1 gpu");
        execute("the API server stores the allocation of claim a");
        ResourceClaim allocated = stage.claim("a");
        long version = stage.apiServer.version();
        execute("claim a is deleted", "claim b requests 1 gpu");
        String decided = stage.claim("b").meta().uid();
        assertThat(stage.state().decidedAllocation(decided)).isPresent();
        ResourceClaim pending = stage.claim("b");
        list(
                Kind.RESOURCE_CLAIM,
                version + 100,
                new ObjectAtVersion(allocated, version),
                new ObjectAtVersion(pending, stage.apiServer.version()));
        assertThat(known("a").flatMap(ResourceClaim::allocation)).isPresent();
        assertThat(stage.state().decidedAllocation(decided).map(ClaimRow.AllocationRow::commitState))
                .as("the device belongs to the restored claim")
                .contains(ClaimRow.AllocationRow.CommitState.REVOKED);
    }

    @Test
    void endsRejectionOfReplacedHistory() {
        execute("claim a requests 1 gpu");
        ResourceClaim pending = stage.claim("a");
        long version = stage.apiServer.version();
        execute("claim a changes", "the API server rejects the allocation of claim a for claim versions up to +40");
        assertThat(stage.decidedAllocation("a")).isEmpty();
        list(Kind.RESOURCE_CLAIM, version + 100, new ObjectAtVersion(pending, version));
        assertThat(stage.decidedAllocation("a")).isPresent();
    }

    @Test
    void quarantinesDevicesOfPodThatIsNotBoundAnyMore() {
        execute("claim a requests 1 gpu", "pod p uses claim a");
        Pod unbound = stage.pod("p");
        ResourceClaim pending = stage.claim("a");
        long version = stage.apiServer.version();
        execute("the API server stores the allocation of claim a", "pod p is bound to node-1");
        list(Kind.POD, version + 100, new ObjectAtVersion(unbound, version));
        list(Kind.RESOURCE_CLAIM, version + 100, new ObjectAtVersion(pending, 1));
        assertThat(stage.decidedAllocation("a"))
                .as("the pod may run for a while")
                .isEmpty();
        execute("10 seconds pass");
        assertThat(stage.decidedAllocation("a")).isPresent();
    }
}
