package dev.claimstream.observability;

/** The labels of the meters, each with its values. Every label has a limit, so that no producer can create series without end. */
public enum MeterLabel {
    CLAIM_STATE("state", 2, "`allocated`, `pending`"),
    PENDING_REASON(
            "reason",
            45,
            "a code of [REASONS.md](../platform/allocation/REASONS.md); empty for an allocated claim, and for a pending claim that was not evaluated yet"),
    QUEUE_FINDING("kind", 2, "`repeatedly-rejected`, `never-allocated`"),
    DRIVER("driver", Meters.ROWS_MAX, "a driver with ResourceSlices; `(other)` beyond the limit"),
    DEVICE_CLASS(
            "class",
            Meters.ROWS_MAX,
            "the managed DeviceClass whose selectors the device satisfies; `(several)` if there are more than one; `(none)` if there is none or the device is not published; `(other)` beyond the limit"),
    DEVICE_STATE("state", 5, "`free`, `allocated`, `tainted`, `unusable`, `lost`: see below"),
    DECISION_RESULT("result", 5, "`allocated`, `pending`, `revoked`, `deallocation`, `released`"),
    COMPARISON_RESULT("result", 5, "`same`, `other-devices`, `other-node`, `only-kube-scheduler`, `not-compared`"),
    DEVICE_ALARM("kind", 3, "`conflict`, `device-lost`, `overdrawn`"),
    ALARM("kind", 4, "`conflict`, `device-lost`, `overdrawn`, `input-failing`"),
    CELL_TOPIC("topic", 2, "`cells.in`, `router.in`"),
    PUBLIC_TOPIC("topic", 3, "`inventory.v1`, `claims.v1`, `outcomes.v1`"),
    PRODUCER_TOPIC("topic", 2, "`inventory.v1`, `claims.v1`"),
    CELL("cell", Meters.ROWS_MAX, "the number of a cell, as set by `topics.cells`; `router`"),
    BAD_RECORD_REASON(
            "reason",
            8,
            "`NoMagicByte`, `UnknownSchema`, `WrongSchema`, `Truncated`, `TrailingBytes`, `TooLarge`, `Malformed`, `RuleBroken`"),
    IGNORED_REASON("reason", 3, "`stale`, `foreign`, `unknown-decision`"),
    KIND(
            "kind",
            9,
            "`ResourceSlice`, `DeviceClass`, `DeviceTaintRule`, `Node`, `Namespace`, `ResourceClaim`, `ResourceClaimTemplate`, `Pod`, `PodGroup`"),
    SHADOW_PLACEMENT(
            "placement", 6, "`same`, `other-devices`, `other-node`, `only-recorded`, `only-candidate`, `neither`"),
    SHADOW_SIDE("side", 2, "`recorded`, `candidate`"),
    OUTCOME("outcome", 5, "`committed`, `rejected`, `conflict`, `deleted`, `superseded`"),
    INTERVAL_STATE("state", 2, "`open`, `ended`"),
    HISTORY_QUESTION(
            "question", 8, "`who`, `history`, `usage`, `usage-series`, `blast-radius`, `sql`, `export`, `other`"),
    CONSOLE_DEVICE_STATE(
            "state", 4, "`free`, `allocated`, `tainted`, `unusable`, as in the [console](console/README.md)"),
    DEVICE_USE(
            "use",
            3,
            "`used`, `idle` (utilisation below `claimstream.console.idle-percent`), `unmeasured` (no utilisation in the last five minutes)"),
    NODE_POOL(
            "node_pool",
            Meters.ROWS_MAX,
            "the value of the first label of `claimstream.console.node-pool-labels` that the node has; `(none)` without one, and for a device of several nodes; `(other)` beyond the limit"),
    PRODUCT(
            "product",
            Meters.ROWS_MAX,
            "the product in the attributes of the device, else empty; `(other)` beyond the limit"),
    REQUESTED_CLASS(
            "class",
            Meters.ROWS_MAX,
            "the DeviceClass of the request that has the device, else empty; `(other)` beyond the limit"),
    CLAIM_NAMESPACE(
            "claim_namespace",
            Meters.ROWS_MAX,
            "the namespace of a claim; `(other)` beyond the limit. Prometheus itself sets `namespace` to that of the console's pod"),
    NODE("node", Meters.DEVICES_MAX, "the node of the device; `*` for all nodes, `(selector)` for several"),
    POOL("pool", Meters.DEVICES_MAX, "the pool of the device"),
    DEVICE("device", Meters.DEVICES_MAX, "the name of the device"),
    UUID("uuid", Meters.DEVICES_MAX, "the attribute `uuid`, else empty"),
    PARENT_UUID("parent_uuid", Meters.DEVICES_MAX, "the attribute `parentUUID` of a MIG device, else empty"),
    PROFILE("profile", 1000, "the attribute `profile` of a MIG device, else empty"),
    SERIAL("serial", Meters.DEVICES_MAX, "the attribute `serial` or `serialNumber`, else empty"),
    INDEX(
            "index",
            Meters.DEVICES_MAX,
            "the attribute `index` or `deviceId`, else the place of the PCI address among those of the pool, else the last digits of the name, else empty"),
    CLAIM("claim", Meters.DEVICES_MAX, "the name of the claim that the device is allocated to, else empty"),
    PART("part", 20, "a part of the [health](../deploy/runbook/HEALTH.md) of the service");

    private final String text;
    private final int valuesMax;
    private final String valuesText;

    MeterLabel(String text, int valuesMax, String valuesText) {
        this.text = text;
        this.valuesMax = valuesMax;
        this.valuesText = valuesText;
    }

    /** The name in Prometheus. */
    public String text() {
        return text;
    }

    /** The maximum number of values in one cluster. */
    public int valuesMax() {
        return valuesMax;
    }

    /** The values, in Markdown. */
    public String valuesText() {
        return valuesText;
    }

    /** Whether users or producers choose the values, so that {@link Meters} has to limit them. */
    boolean isOpen() {
        return switch (this) {
            case DRIVER,
                    DEVICE_CLASS,
                    NODE_POOL,
                    PRODUCT,
                    REQUESTED_CLASS,
                    CLAIM_NAMESPACE,
                    NODE,
                    POOL,
                    DEVICE,
                    UUID,
                    PARENT_UUID,
                    PROFILE,
                    SERIAL,
                    INDEX,
                    CLAIM -> true;
            default -> false;
        };
    }
}
