package dev.claimstream.dra;

import java.util.SortedMap;

/** Counters that devices of one pool share, for example the memory slices of one GPU ({@code sharedCounters}). */
public record CounterSet(String name, SortedMap<String, Quantity> counters) {
    public CounterSet {
        counters = Copies.sorted(counters);
    }
}
