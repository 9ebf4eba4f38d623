package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Renders the explanation of one claim as text for people. */
public final class ExplanationText {
    private ExplanationText() {}

    /** Returns the lines, each with a line break. */
    public static String of(Answer answer) {
        List<String> lines = new ArrayList<>();
        lines.add(firstLine(answer));
        if (!answer.isOfOthers()) {
            answer.explanation().ifPresent(explanation -> addExplanation(answer, explanation, lines));
        }
        addDevices(answer, lines);
        return String.join("\n", lines) + "\n";
    }

    /** Returns the line with the state. */
    static String firstLine(Answer answer) {
        return "claim %s: %s".formatted(answer.claim().key(), headline(answer));
    }

    private static String headline(Answer answer) {
        if (answer.isOfOthers()) {
            return "granted%s, but not by us: another allocated it, %s"
                    .formatted(
                            answer.node().map(node -> " on " + node).orElse(" on every node"),
                            OthersClasses.text(answer.othersClasses()));
        }
        if (answer.cameAllocated()) {
            return "granted, allocated before it was seen";
        }
        return answer.waits()
                .map(waits -> "%s, %s".formatted(answer.state().text(), waits.reason()))
                .orElseGet(() -> answer.state().text()
                        + answer.node().map(node -> " on " + node).orElse(" on every node"));
    }

    private static void addExplanation(Answer answer, Explanation explanation, List<String> lines) {
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
        switch (explanation.because()) {
            case Explanation.Because.Granted granted -> {
                if (!answer.cameAllocated()) {
                    addChoice(granted.choice(), lines);
                }
            }
            case Explanation.Because.Waits waits -> addWaits(answer, waits, lines);
        }
        lines.add("  effort: %,d steps".formatted(explanation.steps()));
        lines.addAll(NotLookedAt.lines(answer.notLookedAt()));
    }

    private static void addChoice(Plan.Choice choice, List<String> lines) {
        lines.add("  because: %s (policy %s)"
                .formatted(choice.because(), choice.policy().text()));
        lines.add("  second: "
                + choice.second()
                        .map(node -> node + ", " + choice.secondBecause())
                        .orElse("no other node fits"));
    }

    private static void addWaits(Answer answer, Explanation.Because.Waits waits, List<String> lines) {
        lines.add("  because: %s".formatted(waits.diagnosis().message()));
        for (Funnel funnel : waits.funnels()) {
            lines.add("  request %s%s, %s %s:"
                    .formatted(
                            funnel.claim().equals(answer.claim().key()) ? "" : "(" + funnel.claim() + ") ",
                            funnel.request(),
                            funnel.wanted() == 0 ? "all" : funnel.wanted(),
                            funnel.deviceClass()));
            lines.add("    "
                    + telling(funnel).stream().map(ExplanationText::stage).collect(Collectors.joining(" → ")));
        }
        waits.diagnosis().nearest().ifPresent(nearest -> {
            lines.add("  nearest: %s".formatted(nearest.message()));
            nearest.blockers()
                    .forEach(blocker -> lines.add("    %s/%s is held by %s"
                            .formatted(
                                    blocker.device().pool(),
                                    blocker.device().device(),
                                    blocker.holders().stream()
                                            .map(Plan.DeviceHolder::toString)
                                            .collect(Collectors.joining(" and ")))));
        });
    }

    /** Returns the stages to print. Node, taint and node-grouping stages are printed only if they exclude candidates. */
    private static List<Funnel.Stage> telling(Funnel funnel) {
        List<Funnel.Stage> telling = new ArrayList<>();
        for (Funnel.Stage stage : funnel.stages()) {
            boolean isAlwaysTold = switch (stage.step()) {
                case Known, OfClass, PassesSelector, HasCapacity, Free, SatisfiesConstraint -> true;
                case OnAllowedNode, Tolerated, OnOneNode -> false;
            };
            if (isAlwaysTold
                    || telling.isEmpty()
                    || stage.left() < telling.getLast().left()) {
                telling.add(stage);
            }
        }
        return telling;
    }

    private static String stage(Funnel.Stage stage) {
        return switch (stage.step()) {
            case Known -> stage.left() + (stage.left() == 1 ? " device" : " devices");
            case OfClass -> stage.left() + " of class " + stage.detail();
            case PassesSelector ->
                stage.left() + (stage.left() == 1 ? " passes" : " pass") + " selector " + stage.detail();
            case HasCapacity -> "%d that can give %s".formatted(stage.left(), stage.detail());
            case OnAllowedNode -> stage.left() + " on nodes that are allowed";
            case Tolerated -> stage.left() + " without taints in the way";
            case Free -> stage.left() + " free";
            case OnOneNode ->
                stage.left() + " on one node" + (stage.detail().isEmpty() ? "" : " (" + stage.detail() + ")");
            case SatisfiesConstraint -> stage.left() + " with " + stage.detail();
        };
    }

    private static void addDevices(Answer answer, List<String> lines) {
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
