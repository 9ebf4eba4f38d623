package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The objects that stand, by the last word about each, and by the last list of each kind: what was not shown since that list began is gone.
 * Only of a partition in which one source speaks, by one process at a time, and nothing is late or repeated; that lists follow each other
 * is looked at.
 */
final class LastWords {
    private final SortedMap<String, Row.ObjectRow> standing = new TreeMap<>();
    private final Map<Kind, Long> lists = new HashMap<>();
    private int unsaid;

    void take(Observation observation) {
        switch (observation) {
            case Observation.ObjectUpserted(var stamp, var object) -> {
                follows(object.kind(), stamp);
                var row = new Row.ObjectRow(
                        object.kind(), object.key(), object.meta().uid(), stamp, Optional.of(object));
                standing.put(row.key(), row);
            }
            case Observation.ObjectDeleted gone -> {
                follows(gone.kind(), gone.stamp());
                var row = new Row.ObjectRow(gone.kind(), gone.key(), gone.uid(), gone.stamp(), Optional.empty());
                standing.remove(row.key());
            }
            case Observation.KindSynced listed -> {
                follows(listed.kind(), listed.stamp());
                int before = standing.size();
                standing.values()
                        .removeIf(row -> row.kind() == listed.kind()
                                && row.stamp().epoch() < listed.stamp().epoch());
                unsaid += before - standing.size();
            }
            default -> {}
        }
    }

    private void follows(Kind kind, Stamp stamp) {
        assertThat(stamp.epoch())
                .as("the list that %s follows", kind)
                .isGreaterThanOrEqualTo(lists.getOrDefault(kind, 0L));
        lists.put(kind, stamp.epoch());
    }

    SortedMap<String, Row.ObjectRow> standing() {
        return standing;
    }

    /** How many went without a word of their own. */
    int unsaid() {
        return unsaid;
    }
}
