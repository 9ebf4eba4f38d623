package dev.claimstream.cli.input;

import dev.claimstream.cli.output.SummaryText;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** Names the workloads whose pods were created, so that a reader of the claim table knows the origin of its pods. */
final class ExpandedWorkloads {
    private static final int NAMES_MAX = 5;

    private ExpandedWorkloads() {}

    /** Returns one line about all workloads with pods; empty if there is none. */
    static Optional<String> line(List<Manifest> manifests) {
        SequencedMap<String, Integer> pods = new LinkedHashMap<>();
        manifests.stream()
                .filter(each -> each.template().isPresent())
                .forEach(each -> pods.merge(workload(each.object().meta()), 1, Integer::sum));
        if (pods.isEmpty()) {
            return Optional.empty();
        }
        int more = pods.size() - NAMES_MAX;
        return Optional.of("created %s of %s: %s%s"
                .formatted(
                        SummaryText.of(
                                pods.values().stream()
                                        .mapToInt(Integer::intValue)
                                        .sum(),
                                "pod"),
                        SummaryText.of(pods.size(), "workload"),
                        pods.entrySet().stream()
                                .limit(NAMES_MAX)
                                .map(each -> "%s (%d)".formatted(each.getKey(), each.getValue()))
                                .collect(Collectors.joining(", ")),
                        more > 0 ? " and %d more".formatted(more) : ""));
    }

    private static String workload(ObjectMeta pod) {
        String namespace = pod.namespace().isEmpty() ? ClusterCompletion.DEFAULT_NAMESPACE : pod.namespace();
        return pod.controller()
                .map(owner -> owner.kind() + " " + new ObjectKey(namespace, owner.name()))
                .orElse("");
    }
}
