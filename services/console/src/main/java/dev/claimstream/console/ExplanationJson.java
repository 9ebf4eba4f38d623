package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.manifests.tree.Tree;

/** Renders the explanation of one claim as JSON, with the content of {@link ExplanationText}. */
public final class ExplanationJson {
    private ExplanationJson() {}

    /** Returns the indented document. */
    public static String of(ClaimResult answer) {
        return tree(answer).indentedJson();
    }

    private static Tree.Mapping tree(ClaimResult answer) {
        return Tree.mapping(fields -> {
            fields.put("claim", answer.claim().key().toString());
            fields.put("state", answer.stateText());
            fields.putIfTrue("allocatedBefore", answer.hasPriorAllocation());
            if (answer.isUnmanagedAllocation()) {
                fields.putIfTrue("unmanaged", true);
                fields.put("message", UnmanagedClasses.text(answer.unmanagedClasses()));
            }
            fields.putIfPresent("node", answer.node(), Tree::of);
            answer.allocation()
                    .ifPresent(allocation -> fields.putList("devices", allocation.results(), ConsumedCapacity::device));
            answer.explanation().filter(_ -> !answer.isUnmanagedAllocation()).ifPresent(explanation -> {
                fields.put("item", explanation.item().toString());
                fields.put(
                        "claims",
                        Tree.texts(explanation.claims().stream()
                                .map(ObjectKey::toString)
                                .toList()));
                fields.put("steps", explanation.steps());
                if (!answer.unevaluatedFields().isEmpty()) {
                    fields.put("notEvaluated", Tree.texts(answer.unevaluatedFields()));
                }
                switch (explanation.detail()) {
                    case Explanation.ExplanationDetail.Allocated granted ->
                        fields.put("choice", choice(granted.choice()));
                    case Explanation.ExplanationDetail.Pending waits -> {
                        answer.time()
                                .ifPresent(
                                        time -> fields.put("asOf", time.asOf().toString())
                                                .put("current", Tree.of(time.isCurrent())));
                        fields.put("reason", waits.diagnosis().reason().name());
                        fields.put("message", waits.diagnosis().message());
                        fields.putIfPresent("nearestNode", waits.diagnosis().nearest(), ExplanationJson::nearest);
                        fields.putList("requests", waits.funnels(), ExplanationJson::funnel);
                    }
                }
            });
        });
    }

    private static Tree choice(AllocationPlan.NodeChoice choice) {
        return Tree.mapping(fields -> {
            fields.put("policy", choice.policy().text());
            fields.put("feasibleNodes", choice.feasibleNodes());
            fields.put("rationale", choice.rationale());
            fields.putIfPresent("secondNode", choice.secondNode(), Tree::of);
            fields.putUnlessEmpty("secondRationale", choice.secondRationale());
        });
    }

    private static Tree nearest(AllocationPlan.NearestNode nearest) {
        return Tree.mapping(fields -> {
            fields.put("node", nearest.node());
            fields.put("message", nearest.message());
            fields.putList("blockingDevices", nearest.blockers(), ExplanationJson::blocker);
        });
    }

    private static Tree blocker(AllocationPlan.BlockingDevice blocker) {
        return Tree.mapping(fields -> {
            fields.put("driver", blocker.device().driver());
            fields.put("pool", blocker.device().pool());
            fields.put("device", blocker.device().device());
            fields.putList(
                    "holders",
                    blocker.holders(),
                    holder -> Tree.of(holder.claim().toString()));
            fields.putList("holderStates", blocker.holders(), holder -> Tree.of(holder.state()));
        });
    }

    private static Tree funnel(Funnel funnel) {
        return Tree.mapping(fields -> {
            fields.put("claim", funnel.claim().toString());
            fields.put("request", funnel.request());
            fields.put("deviceClass", funnel.deviceClass());
            fields.put(
                    "requestedCount", funnel.requestedCount() == 0 ? Tree.of("all") : Tree.of(funnel.requestedCount()));
            fields.putList("steps", funnel.stages(), ExplanationJson::stage);
        });
    }

    private static Tree stage(Funnel.FunnelStage stage) {
        return Tree.mapping(fields -> {
            fields.put("step", stage.step().name());
            fields.putUnlessEmpty("detail", stage.detail());
            fields.put("remaining", stage.remaining());
        });
    }
}
