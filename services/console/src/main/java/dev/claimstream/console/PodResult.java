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
    public ClaimResult.State state() {
        return Stream.concat(
                        claims.stream().map(ClaimResult::state),
                        isPending() ? Stream.of(ClaimResult.State.PENDING) : Stream.<ClaimResult.State>empty())
                .filter(each -> each != ClaimResult.State.ALLOCATED)
                .findFirst()
                .orElse(ClaimResult.State.ALLOCATED);
    }

    private boolean isPending() {
        return !missing.isEmpty()
                || diagnosis.isPresent()
                || schedulerClaim.filter(each -> !each.fits()).isPresent();
    }

    /** Returns the pod's own diagnosis, if no claim's result contains it. */
    private Optional<AllocationPlan.PendingDiagnosis> podDiagnosis() {
        return diagnosis.filter(_ -> claims.stream().allMatch(each -> each.state() == ClaimResult.State.ALLOCATED));
    }

    /** Returns the text for people; each line ends with a line break. */
    public String text() {
        List<String> lines = new ArrayList<>();
        lines.add("pod %s: %s".formatted(pod, isWithoutClaims() ? "has no claims" : state().text()));
        claims.forEach(each -> lines.add("  " + ExplanationText.firstLine(each)));
        missing.forEach(each -> lines.add("  there is no " + each));
        schedulerClaim.ifPresent(each -> lines.add("  " + each.text()));
        podDiagnosis().ifPresent(each -> lines.add("  because: %s".formatted(each.message())));
        if (!isWithoutClaims()) {
            lines.addAll(UnevaluatedPodFields.lines(unevaluatedFields));
        }
        return String.join("\n", lines) + "\n";
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

    private static Tree claim(ClaimResult answer) {
        return Tree.mapping(fields -> fields.put("claim", answer.claim().key().toString())
                .put("state", answer.state().text())
                .putIfPresent("node", answer.node(), Tree::of));
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
