package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Merges the reasons of all cells for a pending item.
 *
 * <p>The result is the reason of the cell that is closest to allocating the item, with the candidate counts of all cells.
 */
public final class MergedReason {
    /**
     * The reasons that cells report, from farthest to closest to an allocation. An exhausted search budget and
     * unfinished work are close, because the item may fit. A lost device comes last: the item fits nowhere.
     */
    static final List<Reason> FARTHEST_FIRST = List.of(
            Reason.LimitExceeded,
            Reason.Unsupported,
            Reason.Unmanaged,
            Reason.ClassMissing,
            Reason.ClassMatchesNoDevice,
            Reason.SelectorMatchesNoDevice,
            Reason.SelectorError,
            Reason.NoUsableNode,
            Reason.PoolInvalid,
            Reason.PoolIncomplete,
            Reason.InsufficientDevicesPerNode,
            Reason.CapacityExceeded,
            Reason.CountersExceeded,
            Reason.GroupsIncompatible,
            Reason.ConstraintUnsatisfied,
            Reason.DoesNotFit,
            Reason.Tainted,
            Reason.DevicesInUse,
            Reason.CountersExhausted,
            Reason.CapacityExhausted,
            Reason.NodeFull,
            Reason.NodeResourcesUnknown,
            Reason.NodeRejected,
            Reason.InterPodConstraints,
            Reason.Earmarked,
            Reason.SearchBudgetExhausted,
            Reason.EvaluationPending,
            Reason.DeviceNotPublished);

    private MergedReason() {}

    static Explanation.ExplanationDetail.Pending of(SortedMap<Integer, Explanation.ExplanationDetail.Pending> reasons) {
        Map.Entry<Integer, Explanation.ExplanationDetail.Pending> nearest = reasons.entrySet().stream()
                .max(Comparator.comparingInt((Map.Entry<Integer, Explanation.ExplanationDetail.Pending> each) ->
                                proximity(each.getValue()))
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .orElseThrow();
        AllocationPlan.PendingDiagnosis diagnosis = nearest.getValue().diagnosis();
        String message = reasons.size() == 1
                ? diagnosis.message()
                : "%s (cell %d, the nearest of %d)".formatted(diagnosis.message(), nearest.getKey(), reasons.size());
        return new Explanation.ExplanationDetail.Pending(
                new AllocationPlan.PendingDiagnosis(diagnosis.reason(), message, diagnosis.nearest()),
                funnels(List.copyOf(reasons.values()), nearest.getValue().funnels()));
    }

    /** How near a cell is to an allocation if an item is pending there for a reason; a higher number is nearer. */
    public static int proximity(Reason reason) {
        return FARTHEST_FIRST.indexOf(reason);
    }

    private static int proximity(Explanation.ExplanationDetail.Pending pending) {
        return proximity(pending.diagnosis().reason());
    }

    private static List<Funnel> funnels(List<Explanation.ExplanationDetail.Pending> all, List<Funnel> like) {
        List<Funnel> merged = new ArrayList<>();
        for (int i = 0; i < like.size(); i++) {
            merged.add(funnel(all, like.get(i), i));
        }
        return merged;
    }

    private static Funnel funnel(List<Explanation.ExplanationDetail.Pending> all, Funnel like, int index) {
        List<Funnel.FunnelStage> stages = new ArrayList<>();
        for (int i = 0; i < like.stages().size(); i++) {
            Funnel.FunnelStage stage = like.stages().get(i);
            stages.add(new Funnel.FunnelStage(stage.step(), stage.detail(), remaining(all, index, i, stage)));
        }
        return new Funnel(like.claim(), like.request(), like.deviceClass(), like.requestedCount(), stages);
    }

    /** Returns the candidates that remain at a stage: the sum over cells, or the maximum for stages that concern one node. */
    private static long remaining(
            List<Explanation.ExplanationDetail.Pending> all, int index, int stage, Funnel.FunnelStage like) {
        boolean isOfOneNode = like.step().compareTo(Funnel.FunnelStep.OnOneNode) >= 0;
        long remaining = 0;
        for (Explanation.ExplanationDetail.Pending each : all) {
            if (index < each.funnels().size()
                    && stage < each.funnels().get(index).stages().size()) {
                long here = each.funnels().get(index).stages().get(stage).remaining();
                remaining = isOfOneNode ? Math.max(remaining, here) : remaining + here;
            }
        }
        return remaining;
    }
}
