package dev.claimstream.scenarios.validity;

/** A rule of the API for allocations. */
public enum Rule {
    /** Each claim has one allocation. */
    ONE_ALLOCATION_EACH,
    /** The feature gates that the claim or device requires are on. */
    FEATURE_GATE,
    /** Every result belongs to a request of its claim. */
    REQUEST_KNOWN,
    /** Every device is in the newest generation of a complete and valid pool that reaches the node. */
    DEVICE_PUBLISHED,
    /** The device itself reaches the node. */
    NODE_REACHED,
    /** The selectors of the class match the device. */
    CLASS_SELECTOR,
    /** The selectors of the request match the device. */
    REQUEST_SELECTOR,
    /** A claim has at most 32 results. */
    RESULTS_MAX,
    /** The request has the requested number of devices. */
    COUNT,
    /** The request has all matching devices, and at least one; all pools are complete and valid. */
    ALL_DEVICES,
    /** Exactly one alternative is chosen. */
    ALTERNATIVE,
    /** A result has admin access exactly if its request has. */
    ADMIN_ACCESS,
    /** Every {@code NoSchedule} and {@code NoExecute} taint is tolerated. */
    TAINTS,
    /** No other claim has the device. */
    IN_USE,
    /** The device is not allocated twice by these claims. */
    ALLOCATED_TWICE,
    /** Exactly the shareable devices have a share ID, which is unique for the device. */
    SHARE_ID,
    /** The device has the requested capacities, and they are sufficient for all shares. */
    CAPACITY,
    /** The request policy of the device allows the consumed amounts. */
    REQUEST_POLICY,
    /** A share lists all capacities of its device, with the amounts that request and policy determine. */
    CONSUMED_CAPACITY,
    /** The allocated devices of a pool consume at most the declared counters. */
    COUNTERS,
    /** The devices on one counter set have a compatibility group in common, or none has any. */
    COMPATIBILITY_GROUPS,
    /** All devices have one value in common. */
    MATCH_ATTRIBUTE,
    /** No two devices have a value in common. */
    DISTINCT_ATTRIBUTE,
    /** The node selector selects exactly the nodes that all devices reach. */
    NODE_SELECTOR,
    /** The configuration of classes and claim, in order. */
    CONFIG,
    /** The tolerations of the request. */
    TOLERATIONS,
    /** The binding conditions of the device. */
    BINDING_CONDITIONS,
    /** The skipped node operations of the slice, on a node that supports skipping. */
    NODE_OPERATIONS
}
