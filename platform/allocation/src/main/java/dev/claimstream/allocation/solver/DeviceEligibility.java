package dev.claimstream.allocation.solver;

/** Eligibility of a device for a request option, regardless of its allocations. */
enum DeviceEligibility {
    /** A selector or the node selection rejects the device, or its capacities do not satisfy the request. */
    NO(0),
    /** The device is eligible. */
    YES(1),
    /** The device is eligible except for a taint that the request does not tolerate. */
    TAINTED(2),
    /** A selector failed on the device, or 64-bit arithmetic cannot represent an amount. */
    FAILED(3),
    /** The device would be eligible, but a disabled feature gate excludes it for every request. */
    FEATURE_DISABLED(4);

    /** Number in layout keys. */
    final int code;

    DeviceEligibility(int code) {
        this.code = code;
    }
}
