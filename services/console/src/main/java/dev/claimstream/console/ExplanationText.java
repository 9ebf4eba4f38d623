package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Renders the explanation of one claim as text for people. */
public final class ExplanationText {
    private ExplanationText() {}

    /** Returns the lines, each with a line break. */
    public static String of(ClaimResult result) {
        List<String> lines = new ArrayList<>();
        lines.add(firstLine(result));
        if (!result.isUnmanagedAllocation()) {
            result.explanation().ifPresent(explanation -> addExplanation(result, explanation, lines));
        }
        addDevices(result, lines);
        return String.join("\n", lines) + "\n";
    }

    /** Returns the line with the state. */
    static String firstLine(ClaimResult result) {
        return "claim %s: %s".formatted(result.claim().key(), headline(result));
    }

    private static String headline(ClaimResult result) {
        if (result.isUnmanagedAllocation()) {
            return "%s%s by another client, %s"
                    .formatted(
                            result.stateText(),
                            result.node().map(node -> " on " + node).orElse(" on every node"),
                            UnmanagedClasses.text(result.unmanagedClasses()));
        }
        if (result.hasPriorAllocation()) {
            return result.stateText() + " before Claimstream read it";
        }
        if (result.allocation().isPresent()) {
            return result.stateText() + result.node().map(node -> " on " + node).orElse(" on every node");
        }
        Optional<String> reason = result.pendingDecision()
                .map(pending -> pending.reason().name())
                .or(() -> result.isUnprocessed() ? Optional.of(ClaimStateText.UNPROCESSED) : Optional.empty());
        return result.stateText() + reason.map(each -> ", " + each).orElse("");
    }

    private static void addExplanation(ClaimResult result, Explanation explanation, List<String> lines) {
        if (explanation.claims().size() > 1) {
            lines.add("  decided together: %s, all claims of %s"
                    .formatted(
                            explanation.claims().stream()
                                    .map(ObjectKey::toString)
                                    .collect(Collectors.joining(" and ")),
                            explanation.item()));
        } else {
            lines.add("  decided as: %s".formatted(explanation.item()));
        }
        result.time().ifPresent(time -> lines.add("  " + time.text()));
        switch (explanation.detail()) {
            case Explanation.ExplanationDetail.Allocated allocated -> {
                if (!result.hasPriorAllocation()) {
                    addChoice(allocated.choice(), lines);
                }
            }
            case Explanation.ExplanationDetail.Pending pending -> addPending(result, pending, lines);
        }
        lines.add("  search: %,d steps".formatted(explanation.steps()));
        lines.addAll(UnevaluatedPodFields.lines(result.unevaluatedFields()));
    }

    private static void addChoice(AllocationPlan.NodeChoice choice, List<String> lines) {
        lines.add("  because: %s (policy %s)"
                .formatted(choice.rationale(), choice.policy().text()));
        lines.add("  second: "
                + choice.secondNode()
                        .map(node -> node + ", " + choice.secondRationale())
                        .orElse("no other node fits"));
    }

    private static void addPending(
            ClaimResult result, Explanation.ExplanationDetail.Pending pending, List<String> lines) {
        lines.add("  because: %s".formatted(pending.diagnosis().message()));
        for (Funnel funnel : pending.funnels()) {
            lines.add("  request %s%s, %s %s:"
                    .formatted(
                            funnel.claim().equals(result.claim().key()) ? "" : "(" + funnel.claim() + ") ",
                            funnel.request(),
                            funnel.requestedCount() == 0 ? "all" : funnel.requestedCount(),
                            funnel.deviceClass()));
            lines.add("    "
                    + relevantStages(funnel).stream()
                            .map(ExplanationText::stage)
                            .collect(Collectors.joining(" → ")));
        }
        pending.diagnosis().nearest().ifPresent(nearest -> {
            lines.add("  nearest: %s".formatted(nearest.message()));
            nearest.blockers()
                    .forEach(blocker -> lines.add("    %s/%s is allocated to %s"
                            .formatted(
                                    blocker.device().pool(),
                                    blocker.device().device(),
                                    blocker.holders().stream()
                                            .map(AllocationPlan.DeviceHolder::toString)
                                            .collect(Collectors.joining(" and ")))));
        });
    }

    /** Returns the stages to print. Node, taint and node-grouping stages are printed only if they exclude candidates. */
    private static List<Funnel.FunnelStage> relevantStages(Funnel funnel) {
        List<Funnel.FunnelStage> relevant = new ArrayList<>();
        for (Funnel.FunnelStage stage : funnel.stages()) {
            boolean isAlwaysShown = switch (stage.step()) {
                case Known, OfClass, PassesSelector, HasCapacity, Free, SatisfiesConstraint -> true;
                case OnAllowedNode, Tolerated, OnOneNode -> false;
            };
            if (isAlwaysShown
                    || relevant.isEmpty()
                    || stage.remaining() < relevant.getLast().remaining()) {
                relevant.add(stage);
            }
        }
        return relevant;
    }

    private static String stage(Funnel.FunnelStage stage) {
        return switch (stage.step()) {
            case Known -> stage.remaining() + (stage.remaining() == 1 ? " device" : " devices");
            case OfClass -> stage.remaining() + " of class " + stage.detail();
            case PassesSelector ->
                stage.remaining() + (stage.remaining() == 1 ? " passes" : " pass") + " selector " + stage.detail();
            case HasCapacity -> "%d with capacity %s".formatted(stage.remaining(), stage.detail());
            case OnAllowedNode -> stage.remaining() + " on allowed nodes";
            case Tolerated -> stage.remaining() + " without repelling taints";
            case Free -> stage.remaining() + " free";
            case OnOneNode ->
                stage.remaining() + " on one node" + (stage.detail().isEmpty() ? "" : " (" + stage.detail() + ")");
            case SatisfiesConstraint -> stage.remaining() + " with " + stage.detail();
        };
    }

    private static void addDevices(ClaimResult answer, List<String> lines) {
        answer.allocation().ifPresent(allocation -> {
            for (DeviceResult result : allocation.results()) {
                String consumed = ConsumedCapacity.text(result);
                lines.add("  %s: %s%s"
                        .formatted(
                                result.request(), result.device(), consumed.isEmpty() ? "" : ", consumes " + consumed));
            }
        });
    }
}
