package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.Plan;
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
final class Merged {
    /** The reasons ordered from farthest to closest to an allocation. An exhausted search budget is closest, because the item may fit. */
    private static final List<Reason> FARTHEST_FIRST = List.of(
            Reason.LimitExceeded,
            Reason.Unsupported,
            Reason.NotOurs,
            Reason.ClassMissing,
            Reason.ClassSelectsNothing,
            Reason.SelectorFalse,
            Reason.SelectorError,
            Reason.NoUsableNode,
            Reason.PoolInvalid,
            Reason.PoolIncomplete,
            Reason.TooFewOnOneNode,
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
            Reason.NotAccountable,
            Reason.NodeRefused,
            Reason.OtherPods,
            Reason.Earmarked,
            Reason.Undecided);

    private Merged() {}

    static Explanation.Because.Waits of(SortedMap<Integer, Explanation.Because.Waits> reasons) {
        Map.Entry<Integer, Explanation.Because.Waits> nearest = reasons.entrySet().stream()
                .max(Comparator.comparingInt(
                                (Map.Entry<Integer, Explanation.Because.Waits> each) -> hope(each.getValue()))
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .orElseThrow();
        Plan.Diagnosis diagnosis = nearest.getValue().diagnosis();
        String message = reasons.size() == 1
                ? diagnosis.message()
                : "%s (cell %d, the nearest of %d)".formatted(diagnosis.message(), nearest.getKey(), reasons.size());
        return new Explanation.Because.Waits(
                new Plan.Diagnosis(diagnosis.reason(), message, diagnosis.nearest()),
                funnels(List.copyOf(reasons.values()), nearest.getValue().funnels()));
    }

    private static int hope(Explanation.Because.Waits waits) {
        return FARTHEST_FIRST.indexOf(waits.diagnosis().reason());
    }

    private static List<Funnel> funnels(List<Explanation.Because.Waits> all, List<Funnel> like) {
        List<Funnel> merged = new ArrayList<>();
        for (int i = 0; i < like.size(); i++) {
            merged.add(funnel(all, like.get(i), i));
        }
        return merged;
    }

    private static Funnel funnel(List<Explanation.Because.Waits> all, Funnel like, int index) {
        List<Funnel.Stage> stages = new ArrayList<>();
        for (int i = 0; i < like.stages().size(); i++) {
            Funnel.Stage stage = like.stages().get(i);
            stages.add(new Funnel.Stage(stage.step(), stage.detail(), left(all, index, i, stage)));
        }
        return new Funnel(like.claim(), like.request(), like.deviceClass(), like.wanted(), stages);
    }

    /** Returns the candidates that remain at a stage: the sum over cells, or the maximum for stages that concern one node. */
    private static long left(List<Explanation.Because.Waits> all, int index, int place, Funnel.Stage like) {
        boolean isOfOneNode = like.step().compareTo(Funnel.Step.OnOneNode) >= 0;
        long left = 0;
        for (Explanation.Because.Waits each : all) {
            if (index < each.funnels().size()
                    && place < each.funnels().get(index).stages().size()) {
                long here = each.funnels().get(index).stages().get(place).left();
                left = isOfOneNode ? Math.max(left, here) : left + here;
            }
        }
        return left;
    }
}
