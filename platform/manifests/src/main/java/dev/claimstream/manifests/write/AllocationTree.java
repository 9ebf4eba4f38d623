package dev.claimstream.manifests.write;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.tree.Tree;

/** Writes {@code ResourceClaim.status}. */
final class AllocationTree {
    private AllocationTree() {}

    static Tree.Mapping of(ResourceClaim claim) {
        return Tree.mapping(fields -> fields.putIfPresent("allocation", claim.allocation(), AllocationTree::allocation)
                .putList("reservedFor", claim.reservedFor(), AllocationTree::consumer));
    }

    private static Tree allocation(Allocation allocation) {
        Tree devices = Tree.mapping(fields -> fields.putList("results", allocation.results(), AllocationTree::result)
                .putList("config", allocation.config(), AllocationTree::config));
        return Tree.mapping(fields -> fields.put("devices", devices)
                .putIfPresent("nodeSelector", allocation.nodeSelector(), SharedTrees::nodeSelector)
                .putIfPresent("allocationTimestamp", allocation.allocationTimestamp(), MetadataTree::time));
    }

    private static Tree result(DeviceResult result) {
        return Tree.mapping(fields -> fields.put("request", result.request())
                .put("driver", result.device().driver())
                .put("pool", result.device().pool())
                .put("device", result.device().device())
                .putIfTrue("adminAccess", result.adminAccess())
                .putList("tolerations", result.tolerations(), SharedTrees::toleration)
                .putList("bindingConditions", result.bindingConditions(), Tree::of)
                .putList("bindingFailureConditions", result.bindingFailureConditions(), Tree::of)
                .putIfPresent("shareID", result.shareId(), Tree::of)
                .putMap("consumedCapacity", result.consumedCapacity(), SharedTrees::quantity)
                .putList("skipNodeOperations", result.skipNodeOperations(), Tree::of));
    }

    private static Tree config(AllocationConfig config) {
        return Tree.mapping(fields -> {
            fields.put("source", config.source().apiName()).putList("requests", config.requests(), Tree::of);
            SharedTrees.opaque(fields, config.opaque());
        });
    }

    private static Tree consumer(ClaimConsumer consumer) {
        return Tree.mapping(fields -> fields.putUnlessEmpty("apiGroup", consumer.apiGroup())
                .put("resource", consumer.resource())
                .put("name", consumer.name())
                .put("uid", consumer.uid()));
    }
}
