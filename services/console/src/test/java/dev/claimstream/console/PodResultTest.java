package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests why a pod or one of its claims is pending. */
final class PodResultTest {
    private static final ItemId ITEM = ItemId.pod(new ObjectKey("default", "late"));
    private static final String WHY = "claim default/shared already has the maximum of 256 consumers";

    private final SmallCluster cluster = new SmallCluster();

    private PodResult explain(Explanation.ExplanationDetail because) {
        return explain(because, "");
    }

    private PodResult explain(Explanation.ExplanationDetail because, String more) {
        cluster.upsert("""
                apiVersion: v1
                kind: Pod
                metadata: {name: late, namespace: default, uid: uid-late}
                spec:
                  resourceClaims: [{name: gpu, resourceClaimName: shared}]
                  containers: [{name: main, image: none, resources: {claims: [{name: gpu}]}}]
                  %s
                """.formatted(more));
        cluster.commit("shared", "gpu-1");
        cluster.view.applyExplanation(new Explanation(ITEM, List.of(SmallCluster.key("shared")), 0, because));
        return cluster.view.read(moment -> new PodExplainer(
                        List.of(), moment.claims().map(ClaimView::result).toList())
                .explain(
                        (Pod) moment.find(Kind.POD, ITEM.key()).orElseThrow(),
                        Optional.empty(),
                        moment.explanation(ITEM)));
    }

    @Test
    void reportsReasonOfPendingPod() {
        PodResult result = explain(new Explanation.ExplanationDetail.Pending(
                new AllocationPlan.PendingDiagnosis(Reason.ConsumersExhausted, WHY, Optional.empty()), List.of()));
        assertThat(result.state()).isEqualTo(ClaimResult.ResultState.PENDING);
        assertThat(result.text()).startsWith("pod default/late: pending\n").endsWith("  because: " + WHY + "\n");
        assertThat(result.json())
                .contains("\"state\": \"pending\"", "\"reason\": \"ConsumersExhausted\"", "\"message\": \"" + WHY);
    }

    @Test
    void reportsReasonOfPendingClaimAndNextCommand() {
        cluster.upsert(SmallCluster.claim("shared"));
        cluster.setPending("shared");
        cluster.upsert("""
                apiVersion: v1
                kind: Pod
                metadata: {name: late, namespace: default, uid: uid-late}
                spec:
                  resourceClaims: [{name: gpu, resourceClaimName: shared}]
                  containers: [{name: main, image: none, resources: {claims: [{name: gpu}]}}]
                """);
        PodResult result = cluster.view.read(moment -> new PodExplainer(
                        List.of(), moment.claims().map(ClaimView::result).toList())
                .explain(
                        (Pod) moment.find(Kind.POD, ITEM.key()).orElseThrow(),
                        Optional.empty(),
                        moment.explanation(ITEM)));
        assertThat(result.text(" -f dir")).isEqualTo("""
                pod default/late: pending
                  claim default/shared: pending, DevicesInUse
                    because: 1 wanted, 0 free
                    more: claimstream explain claim default/shared -f dir
                """);
        assertThat(result.json()).contains("\"reason\": \"DevicesInUse\"", "\"message\": \"1 wanted, 0 free\"");
    }

    @Test
    void reportsNoReasonWhenAllocated() {
        var choice = new AllocationPlan.NodeChoice(
                PlacementPolicy.FIRST_FIT, 0, "all its claims are already allocated", Optional.empty(), "");
        PodResult result = explain(new Explanation.ExplanationDetail.Allocated("node-1", choice));
        assertThat(result.state()).isEqualTo(ClaimResult.ResultState.ALLOCATED);
        assertThat(result.text()).startsWith("pod default/late: allocated\n").doesNotContain("because");
        assertThat(result.json()).doesNotContain("reason");
    }

    /** The explanation names the filters of kube-scheduler that Claimstream does not evaluate. */
    @Test
    void reportsUncheckedVolumes() {
        var choice = new AllocationPlan.NodeChoice(
                PlacementPolicy.FIRST_FIT, 1, "the only node that fits", Optional.empty(), "");
        var allocated = new Explanation.ExplanationDetail.Allocated("node-1", choice);
        String line =
                "  not evaluated: the pod's volumes; kube-scheduler does, and may reject the node because of them\n";
        PodResult result = explain(allocated, "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]");
        assertThat(result.text()).endsWith(line);
        assertThat(result.json()).contains("\"notEvaluated\"", "\"volumes\"");

        cluster.joinPod("shared", "gpu-1", "late");
        ClaimResult claim = cluster.view.read(moment -> moment.claims()
                .map(ClaimView::result)
                .filter(each -> each.claim().key().equals(SmallCluster.key("shared")))
                .findFirst()
                .orElseThrow());
        assertThat(ExplanationText.of(claim)).contains(line);
        assertThat(ExplanationJson.of(claim)).contains("\"notEvaluated\"", "\"volumes\"");

        assertThat(explain(allocated, "volumes: [{name: scratch, emptyDir: {}}]")
                        .text())
                .doesNotContain("not evaluated");
    }

    @Test
    void reportsUncheckedPreferencesAndSchedulerName() {
        var choice = new AllocationPlan.NodeChoice(
                PlacementPolicy.FIRST_FIT, 1, "the only node that fits", Optional.empty(), "");
        PodResult result = explain(
                new Explanation.ExplanationDetail.Allocated("node-1", choice),
                "schedulerName: other\n  affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution:"
                        + " [{weight: 1, podAffinityTerm: {topologyKey: rack}}]}}");
        assertThat(result.text()).endsWith("""
                not evaluated: the pod's preferences; the node is chosen without them
                not evaluated: the pod's schedulerName; nodes are filtered as in kube-scheduler, and that scheduler may reject them
                """.indent(2));
        assertThat(result.json()).contains("\"preferences\"", "\"schedulerName\"");
    }
}
