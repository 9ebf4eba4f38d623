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
    public static String of(ClaimResult result) {
        return tree(result).indentedJson();
    }

    private static Tree.Mapping tree(ClaimResult result) {
        return Tree.mapping(fields -> {
            fields.put("claim", result.claim().key().toString());
            fields.put("state", result.stateText());
            fields.putIfTrue("allocatedBefore", result.hasPriorAllocation());
            if (result.isUnmanagedAllocation()) {
                fields.putIfTrue("unmanaged", true);
                fields.put("message", UnmanagedClasses.text(result.unmanagedClasses()));
            }
            fields.putIfPresent("node", result.node(), Tree::of);
            result.allocation()
                    .ifPresent(allocation -> fields.putList("devices", allocation.results(), ConsumedCapacity::device));
            result.explanation().filter(_ -> !result.isUnmanagedAllocation()).ifPresent(explanation -> {
                fields.put("item", explanation.item().toString());
                fields.put(
                        "claims",
                        Tree.texts(explanation.claims().stream()
                                .map(ObjectKey::toString)
                                .toList()));
                fields.put("steps", explanation.steps());
                if (!result.unevaluatedFields().isEmpty()) {
                    fields.put("notEvaluated", Tree.texts(result.unevaluatedFields()));
                }
                switch (explanation.detail()) {
                    case Explanation.ExplanationDetail.Allocated allocated ->
                        fields.put("choice", choice(allocated.choice()));
                    case Explanation.ExplanationDetail.Pending pending -> {
                        result.time()
                                .ifPresent(
                                        time -> fields.put("asOf", time.asOf().toString())
                                                .put("current", Tree.of(time.isCurrent())));
                        fields.put("reason", pending.diagnosis().reason().name());
                        fields.put("message", pending.diagnosis().message());
                        fields.putIfPresent("nearestNode", pending.diagnosis().nearest(), ExplanationJson::nearest);
                        fields.putList("requests", pending.funnels(), ExplanationJson::funnel);
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
