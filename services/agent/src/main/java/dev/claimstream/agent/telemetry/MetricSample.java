package dev.claimstream.agent.telemetry;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** One sample of an exporter: metric, labels and value. The value can be NaN or infinite. */
record MetricSample(String metric, SortedMap<String, String> labels, double value) {
    MetricSample {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    }

    /** Returns the value of a label; empty if it is missing or blank. */
    Optional<String> label(String name) {
        return Optional.ofNullable(labels.get(name)).filter(value -> !value.isEmpty());
    }
}
