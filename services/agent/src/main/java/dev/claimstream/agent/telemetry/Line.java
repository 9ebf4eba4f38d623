package dev.claimstream.agent.telemetry;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** One line of an exporter: a metric with its labels and its value, which can be NaN or infinite. */
record Line(String metric, SortedMap<String, String> labels, double value) {
    Line {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    }

    /** The value of a label that is there and not empty. */
    Optional<String> label(String name) {
        return Optional.ofNullable(labels.get(name)).filter(value -> !value.isEmpty());
    }
}
