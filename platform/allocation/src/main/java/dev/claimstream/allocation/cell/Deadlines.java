package dev.claimstream.allocation.cell;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Rows that expire by time alone, in order of their deadlines. */
final class Deadlines {
    private final SortedMap<Instant, SortedSet<String>> rows = new TreeMap<>();

    void add(Instant until, String row) {
        rows.computeIfAbsent(until, _ -> new TreeSet<>()).add(row);
    }

    void remove(Instant until, String row) {
        SortedSet<String> there = rows.get(until);
        if (there != null && there.remove(row) && there.isEmpty()) {
            rows.remove(until);
        }
    }

    /** Keys of the rows that have expired at this time. */
    List<String> until(Instant now) {
        List<String> over = new ArrayList<>();
        for (var each : rows.entrySet()) {
            if (each.getKey().isAfter(now)) {
                break;
            }
            over.addAll(each.getValue());
        }
        return over;
    }

    /** The next deadline. */
    Optional<Instant> first() {
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.firstKey());
    }
}
