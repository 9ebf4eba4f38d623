package dev.claimstream.dra;

/** The node selection of a slice or a device. */
public sealed interface NodeScope {
    /** A single node ({@code nodeName}). */
    record SingleNode(String node) implements NodeScope {}

    /** All nodes. */
    record AllNodes() implements NodeScope {}

    /** The nodes that match a selector with one term ({@code nodeSelector}). */
    record MatchingNodes(NodeSelector selector) implements NodeScope {}

    /** Each device has its own node selection ({@code perDeviceNodeSelection}). */
    record PerDevice() implements NodeScope {}

    /** No known field is set. The slice is ignored, as upstream does. */
    record UnknownScope() implements NodeScope {}
}
