package dev.claimstream.systemtests.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.ObservedRow;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Tracks the existing objects of a partition by their last records and by sync markers. A sync marker removes the
 * objects that its list did not contain. The partition must have one source, one process at a time, and no late or
 * repeated records. The order of the lists is asserted.
 */
final class PublishedObjectTracker {
    private final SortedMap<String, ObservedRow.ObjectRow> existing = new TreeMap<>();
    private final Map<Kind, Long> epochs = new HashMap<>();
    private int impliedDeletions;

    void apply(Observation observation) {
        switch (observation) {
            case Observation.ObjectUpserted(var stamp, var object) -> {
                assertEpochOrder(object.kind(), stamp);
                var row = new ObservedRow.ObjectRow(
                        object.kind(), object.key(), object.meta().uid(), stamp, Optional.of(object));
                existing.put(row.key(), row);
            }
            case Observation.ObjectDeleted gone -> {
                assertEpochOrder(gone.kind(), gone.stamp());
                var row =
                        new ObservedRow.ObjectRow(gone.kind(), gone.key(), gone.uid(), gone.stamp(), Optional.empty());
                existing.remove(row.key());
            }
            case Observation.KindSynced listed -> {
                assertEpochOrder(listed.kind(), listed.stamp());
                int before = existing.size();
                existing.values()
                        .removeIf(row -> row.kind() == listed.kind()
                                && row.stamp().epoch() < listed.stamp().epoch());
                impliedDeletions += before - existing.size();
            }
            default -> {}
        }
    }

    private void assertEpochOrder(Kind kind, Stamp stamp) {
        assertThat(stamp.epoch())
                .as("the list that %s follows", kind)
                .isGreaterThanOrEqualTo(epochs.getOrDefault(kind, 0L));
        epochs.put(kind, stamp.epoch());
    }

    SortedMap<String, ObservedRow.ObjectRow> existing() {
        return existing;
    }

    /** Returns the number of objects that a sync marker removed without a deletion record. */
    int impliedDeletions() {
        return impliedDeletions;
    }
}
