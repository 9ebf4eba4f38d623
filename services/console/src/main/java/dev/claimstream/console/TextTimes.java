package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Times of explanations, of the last refresh, and of the last change that an explanation may depend on. */
final class TextTimes {
    private final Map<ItemId, Instant> explained = new HashMap<>();

    /** Items whose reason no refresh recomputes. */
    private final Set<ItemId> notRefreshed = new HashSet<>();

    private Set<ItemId> except = Set.of();
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

    void explained(Explanation explanation, Instant at) {
        explained.put(explanation.item(), at);
        if (explanation.because() instanceof Explanation.Because.Waits waits
                && !waits.diagnosis().reason().isRefreshed()) {
            notRefreshed.add(explanation.item());
        } else {
            notRefreshed.remove(explanation.item());
        }
    }

    void refreshed(Output.Refreshed all) {
        refreshed = Optional.of(all.begun());
        except = Set.copyOf(all.except());
    }

    void forget(ItemId item) {
        explained.remove(item);
        notRefreshed.remove(item);
    }

    /** Returns the time of the last change. */
    Instant changed() {
        return changed;
    }

    /** Returns the time of an item's explanation; empty if the item has none. */
    Optional<TextTime> of(ItemId item) {
        return Optional.ofNullable(explained.get(item)).map(at -> of(item, at));
    }

    private TextTime of(ItemId item, Instant at) {
        boolean isRefreshed = !notRefreshed.contains(item) && !except.contains(item);
        Instant asOf = refreshed.filter(_ -> isRefreshed).filter(at::isBefore).orElse(at);
        return new TextTime(asOf, !changed.isAfter(asOf), isRefreshed);
    }
}
