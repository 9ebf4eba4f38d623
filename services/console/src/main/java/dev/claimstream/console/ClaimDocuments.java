package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.write.ManifestWriter;
import java.util.List;
import java.util.TreeMap;

/**
 * Renders claims as Kubernetes objects with the status that would be committed.
 * A pending claim has no allocation. Its reason is in annotations with the shape of a condition, so that an API server accepts the
 * object.
 */
public final class ClaimDocuments {
    private static final String PREFIX = "claimstream.dev/";

    private ClaimDocuments() {}

    /** Renders a list in YAML. */
    public static String yaml(List<ClaimResult> answers) {
        return list(answers).yaml();
    }

    /** Renders a list in JSON. */
    public static String json(List<ClaimResult> answers) {
        return list(answers).indentedJson();
    }

    private static Tree.Mapping list(List<ClaimResult> answers) {
        return ManifestWriter.list(answers.stream().map(ClaimDocuments::tree).toList());
    }

    /** Renders one claim. */
    public static Tree.Mapping tree(ClaimResult result) {
        ResourceClaim claim = result.claim();
        return ManifestWriter.tree(
                new ResourceClaim(meta(result), claim.spec(), result.allocation(), result.reservedFor()));
    }

    private static ObjectMeta meta(ClaimResult result) {
        ObjectMeta meta = result.claim().meta();
        if (result.pendingDecision().isEmpty()) {
            return meta;
        }
        Decision.DecisionResult.Pending pending = result.pendingDecision().get();
        var annotations = new TreeMap<>(meta.annotations());
        annotations.put(PREFIX + "condition-type", "Allocated");
        annotations.put(
                PREFIX + "condition-status", pending.reason() == Reason.SearchBudgetExhausted ? "Unknown" : "False");
        annotations.put(PREFIX + "condition-reason", pending.reason().name());
        annotations.put(PREFIX + "condition-message", pending.message());
        return meta.toBuilder().annotations(annotations).build();
    }
}
