package dev.claimstream.allocation.cell;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/** Sets the components of the row of an allocation by name. Not thread-safe. */
public final class AllocationRowBuilder {
    private final ObjectKey claim;
    private final String claimUid;
    private final ItemId item;
    private long number;
    private String node = "";
    private Allocation allocation;
    private List<ClaimConsumer> reservedFor = List.of();
    private long claimVersion;
    private ClaimRow.AllocationRow.CommitState commitState = ClaimRow.AllocationRow.CommitState.DECIDED;

    AllocationRowBuilder(ObjectKey claim, String claimUid, ItemId item, Allocation allocation) {
        this.claim = claim;
        this.claimUid = claimUid;
        this.item = item;
        this.allocation = allocation;
    }

    public AllocationRowBuilder number(long value) {
        number = value;
        return this;
    }

    public AllocationRowBuilder node(String value) {
        node = value;
        return this;
    }

    public AllocationRowBuilder allocation(Allocation value) {
        allocation = value;
        return this;
    }

    public AllocationRowBuilder reservedFor(List<ClaimConsumer> value) {
        reservedFor = value;
        return this;
    }

    public AllocationRowBuilder claimVersion(long value) {
        claimVersion = value;
        return this;
    }

    public AllocationRowBuilder commitState(ClaimRow.AllocationRow.CommitState value) {
        commitState = value;
        return this;
    }

    /** Creates the row. */
    public ClaimRow.AllocationRow build() {
        return new ClaimRow.AllocationRow(
                claim, claimUid, number, item, node, allocation, reservedFor, claimVersion, commitState);
    }
}
