package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** When each item was explained, when all of them were, and when something last changed that an explanation may speak of. */
final class TextTimes {
    private final Map<ItemId, Instant> explained = new HashMap<>();
    private Optional<Instant> refreshed = Optional.empty();
    private Instant changed = Instant.MIN;

    void observe(Observation observation, Instant at) {
        switch (observation) {
            case Observation.Seen _, Observation.Gone _, Observation.Heard _ -> change(at);
            case Observation.Listed _,
                    Observation.Stale _,
                    Observation.Carried _,
                    Observation.Assigned _,
                    Observation.Declined _,
                    Observation.HandOver _,
                    Observation.Configured _,
                    Observation.Restored _,
                    Observation.Tick _,
                    Observation.Continue _,
                    Observation.Probe _ -> {}
        }
    }

    void decided(Decision decision, Instant at) {
        switch (decision.verdict()) {
            case Decision.Verdict.Granted _, Decision.Verdict.Revoked _, Decision.Verdict.Released _ -> change(at);
            case Decision.Verdict.Waits _, Decision.Verdict.Deallocation _ -> {}
        }
    }

    private void change(Instant at) {
        changed = at.isAfter(changed) ? at : changed;
    }

    void explained(ItemId item, Instant at) {
        explained.put(item, at);
    }

    void refreshed(Instant begun) {
        refreshed = Optional.of(begun);
    }

    void forget(ItemId item) {
        explained.remove(item);
    }

    /** Empty where nothing is known of the item. */
    Optional<TextTime> of(ItemId item) {
        return Optional.ofNullable(explained.get(item)).map(this::of);
    }

    private TextTime of(Instant at) {
        Instant asOf = refreshed.filter(at::isBefore).orElse(at);
        return new TextTime(asOf, !changed.isAfter(asOf));
    }
}
