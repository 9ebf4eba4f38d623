package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Renders the explanation of one claim as text for people. */
public final class ExplanationText {
    private ExplanationText() {}

    /** Returns the lines, each with a line break. */
    public static String of(ClaimResult answer) {
        List<String> lines = new ArrayList<>();
        lines.add(firstLine(answer));
        if (!answer.isUnmanagedAllocation()) {
            answer.explanation().ifPresent(explanation -> addExplanation(answer, explanation, lines));
        }
        addDevices(answer, lines);
        return String.join("\n", lines) + "\n";
    }

    /** Returns the line with the state. */
    static String firstLine(ClaimResult answer) {
        return "claim %s: %s".formatted(answer.claim().key(), headline(answer));
    }

    private static String headline(ClaimResult answer) {
        if (answer.isUnmanagedAllocation()) {
            return "%s%s by another client, %s"
                    .formatted(
                            answer.stateText(),
                            answer.node().map(node -> " on " + node).orElse(" on every node"),
                            UnmanagedClasses.text(answer.unmanagedClasses()));
        }
        if (answer.hasPriorAllocation()) {
            return answer.stateText() + " before Claimstream read it";
        }
        if (answer.allocation().isPresent()) {
            return answer.stateText() + answer.node().map(node -> " on " + node).orElse(" on every node");
        }
        return answer.stateText()
                + ", "
                + answer.pendingDecision()
                        .map(pending -> pending.reason().name())
                        .orElse(ClaimStateText.UNPROCESSED);
    }

    private static void addExplanation(ClaimResult answer, Explanation explanation, List<String> lines) {
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
        answer.time().ifPresent(time -> lines.add("  " + time.text()));
        switch (explanation.detail()) {
            case Explanation.ExplanationDetail.Allocated granted -> {
                if (!answer.hasPriorAllocation()) {
                    addChoice(granted.choice(), lines);
                }
            }
            case Explanation.ExplanationDetail.Pending waits -> addPending(answer, waits, lines);
        }
        lines.add("  search: %,d steps".formatted(explanation.steps()));
        lines.addAll(UnevaluatedPodFields.lines(answer.unevaluatedFields()));
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
            ClaimResult answer, Explanation.ExplanationDetail.Pending waits, List<String> lines) {
        lines.add("  because: %s".formatted(waits.diagnosis().message()));
        for (Funnel funnel : waits.funnels()) {
            lines.add("  request %s%s, %s %s:"
                    .formatted(
                            funnel.claim().equals(answer.claim().key()) ? "" : "(" + funnel.claim() + ") ",
                            funnel.request(),
                            funnel.requestedCount() == 0 ? "all" : funnel.requestedCount(),
                            funnel.deviceClass()));
            lines.add("    "
                    + relevantStages(funnel).stream()
                            .map(ExplanationText::stage)
                            .collect(Collectors.joining(" → ")));
        }
        waits.diagnosis().nearest().ifPresent(nearest -> {
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
        List<Funnel.FunnelStage> telling = new ArrayList<>();
        for (Funnel.FunnelStage stage : funnel.stages()) {
            boolean isAlwaysTold = switch (stage.step()) {
                case Known, OfClass, PassesSelector, HasCapacity, Free, SatisfiesConstraint -> true;
                case OnAllowedNode, Tolerated, OnOneNode -> false;
            };
            if (isAlwaysTold
                    || telling.isEmpty()
                    || stage.remaining() < telling.getLast().remaining()) {
                telling.add(stage);
            }
        }
        return telling;
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
