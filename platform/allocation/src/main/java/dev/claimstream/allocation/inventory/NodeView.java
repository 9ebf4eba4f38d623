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
 * as listed. The {@code ordinal} of a node name never changes. {@link Inventory} updates the view in place.
 */
public final class NodeView implements Comparable<NodeView> {
    private final String name;
    private final int ordinal;
    private Content content = Content.NONE;
    private ResourceList taken = ResourceList.none();
    private int version;

    NodeView(String name, int ordinal) {
        this.name = name;
        this.ordinal = ordinal;
    }

    void become(Content next) {
        content = next;
        version++;
    }

    void setTaken(ResourceList now) {
        taken = now;
    }

    /** Returns the node name. */
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
    public List<Slot> slots() {
        return content.slots;
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
    public boolean seesShared() {
        return content.seesShared;
    }

    /** Returns whether the node has the requested resources free. A node without {@code allocatable} accepts every pod. */
    public boolean hasRoom(ResourceList requests) {
        return hasRoomBeside(ResourceList.none(), requests);
    }

    /** Returns whether the node would have the requested resources free after these amounts are released. */
    public boolean hasRoomBeside(ResourceList givenUp, ResourceList requests) {
        ResourceList allocatable = node().allocatable();
        return allocatable.isNone()
                || requests.amounts().entrySet().stream()
                        .allMatch(each -> left(each.getKey()) + givenUp.amount(each.getKey()) >= each.getValue());
    }

    private boolean isLeft(String resource, long amount) {
        return left(resource) >= amount;
    }

    private long left(String resource) {
        return node().allocatable().amount(resource) - taken.amount(resource);
    }

    /** Returns one text per resource of which the node has too little. */
    public List<String> lacking(ResourceList requests) {
        return requests.amounts().entrySet().stream()
                .filter(each -> !isLeft(each.getKey(), each.getValue()))
                .map(each -> "%s (%s of %s left, %s asked for)"
                        .formatted(
                                each.getKey(),
                                ResourceList.quantity(each.getKey(), left(each.getKey())),
                                ResourceList.quantity(
                                        each.getKey(), node().allocatable().amount(each.getKey())),
                                ResourceList.quantity(each.getKey(), each.getValue())))
                .toList();
    }

    @Override
    public int compareTo(NodeView other) {
        return name.compareTo(other.name);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeView view && name.equals(view.name);
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
            Optional<Node> node, List<Slot> slots, List<PoolId> incomplete, List<PoolId> invalid, boolean seesShared) {
        static final Content NONE = new Content(Optional.empty(), List.of(), List.of(), List.of(), false);
    }
}
