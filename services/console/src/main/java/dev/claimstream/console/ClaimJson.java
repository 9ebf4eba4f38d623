package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.time.Instant;
import java.util.Optional;

/** Renders claims as JSON for the REST API. */
final class ClaimJson {
    private ClaimJson() {}

    /** Renders the fields of a table row. */
    static Tree.Mapping summary(ClaimView view) {
        return Tree.mapping(fields -> {
            ObjectMeta meta = view.claim().meta();
            fields.put("namespace", meta.namespace())
                    .put("name", meta.name())
                    .put("uid", meta.uid())
                    .put("state", view.state());
            fields.putIfPresent("created", meta.created().map(Instant::toString), Tree::of);
            fields.putIfTrue("deleting", meta.deleting());
            view.allocation().ifPresent(allocation -> addAllocation(fields, view, allocation));
            if (!view.pods().isEmpty()) {
                fields.put("pods", Tree.texts(view.pods()));
            }
            view.pendingDecision()
                    .ifPresent(pending ->
                            fields.put("reason", pending.reason().name()).put("message", pending.message()));
            if (view.isUnprocessed()) {
                fields.put("reason", ClaimStateText.UNPROCESSED).put("message", "not yet processed");
            }
            if (view.isUnmanagedAllocation()) {
                fields.putIfTrue("unmanaged", true);
                fields.put("message", "another client allocated it: " + UnmanagedClasses.text(view.unmanagedClasses()));
            } else {
                view.lastDecision().ifPresent(decided -> addDecision(fields, decided));
                view.explanation().ifPresent(explanation -> addChoice(fields, explanation));
            }
            fields.putList("bindings", view.bindings(), ClaimJson::binding);
            fields.putIfPresent("releasedAt", view.releasedAt().map(Instant::toString), Tree::of);
            fields.putIfTrue("foreign", view.isForeign());
            view.outcome()
                    .ifPresent(outcome -> fields.put("outcome", outcome.text())
                            .put("outcomeAt", outcome.at().toString())
                            .putUnlessEmpty("outcomeMessage", outcome.message())
                            .putUnlessEmpty("auditId", outcome.auditId()));
        });
    }

    private static void addAllocation(TreeFields fields, ClaimView view, Allocation allocation) {
        fields.put("committed", Tree.of(view.isCommitted()));
        fields.putList("devices", allocation.results(), ConsumedCapacity::device);
        fields.putList("reservedFor", view.reservedFor(), ClaimJson::consumer);
        Optional<String> node = allocation.nodeSelector().flatMap(selector -> selector.onlyNode());
        fields.putIfPresent("node", node, Tree::of);
    }

    private static void addDecision(TreeFields fields, ClaimView.TimedDecision decided) {
        Decision decision = decided.decision();
        fields.put("decision", decision.number())
                .put("decidedAt", decided.at().toString())
                .put("item", decision.item().toString());
    }

    private static void addChoice(TreeFields fields, Explanation explanation) {
        if (explanation.detail() instanceof Explanation.ExplanationDetail.Allocated allocated) {
            fields.put("rationale", allocated.choice().rationale());
            fields.putIfPresent("secondNode", allocated.choice().secondNode(), Tree::of);
            fields.putUnlessEmpty("secondRationale", allocated.choice().secondRationale());
        }
    }

    private static Tree binding(PodBindings.PodBinding binding) {
        return Tree.mapping(fields -> {
            fields.put("pod", binding.pod()).put("node", binding.node());
            fields.putIfPresent("at", binding.at().map(Instant::toString), Tree::of);
        });
    }

    private static Tree consumer(ClaimConsumer consumer) {
        return Tree.of(consumer.resource() + "/" + consumer.name());
    }

    /** Renders the Kubernetes object as the cluster contains it, with the reason of a pending claim in annotations. */
    static Tree.Mapping object(ClaimView view) {
        Optional<Decision> pending =
                view.pendingDecision().flatMap(_ -> view.lastDecision()).map(ClaimView.TimedDecision::decision);
        return ClaimDocuments.tree(new ClaimResult(view.claim(), pending, view.explanation()));
    }
}
