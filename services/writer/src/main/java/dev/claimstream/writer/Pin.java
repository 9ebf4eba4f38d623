package dev.claimstream.writer;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether a pod is bound to the node of its devices when its gate goes. Without it a node that does not take the pod costs the
 * allocation and a back-off of the scheduler, and the pod can go elsewhere; but a pod that may preempt evicts others there for nothing,
 * because its allocation is cleared in the same cycle. With it the pod keeps node and devices, waits or preempts there, and has to be
 * made anew where the node goes away.
 */
enum Pin {
    /** Those that may preempt. */
    AUTO,
    ALWAYS,
    NEVER;

    /** By its name in settings. */
    static Pin named(String text) {
        return Arrays.stream(values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "claimstream.writer.pin is '%s': use auto, always or never".formatted(text)));
    }

    /** The node to which the pod is bound; absent where it is not, or where its devices can be reached from several. */
    Optional<String> node(GatedPod pod, Allocation allocation) {
        boolean isPinned = switch (this) {
            case AUTO -> pod.pod().mayPreempt();
            case ALWAYS -> true;
            case NEVER -> false;
        };
        return isPinned ? allocation.nodeSelector().flatMap(NodeSelector::onlyNode) : Optional.empty();
    }
}
