package dev.claimstream.dra;

import java.util.List;
import java.util.SortedMap;

/** The counters that a device consumes from a counter set of its pool while it is allocated ({@code consumesCounters}). */
public record CounterConsumption(
        String counterSet, SortedMap<String, Quantity> counters, List<String> compatibilityGroups) {
    public CounterConsumption {
        counters = Copies.sorted(counters);
        compatibilityGroups = List.copyOf(compatibilityGroups);
    }
}
