package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A drain of one node in a trial, as {@code kubectl drain} does it.
 *
 * <p>The node is cordoned. The pods that use devices of the node are deleted with their claims, and then created again
 * without a node, as their controllers would do it. A pod that is pinned to the node stays pending.
 */
final class NodeDrain {
    private static final String RECREATED_SUFFIX = "-again";

    private final Trial trial;
    private final String node;

    NodeDrain(Trial trial, String node) {
        this.trial = trial;
        this.node = node;
    }

    /** Drains the node. Returns the items that need devices again. An unknown node has no effect. */
    List<ItemId> run() {
        List<ClusterObject> created = evict();
        created.forEach(trial::upsert);
        return items(created);
    }

    /** Deletes the pods and claims. Returns those that are created again. An unknown node has no effect. */
    List<ClusterObject> evict() {
        State state = trial.state();
        Optional<Node> known = state.node(node);
        if (known.isEmpty()) {
            return List.of();
        }
        SortedSet<ObjectKey> claimKeys = claims(state);
        List<ResourceClaim> claims =
                claimKeys.stream().flatMap(key -> state.claim(key).stream()).toList();
        List<Pod> pods = claimKeys.stream()
                .flatMap(key -> state.podsOf(key).stream())
                .distinct()
                .flatMap(key -> state.pod(key).stream())
                .filter(pod -> !pod.finished())
                .toList();
        trial.upsert(withCordon(known.get()));
        pods.forEach(pod -> trial.delete(Kind.POD, pod.key()));
        claims.forEach(claim -> trial.delete(Kind.RESOURCE_CLAIM, claim.key()));
        return Stream.<ClusterObject>concat(
                        pods.stream().map(this::recreated), claims.stream().map(this::recreated))
                .toList();
    }

    /** The claims that use devices of the node, except for quarantines. */
    private SortedSet<ObjectKey> claims(State state) {
        Stream<DeviceUsage> usages = Stream.concat(
                state.inventory().view(node).stream()
                        .map(NodeDeviceView::candidates)
                        .flatMap(List::stream)
                        .filter(candidate -> !candidate.isShared())
                        .map(candidate -> candidate.usage()),
                state.inventory().slices().on(node).stream()
                        .flatMap(slice -> devices(slice).stream())
                        .flatMap(device -> state.inventory().usages().find(device).stream()));
        var keys = new TreeSet<ObjectKey>();
        usages.flatMap(usage -> usage.entries().stream())
                .filter(entry -> !ClaimDevices.isQuarantine(entry.uid()))
                .forEach(entry -> keys.add(entry.claim()));
        return keys;
    }

    private static List<DeviceId> devices(ResourceSlice slice) {
        return slice.devices().stream()
                .map(device -> new DeviceId(slice.driver(), slice.pool(), device.name()))
                .toList();
    }

    private static Node withCordon(Node node) {
        return new Node(node.meta(), node.taints(), true, node.ready(), node.declaredFeatures(), node.allocatable());
    }

    private Pod recreated(Pod pod) {
        return pod.toBuilder()
                .meta(withUid(pod.meta()))
                .nodeName(Optional.empty())
                .finished(false)
                .phase("")
                .build();
    }

    /** The claim without an allocation. Its owner is the pod that is created again. */
    private ResourceClaim recreated(ResourceClaim claim) {
        ObjectMeta meta = withUid(claim.meta());
        Optional<Owner> owner = meta.controller().filter(Owner::isPod);
        return new ResourceClaim(
                owner.map(pod -> meta.withController(pod.withUid(pod.uid() + RECREATED_SUFFIX)))
                        .orElse(meta),
                claim.spec(),
                Optional.empty(),
                List.of());
    }

    /** Metadata of the object that is created again now. */
    private ObjectMeta withUid(ObjectMeta meta) {
        return meta.toBuilder()
                .uid(meta.uid() + RECREATED_SUFFIX)
                .created(Optional.of(trial.at()))
                .deleting(false)
                .build();
    }

    private List<ItemId> items(List<ClusterObject> created) {
        List<ItemId> items = new ArrayList<>();
        created.stream()
                .map(each -> each.kind() == Kind.POD ? ItemId.pod(each.key()) : ItemId.claim(each.key()))
                .flatMap(item -> trial.state().item(item).stream())
                .sorted((one, other) -> one.rank().compareTo(other.rank()))
                .forEach(row -> items.add(row.item()));
        return items;
    }
}
