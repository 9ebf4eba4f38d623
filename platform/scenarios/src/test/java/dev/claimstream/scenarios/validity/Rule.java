package dev.claimstream.scenarios.validity;

/** What an allocation has to keep. */
public enum Rule {
    /** Each claim that was asked about has one allocation. */
    ONE_ALLOCATION_EACH,
    /** The gates are on without which a claim or a device cannot be served. */
    FEATURE_GATE,
    /** Every result belongs to a request of its claim. */
    REQUEST_KNOWN,
    /** Every device is one that the node sees, in the newest generation of a pool that is complete and valid. */
    DEVICE_PUBLISHED,
    /** The device itself reaches the node. */
    NODE_REACHED,
    /** The class takes the device. */
    CLASS_SELECTOR,
    /** The request takes the device. */
    REQUEST_SELECTOR,
    /** No more than 32 devices a claim. */
    RESULTS_MAX,
    /** As many devices as the request says. */
    COUNT,
    /** Every device that matches, of pools that are all complete and valid, and at least one. */
    ALL_DEVICES,
    /** One alternative and no other. */
    ALTERNATIVE,
    /** A result says that it is for an administrator exactly if its request does. */
    ADMIN_ACCESS,
    /** Every taint that keeps away is tolerated. */
    TAINTS,
    /** Nobody else has the device. */
    IN_USE,
    /** The device is not given out a second time here. */
    GIVEN_TWICE,
    /** What can be shared carries the name of its share, which is like no other; nothing else does. */
    SHARE_ID,
    /** The device has the capacities that are asked for, and all shares together fit into them. */
    CAPACITY,
    /** The amounts are such as the policy of the device allows. */
    REQUEST_POLICY,
    /** A share lists all capacities of its device with the amounts that follow from request and policy. */
    CONSUMED_CAPACITY,
    /** What all allocated devices of a pool take is no more than its counters have. */
    COUNTERS,
    /** Devices on one counter set have a group in common, or none has any. */
    COMPATIBILITY_GROUPS,
    /** One value that all devices have. */
    MATCH_ATTRIBUTE,
    /** Values of which no two devices share one. */
    DISTINCT_ATTRIBUTE,
    /** The allocation reaches exactly the nodes that all its devices reach. */
    NODE_SELECTOR,
    /** The parameters of classes and claim, in order. */
    CONFIG,
    /** The tolerations of the request. */
    TOLERATIONS,
    /** The conditions of the device. */
    BINDING_CONDITIONS,
    /** The operations that the slice leaves out, on a node that knows how. */
    NODE_OPERATIONS
}
