package dev.claimstream.console;

import dev.claimstream.allocation.solver.Plan;
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
 * @param made claim that kube-scheduler creates for the pod's extended resources
 * @param waits why the pod itself is pending; its claims may be allocated nevertheless
 * @param notLookedAt pod fields that may exclude nodes and that the decision does not evaluate
 */
public record PodAnswer(
        ObjectKey pod,
        List<Answer> claims,
        List<String> missing,
        Optional<SchedulerClaim> made,
        Optional<Plan.Diagnosis> waits,
        List<String> notLookedAt) {
    public PodAnswer {
        claims = List.copyOf(claims);
        missing = List.copyOf(missing);
        notLookedAt = List.copyOf(notLookedAt);
    }

    /** Returns the state: allocated if nothing is pending, else the state of the first claim that is not allocated. */
    public Answer.State state() {
        return Stream.concat(
                        claims.stream().map(Answer::state),
                        isHeldUp() ? Stream.of(Answer.State.WAITS) : Stream.<Answer.State>empty())
                .filter(each -> each != Answer.State.GRANTED)
                .findFirst()
                .orElse(Answer.State.GRANTED);
    }

    private boolean isHeldUp() {
        return !missing.isEmpty()
                || waits.isPresent()
                || made.filter(each -> !each.fits()).isPresent();
    }

    /** Returns the pod's own diagnosis, if no claim's result contains it. */
    private Optional<Plan.Diagnosis> own() {
        return waits.filter(_ -> claims.stream().allMatch(each -> each.state() == Answer.State.GRANTED));
    }

    /** Returns the text for people; each line ends with a line break. */
    public String text() {
        List<String> lines = new ArrayList<>();
        lines.add("pod %s: %s".formatted(pod, isWithoutClaims() ? "has no claims" : state().text()));
        claims.forEach(each -> lines.add("  " + ExplanationText.firstLine(each)));
        missing.forEach(each -> lines.add("  there is no " + each));
        made.ifPresent(each -> lines.add("  " + each.text()));
        own().ifPresent(each -> lines.add("  because: %s".formatted(each.message())));
        if (!isWithoutClaims()) {
            lines.addAll(NotLookedAt.lines(notLookedAt));
        }
        return String.join("\n", lines) + "\n";
    }

    private boolean isWithoutClaims() {
        return claims.isEmpty() && missing.isEmpty() && made.isEmpty();
    }

    /** Returns JSON with the content of the text. */
    public String json() {
        return Tree.mapping(fields -> {
                    fields.put("pod", pod.toString());
                    fields.put("state", state().text());
                    fields.putList("claims", claims, PodAnswer::claim);
                    fields.put("missing", Tree.texts(missing));
                    fields.putIfPresent("schedulerClaim", made, PodAnswer::made);
                    fields.putIfPresent(
                            "reason", waits, each -> Tree.of(each.reason().name()));
                    fields.putIfPresent("message", waits, each -> Tree.of(each.message()));
                    if (!notLookedAt.isEmpty()) {
                        fields.put("notLookedAt", Tree.texts(notLookedAt));
                    }
                })
                .indentedJson();
    }

    private static Tree claim(Answer answer) {
        return Tree.mapping(fields -> fields.put("claim", answer.claim().key().toString())
                .put("state", answer.state().text())
                .putIfPresent("node", answer.node(), Tree::of));
    }

    private static Tree made(SchedulerClaim made) {
        return Tree.mapping(fields -> {
            fields.put("claim", made.key().toString());
            fields.putList(
                    "resources",
                    made.resources(),
                    each -> Tree.mapping(parts -> parts.put("name", each.name()).put("class", each.deviceClass())));
            fields.putIfTrue("fits", made.fits());
            fields.put("message", made.place().text());
        });
    }
}
