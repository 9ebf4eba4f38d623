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
final class Deadlines implements RowIndex {
    private final SortedMap<Instant, SortedSet<String>> rows = new TreeMap<>();

    @Override
    public void add(Row row) {
        deadline(row)
                .ifPresent(until ->
                        rows.computeIfAbsent(until, _ -> new TreeSet<>()).add(row.key()));
    }

    @Override
    public void remove(Row row) {
        deadline(row).ifPresent(until -> {
            SortedSet<String> there = rows.get(until);
            if (there != null && there.remove(row.key()) && there.isEmpty()) {
                rows.remove(until);
            }
        });
    }

    private static Optional<Instant> deadline(Row row) {
        return switch (row) {
            case ClaimRow.QuarantineRow quarantine -> Optional.of(quarantine.until());
            case SchedulingRow.AvoidedNodeRow avoided -> Optional.of(avoided.until());
            case SchedulingRow.RefreshRow refresh -> Optional.of(refresh.due());
            default -> Optional.empty();
        };
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
