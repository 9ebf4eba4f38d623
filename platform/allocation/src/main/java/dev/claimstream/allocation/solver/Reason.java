package dev.claimstream.allocation.solver;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reason why a work item is pending. Metrics, Events, records and the CLI use the constant names. A rename needs a new format of the state ({@code StateRowCodec.FORMAT}).
 * {@code REASONS.md} documents the remedies.
 */
public enum Reason {
    /** Objects that the pod needs together are in several cells. */
    SpansCells(RetryTrigger.CLAIMS),
    /** A configured source is not synced, or its lists are known to be stale. */
    SourcesNotSynced(RetryTrigger.SOURCES),
    /** A requested class does not exist. */
    ClassMissing(RetryTrigger.CLASSES),
    /** A requested class is unmanaged: another allocator handles its claims. */
    Unmanaged(RetryTrigger.CLASSES),
    /** A claim that the pod names does not exist. */
    ClaimMissing(RetryTrigger.CLAIMS),
    /** The template of a claim does not exist. */
    TemplateMissing(RetryTrigger.CLAIMS),
    /** The pod group of the pod does not exist, so that the owner of its claims is unknown. */
    PodGroupMissing(RetryTrigger.CLAIMS),
    /** The claim of a template does not exist yet, or a claim with its name belongs to another owner. */
    ClaimNotCreated(RetryTrigger.CLAIMS),
    /** No pod uses the cluster's claim; Kubernetes allocates a claim only when a pod needs it. */
    NoConsumer(RetryTrigger.CONSUMERS),
    /** The pod has a scheduling gate of another controller, such as a queue that has not admitted it. */
    OtherSchedulingGate(RetryTrigger.CONSUMERS),
    /** The claim, the pod or the namespace is being deleted. */
    Terminating(RetryTrigger.CLAIMS),
    /** The cluster rejected the allocation of the claim. */
    Rejected(RetryTrigger.CLAIMS),
    /**
     * A device of this allocation disappeared before it was written; the allocation is revoked before a new one is
     * made.
     */
    Revoking(RetryTrigger.CLAIMS),
    /** The pod cannot use the node of the claim's allocation; the claim is deallocated and then allocated again. */
    Reallocating(RetryTrigger.CLAIMS),
    /** A device of the claim is no longer published, and no node has another one for the pod. */
    DeviceNotPublished(RetryTrigger.CAPACITY),
    /** The namespace does not allow admin access. */
    AdminAccessDenied(RetryTrigger.NAMESPACES),
    /** The claim requests more than 32 devices, or all devices and there are more. */
    LimitExceeded(RetryTrigger.CAPACITY),
    /** The claim uses an unsupported field of a newer API (mode, selector, constraint) or a disabled feature. */
    Unsupported(RetryTrigger.CLASSES),
    /** A shared claim already has its 256 consumers. */
    ConsumersExhausted(RetryTrigger.CLAIMS),
    /** A selector does not compile, or failed on a device. */
    SelectorError(RetryTrigger.CAPACITY),
    /** The claim requests all devices, and a pool is being updated. */
    PoolIncomplete(RetryTrigger.CAPACITY),
    /** The claim requests all devices, and a pool is inconsistent. */
    PoolInvalid(RetryTrigger.CAPACITY),
    /** No usable node is allowed for the pod, or its shared claims are allocated elsewhere. */
    NoUsableNode(RetryTrigger.CAPACITY),
    /** The class selects no published device. */
    ClassMatchesNoDevice(RetryTrigger.CAPACITY),
    /** The class selects devices, but a selector of the request rejects all of them. */
    SelectorMatchesNoDevice(RetryTrigger.CAPACITY),
    /** No node has enough matching devices, allocated or not. */
    InsufficientDevicesPerNode(RetryTrigger.CAPACITY),
    /** No node can satisfy a constraint, even with all devices unallocated. */
    ConstraintUnsatisfied(RetryTrigger.CAPACITY),
    /** The devices together exceed shared counters, even with all devices unallocated. */
    CountersExceeded(RetryTrigger.CAPACITY),
    /** The requests, alone or together, exceed a capacity of the devices, even with all devices unallocated. */
    CapacityExceeded(RetryTrigger.CAPACITY),
    /** The devices have no common compatibility group, even with all devices unallocated. */
    GroupsIncompatible(RetryTrigger.CAPACITY),
    /** The item fits only on devices with untolerated taints. */
    Tainted(RetryTrigger.CAPACITY),
    /** The item fits on devices that are allocated to other claims. */
    DevicesInUse(RetryTrigger.CAPACITY),
    /** The item fits on partitions for which allocated devices leave too little of the shared counters. */
    CountersExhausted(RetryTrigger.CAPACITY),
    /** The item fits on shared devices with too little remaining capacity. */
    CapacityExhausted(RetryTrigger.CAPACITY),
    /** The item fits on nodes with too little remaining cpu, memory or pods. */
    NodeFull(RetryTrigger.NODE_RESOURCES),
    /**
     * The pod cannot account for the node resources of its devices. They exceed its pod-level requests, or another pod
     * uses the claim.
     */
    NodeResourcesUnknown(RetryTrigger.NODE_RESOURCES),
    /** The item fits only on a node that recently rejected it. */
    NodeRejected(RetryTrigger.NODE_RESOURCES),
    /** The item fits on nodes that other pods exclude: affinity, anti-affinity, topology spread or host port. */
    InterPodConstraints(RetryTrigger.PODS),
    /** Too few pods of the gang exist, or fit at the same time. */
    GangIncomplete(RetryTrigger.ANY),
    /** The item fits on a node that is earmarked for an older item. */
    Earmarked(RetryTrigger.CAPACITY),
    /** The item does not fit, for several reasons together. */
    DoesNotFit(RetryTrigger.CAPACITY),
    /** The item fits. Claimstream only observes, and kube-scheduler has not allocated its claims yet. */
    ObserveOnly(RetryTrigger.CLAIMS),
    /** The search budget was exhausted before a result; this does not mean that the item is unsatisfiable. */
    SearchBudgetExhausted(RetryTrigger.CAPACITY),
    /** The evaluation of a selector, or the search, continues in slices of counted work. */
    EvaluationPending(RetryTrigger.WORK);

    private static final Set<Reason> RESOLVED_BY_DEALLOCATION =
            Collections.unmodifiableSet(EnumSet.of(DevicesInUse, CountersExhausted, CapacityExhausted));

    private static final Set<Reason> RESOLVED_BY_NODE = Collections.unmodifiableSet(EnumSet.of(
            NoUsableNode,
            ClassMatchesNoDevice,
            SelectorMatchesNoDevice,
            InsufficientDevicesPerNode,
            ConstraintUnsatisfied,
            CountersExceeded,
            CapacityExceeded,
            GroupsIncompatible,
            Tainted,
            DevicesInUse,
            CountersExhausted,
            CapacityExhausted,
            NodeFull,
            NodeRejected,
            InterPodConstraints,
            Earmarked,
            DoesNotFit));

    private final RetryTrigger retryTrigger;

    Reason(RetryTrigger retryTrigger) {
        this.retryTrigger = retryTrigger;
    }

    /** Reasons that deallocation of other claims can resolve. */
    public static Set<Reason> resolvedByDeallocation() {
        return RESOLVED_BY_DEALLOCATION;
    }

    /** Returns whether deallocation of other claims can resolve this reason. */
    public boolean isResolvedByDeallocation() {
        return RESOLVED_BY_DEALLOCATION.contains(this);
    }

    /** Returns whether a new node with suitable devices can resolve this reason. */
    public boolean isResolvedByNode() {
        return RESOLVED_BY_NODE.contains(this);
    }

    /**
     * Returns whether a refresh recomputes the text. It does not if the text reports progress, or if the recomputation
     * would cost a whole search budget.
     */
    public boolean isRefreshable() {
        return this != SourcesNotSynced && this != SearchBudgetExhausted && this != EvaluationPending;
    }

    /** Returns whether the item waits for existing devices that are allocated to, or earmarked for, other items. */
    public boolean isDeviceContention() {
        return isResolvedByDeallocation() || this == Earmarked;
    }

    /** Returns the kind of change that triggers a retry. */
    public RetryTrigger retryTrigger() {
        return retryTrigger;
    }

    /** Kinds of change that trigger a retry of pending items. */
    public enum RetryTrigger {
        /** A source is synced. */
        SOURCES,
        /** A class changes or is deleted. */
        CLASSES,
        /**
         * A claim or template changes, or a pod finishes or is deleted. Changes of a pod or pod group touch their own
         * items instead.
         */
        CLAIMS,
        /** A pod starts to use the claim, or loses a gate. The change touches the claim and the pod, and triggers no other item. */
        CONSUMERS,
        /** A namespace changes or is deleted. */
        NAMESPACES,
        /** Devices or nodes appear, change or become free. */
        CAPACITY,
        /** A pod releases resources of its node, or {@link #CAPACITY} changes. */
        NODE_RESOURCES,
        /** Pods that a rule refers to appear or disappear, or {@link #NODE_RESOURCES} changes. */
        PODS,
        /** The work for the item continues; no object has to change. */
        WORK,
        /** Any change. */
        ANY;

        /** Returns whether such a change triggers the retry. */
        public boolean isTriggeredBy(RetryTrigger change) {
            return switch (this) {
                case NODE_RESOURCES -> change == NODE_RESOURCES || change == CAPACITY;
                case PODS -> change == PODS || change == NODE_RESOURCES || change == CAPACITY;
                case ANY -> true;
                default -> change == this;
            };
        }
    }
}
