package dev.claimstream.dra;

/** Which nodes reach a slice or a device. */
public sealed interface NodeScope {
    /** One node, by name. */
    record OnNode(String node) implements NodeScope {}

    /** Every node. */
    record AllNodes() implements NodeScope {}

    /** The nodes that a selector of one term matches. */
    record Matching(NodeSelector selector) implements NodeScope {}

    /** Each device says it for itself. */
    record PerDevice() implements NodeScope {}

    /** Nothing known is set: the slice is ignored, as upstream does. */
    record Unset() implements NodeScope {}
}
