package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** Pod fields that may exclude or order nodes and that decisions do not evaluate. */
public final class UnevaluatedPodFields {
    private UnevaluatedPodFields() {}

    private enum Subject {
        VOLUMES("volumes", "kube-scheduler does, and may reject the node because of them"),
        PREFERENCES("preferences", "the node is chosen without them"),
        SCHEDULER("schedulerName", "nodes are filtered as in kube-scheduler, and that scheduler may reject them");

        private final String fieldName;
        private final String meaning;

        Subject(String word, String meaning) {
            this.fieldName = word;
            this.meaning = meaning;
        }

        private boolean isSetIn(Pod pod) {
            return switch (this) {
                case VOLUMES -> pod.topology().usesVolumes();
                case PREFERENCES -> pod.topology().hasPreferences();
                case SCHEDULER -> pod.topology().schedulerName().isPresent();
            };
        }
    }

    /** Returns the names of the fields that a pod sets. */
    static List<String> of(Pod pod) {
        return Arrays.stream(Subject.values())
                .filter(each -> each.isSetIn(pod))
                .map(each -> each.fieldName)
                .toList();
    }

    /**
     * Returns the names of the fields that the explained pod sets.
     *
     * @param find looks up an object by kind and key
     */
    public static List<String> of(
            Optional<Explanation> explanation, BiFunction<Kind, ObjectKey, Optional<? extends ClusterObject>> find) {
        return explanation
                .map(Explanation::item)
                .filter(item -> item.kind() == ItemId.ItemKind.POD)
                .flatMap(item -> find.apply(Kind.POD, item.key()))
                .map(pod -> of((Pod) pod))
                .orElse(List.of());
    }

    /** Returns one line per field name. */
    static List<String> lines(List<String> words) {
        return Arrays.stream(Subject.values())
                .filter(each -> words.contains(each.fieldName))
                .map(each -> "  not evaluated: the pod's %s; %s".formatted(each.fieldName, each.meaning))
                .toList();
    }
}
