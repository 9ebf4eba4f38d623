package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.Explanation.ExplanationDetail;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.VersionedObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

final class GateTimeoutTest {
    private static final Instant START = Instant.parse("2026-01-02T03:04:05Z");
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Instant DUE = START.plus(TIMEOUT);
    private static final ObjectKey POD = new ObjectKey("team", "a");

    private final StubCluster cluster = new StubCluster();
    private final GateTimeout timeout = new GateTimeout(cluster, cluster, TIMEOUT);

    /** One pod with one claim. */
    private static final class StubCluster implements ClaimStatusClient, PodGates {
        private final List<String> ungated = new ArrayList<>();
        private final Map<String, VersionedObject> claims = new HashMap<>();
        private Optional<GatedPod> pod = Optional.empty();
        private WriteResult result = new WriteResult.Success(2);
        private boolean isDown;

        @Override
        public Optional<VersionedObject> readClass(String name) {
            return Optional.empty();
        }

        @Override
        public Optional<VersionedObject> read(ObjectKey claim) {
            return Optional.ofNullable(claims.get(claim.name()));
        }

        @Override
        public WriteResult write(StatusChange change) {
            throw new IllegalStateException("no claim is written here");
        }

        @Override
        public Optional<GatedPod> readPod(ObjectKey key) {
            if (isDown) {
                throw new ClusterFault("down");
            }
            return pod.filter(each -> each.pod().key().equals(key));
        }

        @Override
        public List<GatedPod> listGatedPods(String namespace) {
            return List.of();
        }

        @Override
        public List<GatedPod> listPods(String namespace) {
            return List.of();
        }

        @Override
        public WriteResult markDeallocation(GatedPod marked, String note) {
            throw new IllegalStateException("nothing is deallocated here");
        }

        @Override
        public WriteResult removeGate(GatedPod gated, Optional<String> node) {
            assertThat(node).isEmpty();
            if (result instanceof WriteResult.Success) {
                ungated.add(gated.pod().meta().name());
                pod = Optional.of(new GatedPod(gated.pod(), 2, false));
            }
            return result;
        }

        @Override
        public boolean isManaged(ResourceClaim claim) {
            return true;
        }
    }

    @BeforeEach
    void createPod() {
        var claim = new PodClaim("gpu", new PodClaim.ClaimSource.ClaimReference("c"));
        cluster.pod = Optional.of(new PodGates.GatedPod(
                Pod.builder(ObjectMeta.of("team", "a", "u-a"))
                        .resourceClaims(List.of(claim))
                        .schedulingGates(List.of(PodGates.GATE))
                        .build(),
                1,
                true));
        cluster.claims.put("c", DecisionSamples.claim("u", Optional.empty()));
        timeout.beginRestore();
        timeout.completeRestore();
    }

    private void explain(Reason reason, Instant since) {
        explain(ItemId.pod(POD), reason, since);
    }

    private void explain(ItemId item, Reason reason, Instant since) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(reason, "text", Optional.empty());
        timeout.onExplanation(
                "id", since, new Explanation(item, List.of(), 1, new ExplanationDetail.Pending(diagnosis, List.of())));
    }

    @Test
    void gateIsRemovedAfterTheTimeoutOnce() {
        explain(Reason.DevicesInUse, START);
        timeout.removeDueGates(DUE.minusMillis(1));
        assertThat(cluster.ungated).isEmpty();
        timeout.removeDueGates(DUE);
        timeout.removeDueGates(DUE.plusSeconds(1));
        assertThat(cluster.ungated).containsExactly("a");
    }

    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {
                "SelectorError",
                "ClaimMissing",
                "SourcesNotSynced",
                "SearchBudgetExhausted",
                "GangIncomplete",
                "Reallocating"
            })
    void gateStaysIfANodeCannotHelp(Reason reason) {
        explain(reason, START);
        timeout.removeDueGates(DUE.plusSeconds(100));
        assertThat(cluster.ungated).isEmpty();
    }

    @Test
    void timeRestartsOnlyAfterReasonThatANodeCannotHelp() {
        explain(Reason.DevicesInUse, START);
        explain(Reason.NodeFull, START.plusSeconds(20));
        explain(Reason.SourcesNotSynced, START.plusSeconds(25));
        explain(Reason.DevicesInUse, START.plusSeconds(26));
        timeout.removeDueGates(DUE);
        assertThat(cluster.ungated).isEmpty();
        explain(Reason.NodeFull, START.plusSeconds(40));
        timeout.removeDueGates(START.plusSeconds(56));
        assertThat(cluster.ungated).containsExactly("a");
    }

    @Test
    void podWithAllocatedClaimStaysGatedUntilTheClaimIsDeallocated() {
        cluster.claims.put("c", DecisionSamples.claim("u", Optional.of(DecisionSamples.gpu("gpu-0"))));
        explain(Reason.DevicesInUse, START);
        timeout.removeDueGates(DUE);
        assertThat(cluster.ungated).isEmpty();
        cluster.claims.put("c", DecisionSamples.claim("u", Optional.empty()));
        timeout.removeDueGates(DUE.plusMillis(9_999));
        assertThat(cluster.ungated).isEmpty();
        timeout.removeDueGates(DUE.plusSeconds(10));
        assertThat(cluster.ungated).containsExactly("a");
    }

    @Test
    void conflictAndFaultAreRetried() {
        explain(Reason.DevicesInUse, START);
        cluster.result = new ClaimStatusClient.WriteResult.Conflict();
        timeout.removeDueGates(DUE);
        cluster.isDown = true;
        timeout.removeDueGates(DUE.plusSeconds(10));
        cluster.isDown = false;
        cluster.result = new ClaimStatusClient.WriteResult.Success(2);
        timeout.removeDueGates(DUE.plusSeconds(20));
        assertThat(cluster.ungated).containsExactly("a");
    }

    @Test
    void rejectionIsLoggedOncePerReason() {
        var lines = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger(GateTimeout.class);
        lines.start();
        logger.addAppender(lines);
        try {
            explain(Reason.DevicesInUse, START);
            cluster.result = new ClaimStatusClient.WriteResult.Forbidden("user w cannot patch pods", "allow it");
            timeout.removeDueGates(DUE);
            timeout.removeDueGates(DUE.plusSeconds(10));
            cluster.result = new ClaimStatusClient.WriteResult.Rejected("policy p denies it");
            timeout.removeDueGates(DUE.plusSeconds(20));
            cluster.result = new ClaimStatusClient.WriteResult.Conflict();
            timeout.removeDueGates(DUE.plusSeconds(30));
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .extracting(line -> line.getLevel() + " "
                        + line.getKeyValuePairs().stream()
                                .map(pair -> pair.key + "=" + pair.value)
                                .toList())
                .containsExactly(
                        "WARN [pod=team/a, why=user w cannot patch pods: allow it]",
                        "WARN [pod=team/a, why=policy p denies it]");
    }

    @Test
    void deletedPodIsForgottenAndAClaimOfTheSameNameIsNot() {
        explain(Reason.DevicesInUse, START);
        timeout.onItemDeleted(ItemId.claim(POD));
        explain(ItemId.claim(POD), Reason.SelectorError, START);
        timeout.removeDueGates(DUE.minusMillis(1));
        timeout.onItemDeleted(ItemId.pod(POD));
        timeout.removeDueGates(DUE);
        assertThat(cluster.ungated).isEmpty();
        explain(Reason.DevicesInUse, START);
        timeout.onItemDeleted(ItemId.claim(POD));
        timeout.removeDueGates(DUE);
        assertThat(cluster.ungated).containsExactly("a");
    }

    @Test
    void nothingIsRemovedBeforeAllExplanationsAreRead() {
        timeout.beginRestore();
        explain(Reason.DevicesInUse, START);
        timeout.removeDueGates(DUE);
        assertThat(cluster.ungated).isEmpty();
        timeout.completeRestore();
        timeout.removeDueGates(DUE);
        assertThat(cluster.ungated).containsExactly("a");
    }
}
