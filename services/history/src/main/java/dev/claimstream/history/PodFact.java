package dev.claimstream.history;

import java.util.Map;

/** The labels of a pod. */
record PodFact(Map<String, String> labels) {
    PodFact {
        labels = Map.copyOf(labels);
    }
}
