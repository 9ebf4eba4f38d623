package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** What may keep a pod from a node, is no part of our decisions, and is looked at by kube-scheduler when it binds the pod. */
public final class NotLookedAt {
    private NotLookedAt() {}

    /** In a word each. */
    static List<String> of(Pod pod) {
        return pod.topology().usesVolumes() ? List.of("volumes") : List.of();
    }

    /**
     * Of the pod that an explanation is about.
     *
     * @param find an object by what it is and where it stands
     */
    public static List<String> of(
            Optional<Explanation> explanation, BiFunction<Kind, ObjectKey, Optional<? extends ClusterObject>> find) {
        return explanation
                .map(Explanation::item)
                .filter(item -> item.sort() == ItemId.Sort.POD)
                .flatMap(item -> find.apply(Kind.POD, item.key()))
                .map(pod -> of((Pod) pod))
                .orElse(List.of());
    }

    /** In a line. */
    static String text(List<String> all) {
        return "not looked at: the pod's %s; kube-scheduler does, and may refuse the node for them"
                .formatted(String.join(" and ", all));
    }
}
