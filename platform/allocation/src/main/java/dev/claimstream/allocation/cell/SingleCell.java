package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceUsage;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The only cell: it decides and explains every item, and there is no router. */
enum SingleCell implements CellCoordination {
    INSTANCE;

    @Override
    public boolean observesWholeCluster() {
        return true;
    }

    @Override
    public boolean ownsDeletedPool(List<DeviceUsage.UsageEntry> holders) {
        return true;
    }

    @Override
    public boolean mayBeOfOtherCell(Observation.CommitOutcome outcome) {
        return false;
    }

    @Override
    public long nextDecision(long number) {
        return CellIdentity.SINGLE.nextDecision(number);
    }

    @Override
    public boolean isAssigned(ItemId item, String uid) {
        return true;
    }

    @Override
    public boolean isOffered(ItemId item) {
        return false;
    }

    @Override
    public boolean isReportDue(SchedulingRow.ItemRow row) {
        return false;
    }

    @Override
    public boolean isReportedUnfinished(SchedulingRow.ItemRow row) {
        return false;
    }

    @Override
    public Optional<ItemResult> reportPending(
            SchedulingRow.ItemRow row, Explanation.ExplanationDetail.Pending detail, long steps) {
        return Optional.empty();
    }

    @Override
    public Optional<ItemResult> offer(SchedulingRow.ItemRow row, long steps) {
        return Optional.empty();
    }

    @Override
    public boolean mayDeallocate(ItemId item, String claimUid) {
        return true;
    }

    @Override
    public Optional<ItemResult> proposeDeallocation(
            SchedulingRow.ItemRow row, List<Decision> decisions, Supplier<ItemResult> unplaced) {
        return Optional.empty();
    }

    @Override
    public boolean checksNode(ItemId item, WorkItemAssembly.Ready ready) {
        return true;
    }

    @Override
    public Optional<ItemResult> endReturned(SchedulingRow.ItemRow row) {
        return Optional.empty();
    }

    @Override
    public Optional<Output> reportAllocated(ItemId item, long number, List<String> claims) {
        return Optional.empty();
    }

    @Override
    public ItemResult endDeleted(ItemId item) {
        return ItemResult.NOTHING;
    }

    @Override
    public boolean endsOffer(@Nullable Row before, Fact fact) {
        return false;
    }

    @Override
    public void assign(Observation.ItemAssigned assigned, StateChange change) {}

    @Override
    public void decline(Observation.OfferDeclined declined, StateChange change) {}

    @Override
    public void transferNode(Observation.NodeHandover handover, StateChange change) {}

    @Override
    public List<Output> claimDeleted(String claimUid) {
        return List.of(new Output.ClaimDeleted(claimUid));
    }

    @Override
    public List<Output> allocationReleased(String claimUid) {
        return List.of();
    }

    @Override
    public List<Output> itemsDeleted(Collection<ItemId> items) {
        return items.stream().<Output>map(Output.ExplanationDeleted::new).toList();
    }

    @Override
    public List<Output> textsRefreshed(Instant beganAt, List<ItemId> except) {
        return List.of(new Output.TextsRefreshed(beganAt, except));
    }

    @Override
    public Output probeAnswer(String probe, int allocated, int pending) {
        return new Output.ProbeAnswered(probe, allocated, pending);
    }

    @Override
    public boolean reportsIgnored(Observation observation) {
        return true;
    }
}
