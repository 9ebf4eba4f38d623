package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The three writes of a deallocation, with conflicts, rejections, faults and crashes between them. */
final class ClaimDeallocatorTest {
    private static final Allocation ALLOCATION = DecisionSamples.gpu("gpu-0");
    private static final ClaimConsumer GROUP = ClaimConsumer.podGroup("train", "uid-train");

    enum WriteStep {
        MARK,
        TOUCH,
        CLEAR
    }

    /** One claim and its pods. Each write has its queued result, or succeeds if none is queued. */
    private static final class StubClaimServer implements ClaimStatusClient, PodGates {
        private Optional<VersionedObject> claim;
        private final Map<String, GatedPod> pods = new TreeMap<>();
        private final Map<WriteStep, Deque<WriteResult>> queuedResults = new HashMap<>();
        private final List<String> writes = new ArrayList<>();
        private boolean isUnavailable;

        StubClaimServer(ClaimConsumer... consumers) {
            claim = Optional.of(DecisionSamples.claim("u", Optional.of(ALLOCATION), consumers));
        }

        private Optional<WriteResult> nextResult(WriteStep step) {
            return Optional.ofNullable(
                    queuedResults.getOrDefault(step, new ArrayDeque<>()).poll());
        }

        void queueResults(WriteStep step, WriteResult... next) {
            queuedResults.put(step, new ArrayDeque<>(List.of(next)));
        }

        void pod(String name, String uid, boolean gated, Optional<String> node, Optional<String> group) {
            pod(name, uid, gated, node, group, new PodClaim.ClaimSource.ClaimReference("a"));
        }

        void pod(
                String name,
                String uid,
                boolean gated,
                Optional<String> node,
                Optional<String> group,
                PodClaim.ClaimSource source) {
            pods.put(
                    name,
                    new GatedPod(
                            Pod.builder(ObjectMeta.of("team", name, uid))
                                    .nodeName(node)
                                    .resourceClaims(List.of(new PodClaim("c", source)))
                                    .podGroup(group)
                                    .schedulingGates(gated ? List.of(GATE) : List.of())
                                    .build(),
                            3,
                            gated));
        }

        private void replaceClaim(
                Optional<Allocation> allocation, List<ClaimConsumer> consumers, Map<String, String> annotations) {
            VersionedObject now = claim.orElseThrow();
            var meta = ObjectMeta.builder("team", "a", "u")
                    .annotations(new TreeMap<>(annotations))
                    .build();
            var spec = new ClaimSpec(List.of(), List.of(), List.of());
            claim = Optional.of(
                    new VersionedObject(new ResourceClaim(meta, spec, allocation, consumers), now.version() + 1));
        }

        private ResourceClaim currentClaim() {
            return (ResourceClaim) claim.orElseThrow().object();
        }

        @Override
        public Optional<VersionedObject> readClass(String name) {
            return Optional.empty();
        }

        @Override
        public Optional<VersionedObject> read(ObjectKey key) {
            if (isUnavailable) {
                throw new ClusterFault("no answer", Duration.ZERO);
            }
            return claim;
        }

        @Override
        public WriteResult setDeallocationMark(VersionedObject read, Optional<String> text) {
            writes.add("mark %s at %d".formatted(text.orElse("none"), read.version()));
            return nextResult(WriteStep.MARK).orElseGet(() -> {
                var annotations = new TreeMap<>(currentClaim().meta().annotations());
                annotations.remove(DEALLOCATION_ANNOTATION);
                text.ifPresent(each -> annotations.put(DEALLOCATION_ANNOTATION, each));
                replaceClaim(currentClaim().allocation(), currentClaim().reservedFor(), annotations);
                return new WriteResult.Success(claim.orElseThrow().version());
            });
        }

        @Override
        public WriteResult markDeallocation(GatedPod pod, String note) {
            writes.add("touch %s at %d: %s".formatted(pod.pod().meta().name(), pod.version(), note));
            return nextResult(WriteStep.TOUCH).orElseGet(() -> new WriteResult.Success(pod.version() + 1));
        }

        @Override
        public WriteResult write(StatusChange change) {
            writes.add("%s at %d".formatted(change.allocation().isEmpty() ? "clear" : "allocate", change.version()));
            return nextResult(WriteStep.CLEAR).orElseGet(() -> {
                replaceClaim(Optional.empty(), List.of(), currentClaim().meta().annotations());
                return new WriteResult.Success(claim.orElseThrow().version());
            });
        }

        @Override
        public Optional<GatedPod> readPod(ObjectKey pod) {
            return Optional.ofNullable(pods.get(pod.name()));
        }

        @Override
        public List<GatedPod> listGatedPods(String namespace) {
            return listPods(namespace).stream().filter(GatedPod::isGated).toList();
        }

        @Override
        public List<GatedPod> listPods(String namespace) {
            return List.copyOf(pods.values());
        }

        @Override
        public WriteResult removeGate(GatedPod pod, Optional<String> node) {
            writes.add("open %s at %d".formatted(pod.pod().meta().name(), pod.version()));
            return new WriteResult.Success(pod.version() + 1);
        }

        @Override
        public boolean isManaged(ResourceClaim claim) {
            return true;
        }
    }

    private static Decision deallocation(ClaimConsumer consumer, long version) {
        return new Decision(
                DecisionSamples.CLAIM,
                "u",
                5,
                ItemId.pod(new ObjectKey("team", "p")),
                new DecisionResult.Deallocation(ALLOCATION, consumer, version, "node-1 is cordoned"));
    }

    private static CommitResult commit(StubClaimServer server, Decision decision) {
        return new ClusterCommitter(server, server, "never").commit(decision);
    }

    private static CommitResult commit(StubClaimServer server) {
        return commit(server, deallocation(DecisionSamples.P, 7));
    }

    private static StubClaimServer serverWithGatedPod(ClaimConsumer... consumers) {
        var server = new StubClaimServer(consumers);
        server.pod("p", "uid-p", true, Optional.empty(), Optional.empty());
        return server;
    }

    @Test
    void marksClaimThenPodThenClears() {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        assertThat(commit(server)).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes).containsExactly("mark - u 5 at 7", "touch p at 3: u 5", "clear at 8");
        assertThat(commit(server)).as("once more").isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes).hasSize(3);
    }

    @Test
    void clearsClaimWithoutConsumers() {
        StubClaimServer server = serverWithGatedPod();
        assertThat(commit(server)).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes).endsWith("clear at 8");
    }

    @Test
    void resumesAfterCrashBetweenWrites() {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        server.queueResults(WriteStep.TOUCH, new WriteResult.Unknown("the connection broke"));
        assertThat(commit(server).status()).isEqualTo(CommitStatus.OVERLOADED);
        assertThat(commit(server)).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes).endsWith("mark - u 5 at 8", "touch p at 3: u 5", "clear at 9");
    }

    @Test
    void rejectsClaimUsedByOtherPods() {
        StubClaimServer reserved = serverWithGatedPod(DecisionSamples.P, DecisionSamples.Q);
        assertThat(commit(reserved)).isEqualTo(CommitResult.rejected("claim team/a is reserved for q", 7));
        StubClaimServer bound = serverWithGatedPod(DecisionSamples.P);
        bound.pod("other", "uid-o", false, Optional.of("node-1"), Optional.empty());
        assertThat(commit(bound)).isEqualTo(CommitResult.rejected("pod team/other is bound and uses it", 8));
        assertThat(bound.writes).containsExactly("mark - u 5 at 7");
        assertThat(reserved.writes).isEmpty();
    }

    @Test
    void rejectsWhenPodIsNotGated() {
        var open = new StubClaimServer(DecisionSamples.P);
        open.pod("p", "uid-p", false, Optional.empty(), Optional.empty());
        assertThat(commit(open)).isEqualTo(CommitResult.rejected("pod team/p has no scheduling gate any more", 8));
        var replaced = new StubClaimServer(DecisionSamples.P);
        replaced.pod("p", "uid-later", true, Optional.empty(), Optional.empty());
        assertThat(commit(replaced)).isEqualTo(CommitResult.rejected("pod team/p was deleted", 8));
        assertThat(open.writes).noneMatch(each -> each.startsWith("clear"));
    }

    @Test
    void rejectsClaimChangedSinceDecision() {
        StubClaimServer later = serverWithGatedPod(DecisionSamples.P);
        assertThat(commit(later, deallocation(DecisionSamples.P, 6)))
                .isEqualTo(CommitResult.rejected("claim team/a has changed since the decision", 6));
        StubClaimServer otherwise = serverWithGatedPod(DecisionSamples.P);
        otherwise.replaceClaim(Optional.of(DecisionSamples.gpu("gpu-1")), List.of(DecisionSamples.P), Map.of());
        assertThat(commit(otherwise, deallocation(DecisionSamples.P, 8)))
                .isEqualTo(CommitResult.rejected("claim team/a has another allocation", 8));
        StubClaimServer gone = serverWithGatedPod(DecisionSamples.P);
        gone.claim = Optional.empty();
        assertThat(commit(gone).status()).isEqualTo(CommitStatus.DELETED);
    }

    @Test
    void marksEveryPodOfGroup() {
        var server = new StubClaimServer(GROUP);
        server.pod("a", "uid-a", true, Optional.empty(), Optional.of("train"));
        server.pod("b", "uid-b", true, Optional.empty(), Optional.of("train"));
        server.pod("c", "uid-c", true, Optional.empty(), Optional.of("other"));
        assertThat(commit(server, deallocation(GROUP, 7))).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes)
                .containsExactly("mark - u 5 at 7", "touch a at 3: u 5", "touch b at 3: u 5", "clear at 8");
        var started = new StubClaimServer(GROUP);
        started.pod("a", "uid-a", true, Optional.empty(), Optional.of("train"));
        started.pod("b", "uid-b", false, Optional.empty(), Optional.of("train"));
        assertThat(commit(started, deallocation(GROUP, 7)).status()).isEqualTo(CommitStatus.REJECTED);
    }

    /** HTTP 409. */
    @ParameterizedTest
    @EnumSource
    void rereadsAfterConflict(WriteStep step) {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        server.queueResults(step, new WriteResult.Conflict());
        assertThat(commit(server)).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.currentClaim().allocation()).isEmpty();
    }

    /** HTTP 422. */
    @ParameterizedTest
    @EnumSource
    void rejectsWhenApiServerRejects(WriteStep step) {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        server.queueResults(step, new WriteResult.Rejected("status: Invalid value"));
        assertThat(commit(server))
                .isEqualTo(CommitResult.rejected("status: Invalid value", step == WriteStep.MARK ? 7 : 8));
        assertThat(server.currentClaim().allocation()).isPresent();
    }

    /** HTTP 404: the claim or the pod is deleted; the next read shows which. */
    @ParameterizedTest
    @EnumSource
    void rereadsAfterNotFound(WriteStep step) {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        server.queueResults(step, new WriteResult.NotFound());
        assertThat(commit(server)).isEqualTo(CommitResult.COMMITTED);
    }

    /** HTTP 403. */
    @ParameterizedTest
    @EnumSource
    void retriesAfterForbidden(WriteStep step) {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        server.queueResults(step, new WriteResult.Forbidden("forbidden", "give this user the rights"));
        assertThat(commit(server)).isEqualTo(CommitResult.failed("forbidden: give this user the rights"));
        assertThat(commit(server)).isEqualTo(CommitResult.COMMITTED);
    }

    /** HTTP 429 and a timeout. */
    @ParameterizedTest
    @EnumSource
    void retriesAfterTooManyRequestsAndTimeout(WriteStep step) {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        server.queueResults(
                step,
                new WriteResult.TooManyRequests("busy", Duration.ofSeconds(3)),
                new WriteResult.Unknown("no answer"));
        assertThat(commit(server)).isEqualTo(CommitResult.overloaded("busy", Duration.ofSeconds(3)));
        assertThat(commit(server).status()).isEqualTo(CommitStatus.OVERLOADED);
        assertThat(commit(server)).isEqualTo(CommitResult.COMMITTED);
    }

    @Test
    void retriesAfterReadFault() {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        server.isUnavailable = true;
        assertThat(commit(server).status()).isEqualTo(CommitStatus.OVERLOADED);
        server.isUnavailable = false;
        assertThat(commit(server)).isEqualTo(CommitResult.COMMITTED);
    }

    @Test
    void earlierDecisionRemovesNoGateOfMarkedClaim() {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        server.queueResults(WriteStep.CLEAR, new WriteResult.Unknown("no answer"));
        commit(server);
        server.pods.put("p", markedPod(server));
        Decision earlier = allocationDecision(4, server);
        assertThat(commit(server, earlier)).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes).noneMatch(each -> each.startsWith("open"));
        assertThat(commit(server, allocationDecision(6, server))).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes).endsWith("mark none at 8", "open p at 4");
    }

    /** Numbers of another log are not comparable, and a manifest of another claim can contain a copied annotation. */
    @ParameterizedTest
    @ValueSource(strings = {"other u 5000", "- copied 5000", "5000", "- u x", ""})
    void removesMarksOfOtherLogsAndClaims(String mark) {
        StubClaimServer server = serverWithGatedPod(DecisionSamples.P);
        server.replaceClaim(
                Optional.of(ALLOCATION),
                List.of(DecisionSamples.P),
                Map.of(ClaimStatusClient.DEALLOCATION_ANNOTATION, mark));
        server.pods.put("p", markedPod(server));
        assertThat(commit(server, allocationDecision(6, server))).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes).containsExactly("mark none at 8", "open p at 4");
    }

    /** The pod did not exist when the pods of the group were marked. */
    @Test
    void earlierDecisionRemovesNoGateOfLateGroupPod() {
        var server = new StubClaimServer(GROUP);
        server.pod("late", "uid-late", true, Optional.empty(), Optional.of("train"));
        server.replaceClaim(
                Optional.of(ALLOCATION),
                List.of(GROUP),
                Map.of(ClaimStatusClient.DEALLOCATION_ANNOTATION, new DeallocationMark("-", "u", 5).text()));
        assertThat(commit(server, allocationDecision(4, server, GROUP))).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes).isEmpty();
        assertThat(commit(server, allocationDecision(6, server, GROUP))).isEqualTo(CommitResult.COMMITTED);
        assertThat(server.writes).containsExactly("mark none at 8", "open late at 3");
    }

    /**
     * The status of the pod does not name the claim yet. Once it does, kube-scheduler may bind the pod by the group's
     * reservation.
     */
    @Test
    void rejectsWhenUngatedGroupPodHasNoStatus() {
        var server = new StubClaimServer(GROUP);
        server.pod("a", "uid-a", true, Optional.empty(), Optional.of("train"));
        server.pod(
                "b",
                "uid-b",
                false,
                Optional.empty(),
                Optional.of("train"),
                new PodClaim.ClaimSource.TemplateReference("t"));
        assertThat(commit(server, deallocation(GROUP, 7)))
                .isEqualTo(CommitResult.rejected("pod team/b has no scheduling gate any more", 8));
    }

    private static Decision allocationDecision(long number, StubClaimServer server) {
        return allocationDecision(number, server, DecisionSamples.P);
    }

    private static Decision allocationDecision(long number, StubClaimServer server, ClaimConsumer consumer) {
        return new Decision(
                DecisionSamples.CLAIM,
                "u",
                number,
                ItemId.pod(new ObjectKey("team", consumer.equals(DecisionSamples.P) ? "p" : "late")),
                new DecisionResult.Allocated(
                        "node-1",
                        ALLOCATION,
                        List.of(consumer),
                        server.claim.orElseThrow().version()));
    }

    private static PodGates.GatedPod markedPod(StubClaimServer server) {
        Pod pod = Optional.ofNullable(server.pods.get("p")).orElseThrow().pod();
        var meta = ObjectMeta.builder("team", "p", "uid-p")
                .annotations(new TreeMap<>(Map.of(ClaimStatusClient.DEALLOCATION_ANNOTATION, "u 5")))
                .build();
        return new PodGates.GatedPod(pod.toBuilder().meta(meta).phase("").build(), 4, true);
    }
}
