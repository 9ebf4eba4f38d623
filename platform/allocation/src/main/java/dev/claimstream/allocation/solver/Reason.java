package dev.claimstream.allocation.solver;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reason why a work item is pending. Metrics, Events and the CLI use the constant names: do not rename them.
 * {@code REASONS.md} documents the remedies.
 */
public enum Reason {
    /** Objects that the pod needs together are in several cells. */
    SpansCells(Wake.CLAIMS),
    /** A configured source is not synced, or its lists are known to be stale. */
    SourcesNotListed(Wake.SOURCES),
    /** A requested class does not exist. */
    ClassMissing(Wake.CLASSES),
    /** A requested class is unmanaged: another allocator handles its claims. */
    NotOurs(Wake.CLASSES),
    /** A claim that the pod names does not exist. */
    ClaimMissing(Wake.CLAIMS),
    /** The template of a claim does not exist. */
    TemplateMissing(Wake.CLAIMS),
    /** The pod group of the pod does not exist, so that the owner of its claims is unknown. */
    PodGroupMissing(Wake.CLAIMS),
    /** The claim of a template does not exist yet, or a claim with its name belongs to another owner. */
    ClaimNotMade(Wake.CLAIMS),
    /** No pod uses the cluster's claim; Kubernetes allocates a claim only when a pod needs it. */
    NoConsumer(Wake.CONSUMERS),
    /** The claim, the pod or the namespace is being deleted. */
    BeingDeleted(Wake.CLAIMS),
    /** The cluster rejected the allocation of the claim. */
    Refused(Wake.CLAIMS),
    /**
     * A device of this allocation disappeared before it was written; the allocation is revoked before a new one is
     * made.
     */
    TakenBack(Wake.CLAIMS),
    /** The pod cannot use the node of the claim's allocation; the claim is deallocated and then allocated again. */
    Reallocating(Wake.CLAIMS),
    /** A device of the claim is no longer published, and no node has another one for the pod. */
    DeviceGone(Wake.CAPACITY),
    /** The namespace does not allow admin access. */
    AdminAccessDenied(Wake.NAMESPACES),
    /** The claim requests more than 32 devices, or all devices and there are more. */
    LimitExceeded(Wake.CAPACITY),
    /** The claim uses an unsupported field of a newer API (mode, selector, constraint) or a disabled feature. */
    Unsupported(Wake.CLASSES),
    /** A shared claim already has its 256 consumers. */
    ConsumersExhausted(Wake.CLAIMS),
    /** A selector does not compile, or failed on a device. */
    SelectorError(Wake.CAPACITY),
    /** The claim requests all devices, and a pool is being updated. */
    PoolIncomplete(Wake.CAPACITY),
    /** The claim requests all devices, and a pool is inconsistent. */
    PoolInvalid(Wake.CAPACITY),
    /** No usable node is allowed for the pod, or its shared claims are allocated elsewhere. */
    NoUsableNode(Wake.CAPACITY),
    /** The class selects no published device. */
    ClassSelectsNothing(Wake.CAPACITY),
    /** The class selects devices, but a selector of the request rejects all of them. */
    SelectorFalse(Wake.CAPACITY),
    /** No node has enough matching devices, allocated or not. */
    TooFewOnOneNode(Wake.CAPACITY),
    /** No node can satisfy a constraint, even with all devices unallocated. */
    ConstraintUnsatisfied(Wake.CAPACITY),
    /** The devices together exceed shared counters, even with all devices unallocated. */
    CountersExceeded(Wake.CAPACITY),
    /** The requests, alone or together, exceed a capacity of the devices, even with all devices unallocated. */
    CapacityExceeded(Wake.CAPACITY),
    /** The devices have no common compatibility group, even with all devices unallocated. */
    GroupsIncompatible(Wake.CAPACITY),
    /** The item fits only on devices with untolerated taints. */
    Tainted(Wake.CAPACITY),
    /** The item fits on devices that are allocated to other claims. */
    DevicesInUse(Wake.CAPACITY),
    /** The item fits on partitions for which allocated devices leave too little of the shared counters. */
    CountersExhausted(Wake.CAPACITY),
    /** The item fits on shared devices with too little remaining capacity. */
    CapacityExhausted(Wake.CAPACITY),
    /** The item fits on nodes with too little remaining cpu, memory or pods. */
    NodeFull(Wake.ROOM),
    /**
     * The pod cannot account for the node resources of its devices. They exceed its pod-level requests, or another pod
     * uses the claim.
     */
    NotAccountable(Wake.ROOM),
    /** The item fits only on a node that recently rejected it. */
    NodeRefused(Wake.ROOM),
    /** The item fits on nodes that other pods exclude: affinity, anti-affinity, topology spread or host port. */
    OtherPods(Wake.NEIGHBOURS),
    /** Too few pods of the gang exist, or fit at the same time. */
    GangIncomplete(Wake.ANYTHING),
    /** The item fits on a node that is earmarked for an older item. */
    Earmarked(Wake.CAPACITY),
    /** The item does not fit, for several reasons together. */
    DoesNotFit(Wake.CAPACITY),
    /** The search budget was exhausted before a result; this does not mean that the item is unsatisfiable. */
    Undecided(Wake.CAPACITY),
    /** The evaluation of a selector, or the search, continues in slices of counted work. */
    EvaluationPending(Wake.WORK);

    private static final Set<Reason> FOR_HOLDERS =
            Collections.unmodifiableSet(EnumSet.of(DevicesInUse, CountersExhausted, CapacityExhausted));

    private final Wake wake;

    Reason(Wake wake) {
        this.wake = wake;
    }

    /** Reasons that deallocation of other claims can resolve. */
    public static Set<Reason> forHolders() {
        return FOR_HOLDERS;
    }

    /** Returns whether deallocation of other claims can resolve this reason. */
    public boolean isForHolders() {
        return FOR_HOLDERS.contains(this);
    }

    /**
     * Returns whether a refresh recomputes the text. It does not if the text reports progress, or if the recomputation
     * would cost a whole search budget.
     */
    public boolean isRefreshed() {
        return this != SourcesNotListed && this != Undecided && this != EvaluationPending;
    }

    /** Returns whether the item waits for existing devices that are allocated to, or earmarked for, other items. */
    public boolean isForOthers() {
        return isForHolders() || this == Earmarked;
    }

    /** Returns the kind of change that triggers a retry. */
    public Wake wake() {
        return wake;
    }

    /** Kinds of change that trigger a retry of pending items. */
    public enum Wake {
        /** A source is synced. */
        SOURCES,
        /** A class is upserted. */
        CLASSES,
        /** A claim, pod or template is upserted. */
        CLAIMS,
        /** A pod starts to use the claim. The change touches the claim and the pod, and triggers no other item. */
        CONSUMERS,
        /** A namespace is upserted. */
        NAMESPACES,
        /** Devices or nodes appear, change or become free. */
        CAPACITY,
        /** A pod releases resources of its node, or {@link #CAPACITY} changes. */
        ROOM,
        /** Pods that a rule refers to appear or disappear, or {@link #ROOM} changes. */
        NEIGHBOURS,
        /** The work for the item continues; no object has to change. */
        WORK,
        /** Any change. */
        ANYTHING;

        /** Returns whether such a change triggers the retry. */
        public boolean isMetBy(Wake change) {
            return switch (this) {
                case ROOM -> change == ROOM || change == CAPACITY;
                case NEIGHBOURS -> change == NEIGHBOURS || change == ROOM || change == CAPACITY;
                case ANYTHING -> true;
                default -> change == this;
            };
        }
    }
}
