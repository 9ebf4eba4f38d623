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
final class ExplanationTimes {
    private final Map<ItemId, Instant> explained = new HashMap<>();

    /** Items whose reason no refresh recomputes. */
    private final Set<ItemId> notRefreshed = new HashSet<>();

    private Set<ItemId> except = Set.of();
    private Optional<Instant> refreshed = Optional.empty();
    private Instant lastChange = Instant.MIN;

    void observe(Observation observation, Instant at) {
        switch (observation) {
            case Observation.ObjectUpserted _, Observation.ObjectDeleted _, Observation.NodeLiveness _ -> change(at);
            case Observation.KindSynced _,
                    Observation.KindStale _,
                    Observation.CommitOutcome _,
                    Observation.ItemAssigned _,
                    Observation.OfferDeclined _,
                    Observation.NodeHandover _,
                    Observation.SettingsChanged _,
                    Observation.DecisionRestored _,
                    Observation.Tick _,
                    Observation.WorkSliceDue _,
                    Observation.Probe _ -> {}
        }
    }

    void applyDecision(Decision decision, Instant at) {
        switch (decision.result()) {
            case Decision.DecisionResult.Allocated _,
                    Decision.DecisionResult.Revoked _,
                    Decision.DecisionResult.Released _ -> change(at);
            case Decision.DecisionResult.Pending _, Decision.DecisionResult.Deallocation _ -> {}
        }
    }

    private void change(Instant at) {
        lastChange = at.isAfter(lastChange) ? at : lastChange;
    }

    void explained(Explanation explanation, Instant at) {
        explained.put(explanation.item(), at);
        if (explanation.detail() instanceof Explanation.ExplanationDetail.Pending pending
                && !pending.diagnosis().reason().isRefreshable()) {
            notRefreshed.add(explanation.item());
        } else {
            notRefreshed.remove(explanation.item());
        }
    }

    void refreshed(Output.TextsRefreshed all) {
        refreshed = Optional.of(all.beganAt());
        except = Set.copyOf(all.except());
    }

    void forget(ItemId item) {
        explained.remove(item);
        notRefreshed.remove(item);
    }

    Instant lastChange() {
        return lastChange;
    }

    /** Returns the time of an item's explanation; empty if the item has none. */
    Optional<ExplanationTime> of(ItemId item) {
        return Optional.ofNullable(explained.get(item)).map(at -> of(item, at));
    }

    private ExplanationTime of(ItemId item, Instant at) {
        boolean isRefreshed = !notRefreshed.contains(item) && !except.contains(item);
        Instant asOf = refreshed.filter(_ -> isRefreshed).filter(at::isBefore).orElse(at);
        return new ExplanationTime(asOf, !lastChange.isAfter(asOf), isRefreshed);
    }
}
