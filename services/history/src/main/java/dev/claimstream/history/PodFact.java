package dev.claimstream.history;

import java.util.Map;
import java.util.TreeMap;

/** The labels of a pod. */
record PodFact(Map<String, String> labels) {
    PodFact {
        labels = new TreeMap<>(labels);
    }
}
