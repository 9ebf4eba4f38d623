package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.manifests.tree.Tree;

/** Renders the explanation of one claim as JSON, with the content of {@link ExplanationText}. */
public final class ExplanationJson {
    private ExplanationJson() {}

    /** Returns the indented document. */
    public static String of(Answer answer) {
        return tree(answer).indentedJson();
    }

    private static Tree.Mapping tree(Answer answer) {
        return Tree.mapping(fields -> {
            fields.put("claim", answer.claim().key().toString());
            fields.put("state", answer.state().text());
            fields.putIfTrue("allocatedBefore", answer.cameAllocated());
            if (answer.isOfOthers()) {
                fields.putIfTrue("allocatedByOthers", true);
                fields.put("message", OthersClasses.text(answer.othersClasses()));
            }
            fields.putIfPresent("node", answer.node(), Tree::of);
            answer.allocation()
                    .ifPresent(allocation -> fields.putList("devices", allocation.results(), ConsumedCapacity::device));
            answer.explanation().filter(_ -> !answer.isOfOthers()).ifPresent(explanation -> {
                fields.put("item", explanation.item().toString());
                fields.put(
                        "claims",
                        Tree.texts(explanation.claims().stream()
                                .map(ObjectKey::toString)
                                .toList()));
                fields.put("steps", explanation.steps());
                if (!answer.notLookedAt().isEmpty()) {
                    fields.put("notLookedAt", Tree.texts(answer.notLookedAt()));
                }
                switch (explanation.because()) {
                    case Explanation.Because.Granted granted -> fields.put("choice", choice(granted.choice()));
                    case Explanation.Because.Waits waits -> {
                        answer.time()
                                .ifPresent(
                                        time -> fields.put("asOf", time.asOf().toString())
                                                .put("current", Tree.of(time.current())));
                        fields.put("reason", waits.diagnosis().reason().name());
                        fields.put("message", waits.diagnosis().message());
                        fields.putIfPresent("nearest", waits.diagnosis().nearest(), ExplanationJson::nearest);
                        fields.putList("requests", waits.funnels(), ExplanationJson::funnel);
                    }
                }
            });
        });
    }

    private static Tree choice(Plan.Choice choice) {
        return Tree.mapping(fields -> {
            fields.put("policy", choice.policy().text());
            fields.put("nodesThatFit", choice.fitting());
            fields.put("because", choice.because());
            fields.putIfPresent("second", choice.second(), Tree::of);
            fields.putUnlessEmpty("secondBecause", choice.secondBecause());
        });
    }

    private static Tree nearest(Plan.NearestMiss nearest) {
        return Tree.mapping(fields -> {
            fields.put("node", nearest.node());
            fields.put("message", nearest.message());
            fields.putList("blockers", nearest.blockers(), ExplanationJson::blocker);
        });
    }

    private static Tree blocker(Plan.Blocker blocker) {
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
            fields.put("wanted", funnel.wanted() == 0 ? Tree.of("all") : Tree.of(funnel.wanted()));
            fields.putList("steps", funnel.stages(), ExplanationJson::stage);
        });
    }

    private static Tree stage(Funnel.Stage stage) {
        return Tree.mapping(fields -> {
            fields.put("step", stage.step().name());
            fields.putUnlessEmpty("detail", stage.detail());
            fields.put("left", stage.left());
        });
    }
}
