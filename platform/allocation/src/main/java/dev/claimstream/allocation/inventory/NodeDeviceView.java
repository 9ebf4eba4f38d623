package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Node;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceList;
import java.util.List;
import java.util.Optional;

/**
 * A node with the devices that it can access and the resources that pods reserve on it.
 *
 * <p>Devices have the order of the upstream search: pools by driver and name, pools with binding conditions last; slices by name; devices
 * as listed. The {@code ordinal} of a node name never changes. {@link DeviceInventory} updates the view in place.
 */
public final class NodeDeviceView implements Comparable<NodeDeviceView> {
    private final String name;
    private final int ordinal;
    private Content content = Content.NONE;
    private ResourceList reserved = ResourceList.none();
    private int version;

    NodeDeviceView(String name, int ordinal) {
        this.name = name;
        this.ordinal = ordinal;
    }

    void update(Content next) {
        content = next;
        version++;
    }

    void setReserved(ResourceList now) {
        reserved = now;
    }

    public String name() {
        return name;
    }

    /** Returns the index of the node in arrays with one element per node. */
    public int ordinal() {
        return ordinal;
    }

    /** Returns a number that changes with every update except those of device usage and reserved resources. */
    public int version() {
        return version;
    }

    /** Returns whether devices may be allocated on the node: it exists, is ready and is not silent. */
    public boolean isUsable() {
        return content.node.isPresent();
    }

    /**
     * Returns the node.
     *
     * @throws IllegalStateException if the node is not usable
     */
    public Node node() {
        return content.node.orElseThrow(() -> new IllegalStateException("node %s is not usable".formatted(name)));
    }

    /** Returns the accessible devices in search order. */
    public List<DeviceCandidate> candidates() {
        return content.candidates;
    }

    /** Returns the accessible pools whose newest generation is incomplete. */
    public List<PoolId> incompletePools() {
        return content.incomplete;
    }

    /** Returns the accessible pools with contradictory slices. */
    public List<PoolId> invalidPools() {
        return content.invalid;
    }

    /** Returns whether a device is accessible from other nodes, too. */
    public boolean reachesSharedDevices() {
        return content.reachesSharedDevices;
    }

    /** Returns whether the node has the requested resources free. A node without {@code allocatable} accepts every pod. */
    public boolean hasCapacityFor(ResourceList requests) {
        return hasCapacityAfterRelease(ResourceList.none(), requests);
    }

    /** Returns whether the node would have the requested resources free after these amounts are released. */
    public boolean hasCapacityAfterRelease(ResourceList released, ResourceList requests) {
        ResourceList allocatable = node().allocatable();
        return allocatable.isNone()
                || requests.amounts().entrySet().stream()
                        .allMatch(each -> available(each.getKey()) + released.amount(each.getKey()) >= each.getValue());
    }

    private boolean isAvailable(String resource, long amount) {
        return available(resource) >= amount;
    }

    private long available(String resource) {
        return node().allocatable().amount(resource) - reserved.amount(resource);
    }

    /** Returns one text per resource of which the node has too little. */
    public List<String> insufficientResources(ResourceList requests) {
        return requests.amounts().entrySet().stream()
                .filter(each -> !isAvailable(each.getKey(), each.getValue()))
                .map(each -> "%s (%s of %s left, %s requested)"
                        .formatted(
                                each.getKey(),
                                ResourceList.quantity(each.getKey(), available(each.getKey())),
                                ResourceList.quantity(
                                        each.getKey(), node().allocatable().amount(each.getKey())),
                                ResourceList.quantity(each.getKey(), each.getValue())))
                .toList();
    }

    @Override
    public int compareTo(NodeDeviceView other) {
        return name.compareTo(other.name);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeDeviceView view && name.equals(view.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }

    record Content(
            Optional<Node> node,
            List<DeviceCandidate> candidates,
            List<PoolId> incomplete,
            List<PoolId> invalid,
            boolean reachesSharedDevices) {
        static final Content NONE = new Content(Optional.empty(), List.of(), List.of(), List.of(), false);
    }
}
