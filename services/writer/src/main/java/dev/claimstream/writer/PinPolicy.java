package dev.claimstream.writer;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether a pod is pinned to the node of its devices, by required node affinity, in the write that opens its gate (ADR 14).
 *
 * <p>Unpinned, a pod that its node does not admit costs the allocation and one backoff of kube-scheduler, and can then
 * run elsewhere. A pod that may preempt would evict other pods in vain, because kube-scheduler clears its allocation in
 * the same cycle. Bound, the pod keeps node and devices and waits or preempts there, and must be recreated if the node
 * is deleted.
 */
enum PinPolicy {
    /** Binds the pods that may preempt. */
    AUTO,
    ALWAYS,
    NEVER;

    /**
     * Parses a value of the setting {@code claimstream.writer.pin}.
     *
     * @throws IllegalArgumentException if the value is unknown
     */
    static PinPolicy parse(String text) {
        return Arrays.stream(values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "claimstream.writer.pin is '%s': use auto, always or never".formatted(text)));
    }

    /** Returns the node to pin the pod to; empty if it is not pinned or several nodes can access its devices. */
    Optional<String> node(GatedPod pod, Allocation allocation) {
        boolean isPinned = switch (this) {
            case AUTO -> pod.pod().mayPreempt();
            case ALWAYS -> true;
            case NEVER -> false;
        };
        return isPinned ? allocation.nodeSelector().flatMap(NodeSelector::onlyNode) : Optional.empty();
    }
}
