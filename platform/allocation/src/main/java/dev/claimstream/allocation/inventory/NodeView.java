package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Node;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceList;
import java.util.List;
import java.util.Optional;

/**
 * One node with everything that it reaches, in the order of upstream's search: pools by driver and name, those with binding
 * conditions last; slices by name; devices as listed. The place {@code ordinal} stays with the node's name for ever.
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

    /** The node's name. */
    public String name() {
        return name;
    }

    /** The place in arrays that hold something per node. */
    public int ordinal() {
        return ordinal;
    }

    /** Changes whenever anything but the holders and the pods on it changes. */
    public int version() {
        return version;
    }

    /** Whether devices may be given out on it: the node is known, ready and heard of. */
    public boolean isUsable() {
        return content.node.isPresent();
    }

    /** The node; ask only where it is usable. */
    public Node node() {
        return content.node.orElseThrow(() -> new IllegalStateException("node %s is not usable".formatted(name)));
    }

    /** Its devices, in the order in which they are tried. */
    public List<Slot> slots() {
        return content.slots;
    }

    /** Pools that it reaches and that are being updated. */
    public List<PoolId> incompletePools() {
        return content.incomplete;
    }

    /** Pools that it reaches and that contradict themselves. */
    public List<PoolId> invalidPools() {
        return content.invalid;
    }

    /** Whether it sees devices that other nodes see too. */
    public boolean seesShared() {
        return content.seesShared;
    }

    /** Whether a pod that takes this finds room; a node that does not say what it has takes every pod. */
    public boolean hasRoom(ResourceList requests) {
        return hasRoomBeside(ResourceList.none(), requests);
    }

    /** Whether it would find room if these amounts were no longer taken. */
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

    /** What there is too little of for such a pod, a line each. */
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
