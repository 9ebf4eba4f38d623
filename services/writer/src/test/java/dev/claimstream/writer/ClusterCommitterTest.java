package dev.claimstream.writer;

import static dev.claimstream.writer.DecisionSamples.P;
import static dev.claimstream.writer.DecisionSamples.Q;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ConfigReference;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.kubernetes.status.Difference;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Commits of decisions on one claim and its gated pods, with each result of a write. */
final class ClusterCommitterTest {
    /** One claim and its pods, with queued results of the next writes. */
    private static final class StubClaimClient implements ClaimStatusClient, PodGates {
        private final Deque<WriteResult> nextResults = new ArrayDeque<>();
        private VersionedObject claim = DecisionSamples.claim("u", Optional.empty());
        private final Map<String, VersionedObject> otherClaims = new HashMap<>();
        private int writeCount;
        private Optional<ClusterFault> readFault = Optional.empty();
        private boolean isUnmanaged;
        private int listCount;

        @Override
        public boolean isManaged(ResourceClaim claim) {
            return !isUnmanaged;
        }

        private final Map<String, GatedPod> pods = new HashMap<>();
        private final List<String> ungatedPods = new ArrayList<>();
        private final Deque<WriteResult> nextGateResults = new ArrayDeque<>();

        @Override
        public Optional<GatedPod> readPod(ObjectKey pod) {
            return Optional.ofNullable(pods.get(pod.name()));
        }

        @Override
        public List<GatedPod> listGatedPods(String namespace) {
            listCount++;
            return pods.values().stream()
                    .filter(GatedPod::isGated)
                    .sorted(Comparator.comparing(each -> each.pod().meta().name()))
                    .toList();
        }

        @Override
        public List<GatedPod> listPods(String namespace) {
            return List.copyOf(pods.values());
        }

        @Override
        public WriteResult markDeallocation(GatedPod pod, String note) {
            throw new IllegalStateException("nothing is deallocated here");
        }

        @Override
        public WriteResult removeGate(GatedPod pod, Optional<String> node) {
            WriteResult result = nextGateResults.isEmpty() ? new WriteResult.Success(1) : nextGateResults.remove();
            if (result instanceof WriteResult.Success || result instanceof WriteResult.Unknown) {
                pods.put(pod.pod().meta().name(), new GatedPod(pod.pod(), 1, false));
                ungatedPods.add(pod.pod().meta().name()
                        + node.map(each -> " at " + each).orElse(""));
            }
            return result;
        }

        private void addGatedPod(String name, String uid, PodClaim.ClaimSource... claims) {
            addGatedPod(name, uid, Optional.empty(), claims);
        }

        private void addGatedPod(String name, String uid, Optional<String> group, PodClaim.ClaimSource... claims) {
            List<PodClaim> all = Arrays.stream(claims)
                    .map(source -> new PodClaim("c", source))
                    .toList();
            Pod pod = Pod.builder(ObjectMeta.of("team", name, uid))
                    .resourceClaims(all)
                    .podGroup(group)
                    .schedulingGates(List.of(PodGates.GATE))
                    .build();
            pods.put(name, new GatedPod(pod, 1, true));
        }

        @Override
        public Optional<VersionedObject> readClass(String name) {
            return Optional.empty();
        }

        @Override
        public Optional<VersionedObject> read(ObjectKey key) {
            readFault.ifPresent(fault -> {
                throw fault;
            });
            return key.equals(DecisionSamples.CLAIM)
                    ? Optional.of(claim)
                    : Optional.ofNullable(otherClaims.get(key.name()));
        }

        @Override
        public WriteResult write(StatusChange change) {
            writeCount++;
            WriteResult written = change.version() < claim.version()
                    ? new WriteResult.Conflict()
                    : new WriteResult.Success(claim.version() + 1);
            WriteResult result = nextResults.isEmpty() ? written : nextResults.remove();
            if (result instanceof WriteResult.Success || result instanceof WriteResult.Unknown) {
                ResourceClaim now = (ResourceClaim) claim.object();
                claim = new VersionedObject(
                        new ResourceClaim(now.meta(), now.spec(), change.allocation(), change.reservedFor()),
                        claim.version() + 1);
            }
            return result;
        }
    }

    private final StubClaimClient status = new StubClaimClient();
    private final ClusterCommitter commits = new ClusterCommitter(status, status, "auto");

    @Test
    void revocationSupersedesEarlierDecision() {
        assertThat(commits.commit(DecisionSamples.revokedDecision(1, "u", 7)).status())
                .isEqualTo(CommitStatus.REJECTED);
        assertThat(status.writeCount).isEqualTo(1);
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(1, 7)).status())
                .isEqualTo(CommitStatus.SUPERSEDED);
        assertThat(commits.commit(DecisionSamples.revokedDecision(1, "u", 7)).status())
                .isEqualTo(CommitStatus.REJECTED);
        assertThat(status.writeCount).as("its version is over").isEqualTo(1);
    }

    @Test
    void reportsCommittedWhenOtherWriterPrecedesRevocation() {
        var late = ClaimStatusClient.StatusChange.allocate(
                DecisionSamples.CLAIM, "u", 7, DecisionSamples.gpu("gpu-0"), List.of(P));
        assertThat(status.write(late)).isEqualTo(new ClaimStatusClient.WriteResult.Success(8));
        assertThat(commits.commit(DecisionSamples.revokedDecision(1, "u", 7))).isEqualTo(CommitResult.COMMITTED);
    }

    @Test
    void revocationMakesLateWriteOfOtherWriterConflict() {
        var late = ClaimStatusClient.StatusChange.allocate(
                DecisionSamples.CLAIM, "u", 7, DecisionSamples.gpu("gpu-0"), List.of(P));
        assertThat(commits.commit(DecisionSamples.revokedDecision(1, "u", 7)).status())
                .isEqualTo(CommitStatus.REJECTED);
        assertThat(status.write(late)).isEqualTo(new ClaimStatusClient.WriteResult.Conflict());
    }

    @Test
    void writesRepeatedDecisionOnce() {
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.writeCount).isEqualTo(1);
        assertThat(commits.commit(DecisionSamples.allocatedDecision(2, "u", P, Q)))
                .isEqualTo(CommitResult.COMMITTED);
        assertThat(((ResourceClaim) status.claim.object()).reservedFor()).containsExactly(P, Q);
    }

    @Test
    void rereadsClaimAfterConflict() {
        status.nextResults.add(new ClaimStatusClient.WriteResult.Conflict());
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.writeCount).isEqualTo(2);
    }

    @Test
    void rereadsClaimAfterUnknownResult() {
        status.nextResults.add(new ClaimStatusClient.WriteResult.Unknown("silence"));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P)).status())
                .isEqualTo(CommitStatus.OVERLOADED);
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.writeCount).isEqualTo(1);
    }

    @Test
    void returnsOverloadedWhenReadFails() {
        status.readFault = Optional.of(new ClusterFault("silence"));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P)))
                .isEqualTo(CommitResult.overloaded("silence", Duration.ZERO));
        assertThat(commits.commit(DecisionSamples.releasedDecision(1, "u"))).isEqualTo(CommitResult.COMMITTED);
    }

    @Test
    void returnsRetryAfterOfThrottledRead() {
        Duration named = Duration.ofSeconds(3);
        status.readFault = Optional.of(new ClusterFault("too many", named));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P)))
                .isEqualTo(CommitResult.overloaded("too many", named));
    }

    /** After a rejection another writer may hold the same decision and send it once the cause is gone. */
    @Test
    void rejectionMakesLateWriteOfOtherWriterConflict() {
        var late = ClaimStatusClient.StatusChange.allocate(
                DecisionSamples.CLAIM, "u", 7, DecisionSamples.gpu("gpu-0"), List.of(P));
        status.nextResults.add(new ClaimStatusClient.WriteResult.Rejected("it is not valid"));
        CommitResult outcome = commits.commit(DecisionSamples.allocatedAtVersion(1, 7));
        assertThat(outcome).isEqualTo(CommitResult.rejected("it is not valid", status.claim.version()));
        assertThat(status.write(late)).isEqualTo(new ClaimStatusClient.WriteResult.Conflict());
    }

    /** The cell may read the new version before the rejection, and allocate again. */
    @Test
    void rejectsRejectedVersionWithoutWriteAndCommitsChangedClaim() {
        status.nextResults.add(new ClaimStatusClient.WriteResult.Rejected("it is not valid"));
        CommitResult outcome = commits.commit(DecisionSamples.allocatedAtVersion(1, 7));
        int writes = status.writeCount;
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(2, outcome.claimVersion())))
                .isEqualTo(outcome);
        assertThat(status.writeCount).isEqualTo(writes);
        changeClaim();
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(3, status.claim.version())))
                .isEqualTo(CommitResult.COMMITTED);
    }

    /** The claim may have the new version already, and a change since then may have removed the cause. */
    @Test
    void supersedesDecisionWhenVersionAdvanceIsUnknown() {
        status.nextResults.add(new ClaimStatusClient.WriteResult.Rejected("it is not valid"));
        status.nextResults.add(new ClaimStatusClient.WriteResult.Unknown("silence"));
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(1, 7)).status())
                .isEqualTo(CommitStatus.OVERLOADED);
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(1, 7)).status())
                .isEqualTo(CommitStatus.SUPERSEDED);
        status.nextResults.add(new ClaimStatusClient.WriteResult.Rejected("it is not valid"));
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(2, 8)))
                .isEqualTo(CommitResult.rejected("it is not valid", 9));
    }

    @Test
    void clearsAndRejectsAllocationWithDroppedFields() {
        status.nextResults.add(new ClaimStatusClient.WriteResult.SuccessWithDifferences(
                8,
                List.of(new Difference(
                        "allocation.devices.results[0].consumedCapacity", Optional.of("{}"), Optional.empty()))));
        CommitResult outcome = commits.commit(DecisionSamples.allocatedDecision(1, "u", P));
        assertThat(outcome.status()).isEqualTo(CommitStatus.REJECTED);
        assertThat(outcome.message()).contains("consumedCapacity", "DRAConsumableCapacity");
        assertThat(outcome.claimVersion()).isEqualTo(status.claim.version());
        assertThat(((ResourceClaim) status.claim.object()).allocation()).isEmpty();
    }

    @Test
    void supersedesDecisionForChangedClassAndAdvancesVersion() {
        CommitResult outcome = commits.commit(DecisionSamples.withConfig(new OpaqueConfig(
                "gpu.example.com",
                new ConfigReference.ClassConfigEntry("gpu.example.com", 3, 0)
                        .replaceParameters(new OpaqueConfig("gpu.example.com", "{}"))
                        .parameters())));
        assertThat(outcome.status()).isEqualTo(CommitStatus.SUPERSEDED);
        assertThat(outcome.message()).contains("DeviceClass gpu.example.com has changed since the decision");
        assertThat(status.claim.version())
                .as("the cell observes the version and decides again")
                .isEqualTo(8);
        assertThat(((ResourceClaim) status.claim.object()).allocation()).isEmpty();
    }

    private static final Difference CHANGED =
            new Difference("allocation.devices.results[0].device", Optional.of("gpu-0"), Optional.of("gpu-1"));

    private void changeClaim() {
        status.claim = new VersionedObject(status.claim.object(), status.claim.version() + 1);
    }

    /** The cell may see the cleared claim before the rejection, and decide again. */
    @Test
    void rejectsClearedVersionWithoutWriteAndCommitsChangedClaim() {
        status.nextResults.add(new ClaimStatusClient.WriteResult.SuccessWithDifferences(8, List.of(CHANGED)));
        CommitResult outcome = commits.commit(DecisionSamples.allocatedAtVersion(1, 7));
        assertThat(outcome.claimVersion()).isEqualTo(status.claim.version());
        int writes = status.writeCount;
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(2, outcome.claimVersion())))
                .isEqualTo(outcome);
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(3, outcome.claimVersion())))
                .isEqualTo(outcome);
        assertThat(status.writeCount).isEqualTo(writes);
        changeClaim();
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(4, status.claim.version())))
                .isEqualTo(CommitResult.COMMITTED);
    }

    @Test
    void clearsChangedAllocationAfterLostResponse() {
        status.nextResults.add(new ClaimStatusClient.WriteResult.Unknown("silence"));
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(1, 7)).status())
                .isEqualTo(CommitStatus.OVERLOADED);
        status.claim = DecisionSamples.allocatedBy(ClaimStatusClient.WRITER, DecisionSamples.gpu("gpu-1"))
                .orElseThrow();
        CommitResult outcome = commits.commit(DecisionSamples.allocatedAtVersion(1, 7));
        assertThat(outcome).isEqualTo(CommitResult.rejected(outcome.message(), status.claim.version()));
        assertThat(outcome.message()).contains("gpu-1");
        assertThat(((ResourceClaim) status.claim.object()).allocation()).isEmpty();
    }

    @Test
    void rejectsAfterUnknownClearOnceClaimIsFree() {
        status.nextResults.add(new ClaimStatusClient.WriteResult.SuccessWithDifferences(8, List.of(CHANGED)));
        status.nextResults.add(new ClaimStatusClient.WriteResult.Unknown("silence"));
        assertThat(commits.commit(DecisionSamples.allocatedAtVersion(1, 7)).status())
                .isEqualTo(CommitStatus.OVERLOADED);
        int writes = status.writeCount;
        CommitResult outcome = commits.commit(DecisionSamples.allocatedAtVersion(1, 7));
        assertThat(outcome.status()).isEqualTo(CommitStatus.REJECTED);
        assertThat(outcome.claimVersion()).isEqualTo(status.claim.version());
        assertThat(outcome.message()).contains("gpu-1");
        assertThat(status.writeCount).isEqualTo(writes);
    }

    /** Other consumers may use the devices already. */
    @Test
    void failsDroppedConsumerAndKeepsOtherConsumers() {
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        status.addGatedPod("q", "uid-q", new PodClaim.ClaimSource.ClaimReference("a"));
        status.nextResults.add(new ClaimStatusClient.WriteResult.SuccessWithDifferences(
                8, List.of(new Difference("reservedFor[uid=uid-q]", Optional.of("q"), Optional.empty()))));
        CommitResult outcome = commits.commit(DecisionSamples.allocatedDecision(2, "u", P, Q));
        assertThat(outcome.status()).isEqualTo(CommitStatus.FAILED);
        assertThat(outcome.message()).contains("reservedFor[uid=uid-q]");
        assertThat(((ResourceClaim) status.claim.object()).reservedFor()).containsExactly(P);
        assertThat(status.ungatedPods).isEmpty();
    }

    // ---- gates of pods

    @Test
    void removesGateOnceWhenClaimCommits() {
        status.addGatedPod("p", "uid-p", new PodClaim.ClaimSource.ClaimReference("a"));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p");
    }

    @Test
    void removesGateOnRetryAfterTooManyRequests() {
        status.addGatedPod("p", "uid-p", new PodClaim.ClaimSource.GeneratedClaim("t", "a"));
        status.nextGateResults.add(
                new ClaimStatusClient.WriteResult.TooManyRequests("too much", Duration.ofSeconds(1)));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P)))
                .isEqualTo(CommitResult.overloaded("too much", Duration.ofSeconds(1)));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p");
        assertThat(status.writeCount).isEqualTo(1);
    }

    @Test
    void rereadsPodAfterConflict() {
        status.addGatedPod("p", "uid-p", new PodClaim.ClaimSource.ClaimReference("a"));
        status.nextGateResults.add(new ClaimStatusClient.WriteResult.Conflict());
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p");
    }

    @Test
    void keepsGateOfPodWithMissingClaim() {
        status.addGatedPod(
                "p",
                "uid-p",
                new PodClaim.ClaimSource.ClaimReference("a"),
                new PodClaim.ClaimSource.ClaimReference("b"));
        status.addGatedPod(
                "q",
                "uid-q",
                new PodClaim.ClaimSource.ClaimReference("a"),
                new PodClaim.ClaimSource.TemplateReference("t"));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P, Q)))
                .isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).isEmpty();
    }

    @Test
    void keepsGateOfPodWithOtherUid() {
        status.addGatedPod("p", "uid-of-another", new PodClaim.ClaimSource.ClaimReference("a"));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).isEmpty();
    }

    @Test
    void removesGateOfLaterPodOfSharedClaim() {
        status.addGatedPod("p", "uid-p", new PodClaim.ClaimSource.ClaimReference("a"));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        status.addGatedPod("q", "uid-q", new PodClaim.ClaimSource.ClaimReference("a"));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(2, "u", P, Q)))
                .isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p", "q");
    }

    /** No cell was asked to decide again, so the cause is not hidden by a pause for the watch. */
    @Test
    void namesCauseUntilRedecisionIsRequested() {
        Decision stale = DecisionSamples.withConfig(new ConfigReference.ClassConfigEntry("gpu", 12, 0)
                .replaceParameters(new OpaqueConfig("gpu.example.com", "{}")));
        for (int i = 0; i < 2; i++) {
            status.nextResults.add(
                    new ClaimStatusClient.WriteResult.Forbidden("claims may not be patched", "allow it"));
            assertThat(commits.commit(stale)).isEqualTo(CommitResult.failed("claims may not be patched: allow it"));
        }
        assertThat(commits.commit(stale).status()).isEqualTo(CommitStatus.SUPERSEDED);
    }

    @Test
    void failsWithMessageWhenGateRemovalIsForbidden() {
        status.addGatedPod("p", "uid-p", new PodClaim.ClaimSource.ClaimReference("a"));
        status.nextGateResults.add(new ClaimStatusClient.WriteResult.Forbidden("pods may not be patched", "allow it"));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P)))
                .isEqualTo(CommitResult.failed("pods may not be patched: allow it"));
    }

    // ---- groups of pods

    private static final Optional<String> IN_GROUP = Optional.of("g");
    private static final ClaimConsumer GROUP = ClaimConsumer.podGroup("g", "uid-g");
    private static final PodClaim.ClaimSource SHARED = new PodClaim.ClaimSource.ClaimReference("a");

    private static Decision groupDecision(long number, String pod) {
        var verdict = new Decision.DecisionResult.Allocated("node-1", DecisionSamples.gpu("gpu-0"), List.of(GROUP));
        return new Decision(DecisionSamples.CLAIM, "u", number, ItemId.pod(new ObjectKey("team", pod)), verdict);
    }

    @Test
    void removesGatesOfGroupPodsWhenClaimCommits() {
        status.addGatedPod("p", "uid-p", IN_GROUP, SHARED);
        status.addGatedPod("q", "uid-q", IN_GROUP, SHARED);
        status.addGatedPod("stranger", "uid-s", SHARED);
        status.addGatedPod("other", "uid-o", IN_GROUP, new PodClaim.ClaimSource.ClaimReference("x"));
        assertThat(commits.commit(groupDecision(1, "p"))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p", "q");
    }

    @Test
    void removesGateOfLaterGroupPodWithoutRelist() {
        status.addGatedPod("p", "uid-p", IN_GROUP, SHARED);
        assertThat(commits.commit(groupDecision(1, "p"))).isEqualTo(CommitResult.COMMITTED);
        status.addGatedPod("q", "uid-q", IN_GROUP, SHARED);
        assertThat(commits.commit(groupDecision(2, "q"))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p", "q");
        assertThat(status.writeCount).isEqualTo(1);
        assertThat(status.listCount).as("lists of all pods").isEqualTo(1);
    }

    @Test
    void removesGatesLeftByOtherProcess() {
        assertThat(commits.commit(groupDecision(1, "p"))).isEqualTo(CommitResult.COMMITTED);
        status.addGatedPod("p", "uid-p", IN_GROUP, SHARED);
        status.addGatedPod("q", "uid-q", IN_GROUP, SHARED);
        var another = new ClusterCommitter(status, status, "auto");
        assertThat(another.commit(groupDecision(3, "q"))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p", "q");
    }

    @Test
    void removesGateWhenLastClaimOfGroupPodCommits() {
        var own = new PodClaim.ClaimSource.ClaimReference("own");
        status.addGatedPod("p", "uid-p", IN_GROUP, SHARED, own);
        assertThat(commits.commit(groupDecision(1, "p"))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).isEmpty();

        var shared = DecisionSamples.claim("u", Optional.of(DecisionSamples.gpu("gpu-0")), GROUP);
        status.otherClaims.put("group", shared);
        status.addGatedPod("p", "uid-p", IN_GROUP, SHARED, new PodClaim.ClaimSource.ClaimReference("group"));
        status.claim = DecisionSamples.claim("u", Optional.empty());
        assertThat(commits.commit(DecisionSamples.allocatedDecision(2, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p");
    }

    // ---- unmanaged claims

    @Test
    void removesGateOfPodWithUnmanagedClaims() {
        status.otherClaims.put("unmanaged", DecisionSamples.claim("t", Optional.empty()));
        status.addGatedPod("p", "uid-p", SHARED, new PodClaim.ClaimSource.ClaimReference("unmanaged"));
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods)
                .as("the other claim is managed and pending")
                .isEmpty();
        status.isUnmanaged = true;
        assertThat(commits.commit(DecisionSamples.allocatedDecision(1, "u", P))).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p");
    }

    @Test
    void removesGateOfPodWithOnlyUnmanagedClaims() {
        status.addGatedPod("p", "uid-p", new PodClaim.ClaimSource.ClaimReference("a"));
        var pod = ItemId.pod(new ObjectKey("team", "p"));
        var verdict = new Decision.DecisionResult.Pending(Reason.Unmanaged, "class x is unmanaged");
        var pending = new Decision(DecisionSamples.CLAIM, "u", 1, pod, verdict);
        assertThat(commits.commit(pending)).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).isEmpty();
        status.isUnmanaged = true;
        assertThat(commits.commit(pending)).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p");
    }

    @Test
    void rereadsPodWithUnmanagedClaimsAfterConflict() {
        status.isUnmanaged = true;
        status.addGatedPod("p", "uid-p", new PodClaim.ClaimSource.ClaimReference("a"));
        status.nextGateResults.add(new ClaimStatusClient.WriteResult.Conflict());
        var pending = new Decision(
                DecisionSamples.CLAIM,
                "u",
                1,
                ItemId.pod(new ObjectKey("team", "p")),
                new Decision.DecisionResult.Pending(Reason.Unmanaged, "class x is unmanaged"));
        assertThat(commits.commit(pending)).isEqualTo(CommitResult.COMMITTED);
        assertThat(status.ungatedPods).containsExactly("p");
    }
}
