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

/** Allocations and parts of them as JSON, as {@code status.allocation} has them. */
final class AllocationText {
    private AllocationText() {}

    /** An allocation as a value of YAML or JSON. */
    static Tree tree(Allocation allocation) {
        var claim = new ResourceClaim(
                ObjectMeta.of("default", "any", ""),
                new ClaimSpec(List.of(), List.of(), List.of()),
                Optional.of(allocation),
                List.of());
        return field(field(ManifestWriter.tree(claim), "status"), "allocation");
    }

    /** One result on one line. */
    static String of(DeviceResult result) {
        var allocation = new Allocation(List.of(result), List.of(), Optional.empty(), Optional.empty());
        return only(field(field(tree(allocation), "devices"), "results")).json();
    }

    /** Parameters on one line. */
    static String of(AllocationConfig config) {
        var allocation = new Allocation(List.of(), List.of(config), Optional.empty(), Optional.empty());
        return only(field(field(tree(allocation), "devices"), "config")).json();
    }

    /** A selector on one line. */
    static String of(NodeSelector selector) {
        var allocation = new Allocation(List.of(), List.of(), Optional.of(selector), Optional.empty());
        return field(tree(allocation), "nodeSelector").json();
    }

    /** The same results without the names of shares, which are made up. */
    static List<DeviceResult> withoutShares(List<DeviceResult> results) {
        return results.stream()
                .map(each -> new DeviceResult(
                        each.request(),
                        each.device(),
                        each.adminAccess(),
                        each.tolerations(),
                        each.bindingConditions(),
                        each.bindingFailureConditions(),
                        Optional.empty(),
                        each.consumedCapacity()))
                .toList();
    }

    private static Tree field(Tree tree, String name) {
        Tree value = tree instanceof Tree.Mapping mapping ? mapping.fields().get(name) : null;
        return value == null ? new Tree.Null() : value;
    }

    private static Tree only(Tree tree) {
        return tree instanceof Tree.Sequence sequence ? sequence.items().getFirst() : tree;
    }
}
