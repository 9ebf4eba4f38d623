package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.write.ManifestWriter;
import java.util.List;
import java.util.Optional;

/** Writes allocations and their parts as JSON, in the form of {@code status.allocation}. */
final class AllocationText {
    private AllocationText() {}

    /** Returns an allocation as a YAML or JSON value. */
    static Tree tree(Allocation allocation) {
        var claim = new ResourceClaim(
                ObjectMeta.of("default", "any", ""),
                new ClaimSpec(List.of(), List.of(), List.of()),
                Optional.of(allocation),
                List.of());
        return field(field(ManifestWriter.tree(claim), "status"), "allocation");
    }

    /** Returns a result on one line. */
    static String of(DeviceResult result) {
        var allocation = new Allocation(List.of(result), List.of(), Optional.empty(), Optional.empty());
        return onlyItem(field(field(tree(allocation), "devices"), "results")).json();
    }

    /** Returns a configuration on one line. */
    static String of(AllocationConfig config) {
        var allocation = new Allocation(List.of(), List.of(config), Optional.empty(), Optional.empty());
        return onlyItem(field(field(tree(allocation), "devices"), "config")).json();
    }

    /** Returns a node selector on one line. */
    static String of(NodeSelector selector) {
        var allocation = new Allocation(List.of(), List.of(), Optional.of(selector), Optional.empty());
        return field(tree(allocation), "nodeSelector").json();
    }

    /** Returns the results without share ids, which are generated. */
    static List<DeviceResult> withoutShares(List<DeviceResult> results) {
        return results.stream()
                .map(each -> each.toBuilder()
                        .shareId(Optional.empty())
                        .skipNodeOperations(List.of())
                        .build())
                .toList();
    }

    private static Tree field(Tree tree, String name) {
        Tree value = tree instanceof Tree.Mapping mapping ? mapping.fields().get(name) : null;
        return value == null ? new Tree.Null() : value;
    }

    private static Tree onlyItem(Tree tree) {
        return tree instanceof Tree.Sequence sequence ? sequence.items().getFirst() : tree;
    }
}
