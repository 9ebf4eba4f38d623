package dev.claimstream.observability;

import java.util.List;

/** Each metric of the console, with its type, labels and help text. */
public enum ConsoleMeter implements Meter {
    QUEUE_FINDINGS(
            "claimstream.queue.findings",
            MeterType.GAUGE,
            "findings",
            "always",
            "Claims that were allocated or rejected repeatedly without a commit, and classes of which no claim is allocated although claims have been pending for 10 minutes. `claimstream queue` has their history.",
            MeterLabel.QUEUE_FINDING),
    NODE_POOL_DEVICES(
            "claimstream.node.pool.devices",
            MeterType.GAUGE,
            "devices",
            "once a device exists",
            "Devices by node pool, driver, product and state: free, allocated, tainted, unusable. A missing device that a claim holds counts as allocated.",
            MeterLabel.NODE_POOL,
            MeterLabel.DRIVER,
            MeterLabel.PRODUCT,
            MeterLabel.CONSOLE_DEVICE_STATE),
    NAMESPACE_DEVICES(
            "claimstream.namespace.devices",
            MeterType.GAUGE,
            "devices",
            "once a claim is allocated",
            "Allocated devices by the namespace of the claim and by use: used, idle, unmeasured. A device that claims of several namespaces share counts once in each.",
            MeterLabel.CLAIM_NAMESPACE,
            MeterLabel.DRIVER,
            MeterLabel.REQUESTED_CLASS,
            MeterLabel.PRODUCT,
            MeterLabel.DEVICE_USE),
    NAMESPACE_CLAIMS(
            "claimstream.namespace.claims",
            MeterType.GAUGE,
            "claims",
            "once a claim exists",
            "Claims by namespace and state: allocated, pending. A claim without a decision counts as pending.",
            MeterLabel.CLAIM_NAMESPACE,
            MeterLabel.CLAIM_STATE),
    NAMESPACE_PENDING(
            "claimstream.namespace.pending.seconds",
            MeterType.GAUGE,
            "seconds",
            "once a claim exists",
            "Sum of the ages of the pending claims of a namespace. Divided by the number of its pending claims it is their mean age.",
            MeterLabel.CLAIM_NAMESPACE),
    DEVICE_INFO(
            "claimstream.device.info",
            MeterType.GAUGE,
            "devices",
            "with `claimstream.console.device-metrics`",
            "Always 1: a device with the claim that holds it, one series per claim; without a holder the labels of the claim are empty. The labels join the series of the vendors' exporters to claims.",
            MeterLabel.NODE,
            MeterLabel.NODE_POOL,
            MeterLabel.DRIVER,
            MeterLabel.POOL,
            MeterLabel.DEVICE,
            MeterLabel.PRODUCT,
            MeterLabel.UUID,
            MeterLabel.PARENT_UUID,
            MeterLabel.PROFILE,
            MeterLabel.SERIAL,
            MeterLabel.INDEX,
            MeterLabel.REQUESTED_CLASS,
            MeterLabel.CLAIM_NAMESPACE,
            MeterLabel.CLAIM);

    @SuppressWarnings("ImmutableEnumChecker") // immutable: it copies its list
    private final MeterFacts facts;

    ConsoleMeter(String base, MeterType type, String unit, String presence, String meaning, MeterLabel... labels) {
        facts = new MeterFacts(base, type, unit, MeterSource.CONSOLE, presence, meaning, List.of(labels));
    }

    @Override
    public MeterFacts facts() {
        return facts;
    }
}
