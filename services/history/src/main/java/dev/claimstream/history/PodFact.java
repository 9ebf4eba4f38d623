package dev.claimstream.history;

import java.util.Map;

/**
 * The labels of a pod.
 *
 * @param source empty in a file of format 1
 * @param epoch number of the source's list
 */
record PodFact(Map<String, String> labels, String source, long epoch) {
    PodFact {
        labels = Map.copyOf(labels);
    }

    static PodFact of(HistoryObservation.PodState pod) {
        return new PodFact(pod.labels(), pod.origin().source(), pod.origin().epoch());
    }

    /** Whether the pod is not in a list of its source. */
    boolean isMissingIn(HistoryObservation.ListEnd list) {
        return (source.isEmpty() || source.equals(list.source())) && epoch < list.epoch();
    }
}
