package dev.claimstream.console;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.scenarios.SchedulerClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The result for one pod: its claims and why the pod is pending.
 *
 * @param claims existing claims of the pod, in its order
 * @param missing descriptions of claims that do not exist
 * @param schedulerClaim claim that kube-scheduler creates for the pod's extended resources
 * @param diagnosis why the pod itself is pending; its claims may be allocated nevertheless
 * @param unevaluatedFields pod fields that may exclude nodes and that the decision does not evaluate
 */
public record PodResult(
        ObjectKey pod,
        List<ClaimResult> claims,
        List<String> missing,
        Optional<SchedulerClaim> schedulerClaim,
        Optional<AllocationPlan.PendingDiagnosis> diagnosis,
        List<String> unevaluatedFields) {
    public PodResult {
        claims = List.copyOf(claims);
        missing = List.copyOf(missing);
        unevaluatedFields = List.copyOf(unevaluatedFields);
    }

    /** Returns the state: allocated if nothing is pending, else the state of the first claim that is not allocated. */
    public ClaimResult.ResultState state() {
        return Stream.concat(
                        claims.stream().map(ClaimResult::state),
                        isPending()
                                ? Stream.of(ClaimResult.ResultState.PENDING)
                                : Stream.<ClaimResult.ResultState>empty())
                .filter(each -> each != ClaimResult.ResultState.ALLOCATED)
                .findFirst()
                .orElse(ClaimResult.ResultState.ALLOCATED);
    }

    private boolean isPending() {
        return !missing.isEmpty()
                || diagnosis.isPresent()
                || schedulerClaim.filter(each -> !each.fits()).isPresent();
    }

    /** Returns the pod's own diagnosis, if no claim's result contains it. */
    private Optional<AllocationPlan.PendingDiagnosis> podDiagnosis() {
        return diagnosis.filter(
                _ -> claims.stream().allMatch(each -> each.state() == ClaimResult.ResultState.ALLOCATED));
    }

    /** Returns the text for people, about the objects of a console; each line ends with a line break. */
    public String text() {
        return text("");
    }

    /**
     * Returns the text for people; each line ends with a line break.
     *
     * @param options option text for suggested commands, with a leading space
     */
    public String text(String options) {
        List<String> lines = new ArrayList<>();
        lines.add("pod %s: %s".formatted(pod, isWithoutClaims() ? "has no claims" : state().text()));
        claims.forEach(each -> addClaim(each, options, lines));
        missing.forEach(each -> lines.add("  there is no " + each));
        schedulerClaim.ifPresent(each -> lines.add("  " + each.text()));
        podDiagnosis().ifPresent(each -> lines.add("  because: %s".formatted(each.message())));
        if (!isWithoutClaims()) {
            lines.addAll(UnevaluatedPodFields.lines(unevaluatedFields));
        }
        return String.join("\n", lines) + "\n";
    }

    /** Adds the state of a claim and, if it is not allocated, why, and the command that shows more. */
    private static void addClaim(ClaimResult result, String options, List<String> lines) {
        lines.add("  " + ExplanationText.firstLine(result));
        if (result.state() != ClaimResult.ResultState.ALLOCATED) {
            result.pendingDecision().ifPresent(each -> lines.add("    because: " + each.message()));
            lines.add("    more: claimstream explain claim %s%s"
                    .formatted(result.claim().key(), options));
        }
    }

    private boolean isWithoutClaims() {
        return claims.isEmpty() && missing.isEmpty() && schedulerClaim.isEmpty();
    }

    /** Returns JSON with the content of the text. */
    public String json() {
        return Tree.mapping(fields -> {
                    fields.put("pod", pod.toString());
                    fields.put("state", state().text());
                    fields.putList("claims", claims, PodResult::claim);
                    fields.put("missing", Tree.texts(missing));
                    fields.putIfPresent("schedulerClaim", schedulerClaim, PodResult::schedulerClaim);
                    fields.putIfPresent(
                            "reason", diagnosis, each -> Tree.of(each.reason().name()));
                    fields.putIfPresent("message", diagnosis, each -> Tree.of(each.message()));
                    if (!unevaluatedFields.isEmpty()) {
                        fields.put("notEvaluated", Tree.texts(unevaluatedFields));
                    }
                })
                .indentedJson();
    }

    private static Tree claim(ClaimResult result) {
        return Tree.mapping(fields -> fields.put("claim", result.claim().key().toString())
                .put("state", result.stateText())
                .putIfPresent("node", result.node(), Tree::of)
                .putIfPresent(
                        "reason",
                        result.pendingDecision(),
                        each -> Tree.of(each.reason().name()))
                .putIfPresent("message", result.pendingDecision(), each -> Tree.of(each.message())));
    }

    private static Tree schedulerClaim(SchedulerClaim schedulerClaim) {
        return Tree.mapping(fields -> {
            fields.put("claim", schedulerClaim.key().toString());
            fields.putList(
                    "resources",
                    schedulerClaim.resources(),
                    each -> Tree.mapping(parts -> parts.put("name", each.name()).put("class", each.deviceClass())));
            fields.putIfTrue("fits", schedulerClaim.fits());
            fields.put("message", schedulerClaim.placement().text());
        });
    }
}
