package dev.claimstream.allocation.solver;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Why a work item waits. The names are stable: metric label, event reason and command line text. */
public enum Reason {
    /** What the pod needs together is in several cells. */
    SpansCells(Wake.CLAIMS),
    /** A configured source has not shown everything that it has, or its lists are known to be old. */
    SourcesNotListed(Wake.SOURCES),
    /** A class that a request names does not exist. */
    ClassMissing(Wake.CLASSES),
    /** A class that a request names is not among those of Claimstream: others allocate its claims. */
    NotOurs(Wake.CLASSES),
    /** A claim that the pod names does not exist. */
    ClaimMissing(Wake.CLAIMS),
    /** The template of a claim does not exist. */
    TemplateMissing(Wake.CLAIMS),
    /** The group that the pod is in does not exist, so that it is open whose its claims are. */
    PodGroupMissing(Wake.CLAIMS),
    /** The claim for a template is not made yet, or what stands in its place was made for another. */
    ClaimNotMade(Wake.CLAIMS),
    /** The claim is of a cluster and no pod uses it: Kubernetes allocates a claim when a pod needs it. */
    NoConsumer(Wake.CONSUMERS),
    /** Claim, pod or namespace is being deleted. */
    BeingDeleted(Wake.CLAIMS),
    /** The cluster did not take what the claim was given. */
    Refused(Wake.CLAIMS),
    /** What the claim was given lost a device before it was written, and is taken back before it is given anew. */
    TakenBack(Wake.CLAIMS),
    /** The pod cannot use the node of its claim's allocation: the claim is deallocated, then allocated again. */
    Reallocating(Wake.CLAIMS),
    /** A device of the claim is not published any more, and no node has another one for the pod. */
    DeviceGone(Wake.CAPACITY),
    /** Admin access is asked for in a namespace that does not allow it. */
    AdminAccessDenied(Wake.NAMESPACES),
    /** The claim asks for more than 32 devices, or for all of them and they are more. */
    LimitExceeded(Wake.CAPACITY),
    /** The claim uses something that is not served: a mode, selector or constraint of a newer API, or a feature that is off. */
    Unsupported(Wake.CLASSES),
    /** A shared claim has its 256 consumers already. */
    ConsumersExhausted(Wake.CLAIMS),
    /** A selector does not compile or failed on a device. */
    SelectorError(Wake.CAPACITY),
    /** The claim wants all devices, and a pool is being updated. */
    PoolIncomplete(Wake.CAPACITY),
    /** The claim wants all devices, and a pool contradicts itself. */
    PoolInvalid(Wake.CAPACITY),
    /** No usable node is allowed for the pod, or the claims that it shares stand elsewhere. */
    NoUsableNode(Wake.CAPACITY),
    /** The class selects no device that is known. */
    ClassSelectsNothing(Wake.CAPACITY),
    /** Devices of the class are known, and a selector of the request takes none of them. */
    SelectorFalse(Wake.CAPACITY),
    /** No node has as many matching devices as are wanted, not even when they are all free. */
    TooFewOnOneNode(Wake.CAPACITY),
    /** A constraint cannot be satisfied on any node, not even when all devices are free. */
    ConstraintUnsatisfied(Wake.CAPACITY),
    /** The devices take more of shared counters together than there is, even when they are all free. */
    CountersExceeded(Wake.CAPACITY),
    /** The requests take more of a capacity than devices have, alone or together, even when they are all free. */
    CapacityExceeded(Wake.CAPACITY),
    /** The devices have no compatibility group in common, even when they are all free. */
    GroupsIncompatible(Wake.CAPACITY),
    /** It would fit on devices whose taints are not tolerated. */
    Tainted(Wake.CAPACITY),
    /** It fits on devices that are allocated to others. */
    DevicesInUse(Wake.CAPACITY),
    /** It fits on partitions that the counters have no room for beside allocated ones. */
    CountersExhausted(Wake.CAPACITY),
    /** It fits on shared devices whose remaining capacity is too small. */
    CapacityExhausted(Wake.CAPACITY),
    /** It would fit on nodes that have too little cpu, memory or room for pods left. */
    NodeFull(Wake.ROOM),
    /**
     * Its devices take of their node what the pod cannot account for: more than it asks for as a whole, or beside another pod.
     */
    NotAccountable(Wake.ROOM),
    /** It would fit on a node that has not taken it a short while ago. */
    NodeRefused(Wake.ROOM),
    /** It would fit on nodes that other pods keep it from: affinity, anti-affinity, spread, or a port of the node. */
    OtherPods(Wake.NEIGHBOURS),
    /** Too few pods of its group are there, or fit at the same time. */
    GangIncomplete(Wake.ANYTHING),
    /** It would fit on a node where an older item is waiting for the same devices. */
    Earmarked(Wake.CAPACITY),
    /** It does not fit, for several reasons at once. */
    DoesNotFit(Wake.CAPACITY),
    /** The counted effort was spent before an answer; never the same as impossible. */
    Undecided(Wake.CAPACITY),
    /** A selector is still being evaluated on the devices, or the search goes on, in slices of counted work. */
    EvaluationPending(Wake.WORK);

    private static final Set<Reason> FOR_HOLDERS =
            Collections.unmodifiableSet(EnumSet.of(DevicesInUse, CountersExhausted, CapacityExhausted));

    private final Wake wake;

    Reason(Wake wake) {
        this.wake = wake;
    }

    /** The reasons for which it would fit if others gave back what they hold. */
    public static Set<Reason> forHolders() {
        return FOR_HOLDERS;
    }

    /** Whether it would fit if others gave back what they hold. */
    public boolean isForHolders() {
        return FOR_HOLDERS.contains(this);
    }

    /** Whether a refresh renews the text: not where it tells how far the work has come, or would cost a whole search budget. */
    public boolean isRefreshed() {
        return this != SourcesNotListed && this != Undecided && this != EvaluationPending;
    }

    /** Whether it waits for devices that are there and that others have, or are to have. */
    public boolean isForOthers() {
        return isForHolders() || this == Earmarked;
    }

    /** What has to change before it is worth another look. */
    public Wake wake() {
        return wake;
    }

    /** Kinds of change that wake waiting items. */
    public enum Wake {
        /** A source lists. */
        SOURCES,
        /** A class appears or changes. */
        CLASSES,
        /** A claim, pod or template appears or changes. */
        CLAIMS,
        /** A pod uses the claim from now on: the claim and its pod are touched by that, and no other item is woken. */
        CONSUMERS,
        /** A namespace appears or changes. */
        NAMESPACES,
        /** Devices or nodes appear, change or become free. */
        CAPACITY,
        /** A pod leaves room on its node, or what {@link #CAPACITY} says. */
        ROOM,
        /** Pods that somebody asks about come or go, or what {@link #ROOM} says. */
        NEIGHBOURS,
        /** The work for the item goes on; no change of an object is needed. */
        WORK,
        /** Any of these. */
        ANYTHING;

        /** Whether such a change is one for which this is waited. */
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
