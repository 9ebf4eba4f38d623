package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Explanation.ExplanationDetail;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** Sets the components of the row of a work item and its location by name. Not thread-safe. */
public final class ItemLocationRowBuilder {
    private final ItemId item;
    private final String uid;
    private final Rank rank;
    private RouterRow.ItemLocation location = new RouterRow.ItemLocation.AtRouter(false);
    private List<ObjectKey> claims = List.of();
    private Optional<Reason> reason = Optional.empty();
    private String message = "";
    private SortedMap<Integer, ExplanationDetail.Pending> reasons = Collections.emptySortedMap();
    private SortedSet<String> ended = Collections.emptySortedSet();

    ItemLocationRowBuilder(ItemId item, String uid, Rank rank) {
        this.item = item;
        this.uid = uid;
        this.rank = rank;
    }

    public ItemLocationRowBuilder location(RouterRow.ItemLocation value) {
        location = value;
        return this;
    }

    public ItemLocationRowBuilder claims(List<ObjectKey> value) {
        claims = value;
        return this;
    }

    public ItemLocationRowBuilder reason(Optional<Reason> value) {
        reason = value;
        return this;
    }

    public ItemLocationRowBuilder message(String value) {
        message = value;
        return this;
    }

    public ItemLocationRowBuilder reasons(SortedMap<Integer, ExplanationDetail.Pending> value) {
        reasons = value;
        return this;
    }

    public ItemLocationRowBuilder ended(SortedSet<String> value) {
        ended = value;
        return this;
    }

    /** Creates the row. */
    public RouterRow.ItemLocationRow build() {
        return new RouterRow.ItemLocationRow(item, uid, rank, location, claims, reason, message, reasons, ended);
    }
}
