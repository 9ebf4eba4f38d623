package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.Optional;

/** Sets the components of the row of a work item by name. Not thread-safe. */
public final class ItemRowBuilder {
    private final ItemId item;
    private final String uid;
    private final Rank rank;
    private Optional<Reason> reason = Optional.empty();
    private String message = "";
    private long allocationsBefore;
    private Optional<String> earmark = Optional.empty();
    private boolean thorough;
    private long textHash;

    ItemRowBuilder(ItemId item, String uid, Rank rank) {
        this.item = item;
        this.uid = uid;
        this.rank = rank;
    }

    public ItemRowBuilder reason(Optional<Reason> value) {
        reason = value;
        return this;
    }

    public ItemRowBuilder message(String value) {
        message = value;
        return this;
    }

    public ItemRowBuilder allocationsBefore(long value) {
        allocationsBefore = value;
        return this;
    }

    public ItemRowBuilder earmark(Optional<String> value) {
        earmark = value;
        return this;
    }

    public ItemRowBuilder thorough(boolean value) {
        thorough = value;
        return this;
    }

    public ItemRowBuilder textHash(long value) {
        textHash = value;
        return this;
    }

    /** Creates the row. */
    public SchedulingRow.ItemRow build() {
        return new SchedulingRow.ItemRow(
                item, uid, rank, reason, message, allocationsBefore, earmark, thorough, textHash);
    }
}
