package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteScope;
import java.util.Optional;

/** Writes the status of claims under the rules of the API server ({@code pkg/apis/resource/validation}). */
final class StatusWrites {

    private final ClusterState state;

    StatusWrites(ClusterState state) {
        this.state = state;
    }

    WriteResult write(StatusChange change) {
        return state.find(ObjectId.claim(change.claim()))
                .filter(stored -> stored.object().meta().uid().equals(change.uid()))
                .map(stored -> write(stored, (ResourceClaim) stored.object(), change))
                .orElseGet(WriteResult.NotFound::new);
    }

    private WriteResult write(StoredObject stored, ResourceClaim claim, StatusChange requested) {
        if (stored.version() != requested.version()) {
            return new WriteResult.Conflict();
        }
        return switch (requested.scope()) {
            case ALL -> writeAll(stored, claim, requested);
            case CONSUMERS -> writeAll(stored, claim, withAllocation(requested, claim.allocation()));
            case VERSION ->
                new WriteResult.Success(
                        state.put(claim, stored.unresolvedUids()).version());
        };
    }

    private WriteResult writeAll(StoredObject stored, ResourceClaim claim, StatusChange change) {
        return violation(claim, change)
                .<WriteResult>map(WriteResult.Rejected::new)
                .orElseGet(() -> {
                    ResourceClaim written =
                            new ResourceClaim(claim.meta(), claim.spec(), change.allocation(), change.reservedFor());
                    return new WriteResult.Success(
                            written.equals(claim)
                                    ? stored.version()
                                    : state.put(written, stored.unresolvedUids())
                                            .version());
                });
    }

    private static StatusChange withAllocation(StatusChange change, Optional<Allocation> allocation) {
        return new StatusChange(
                change.claim(), change.uid(), change.version(), WriteScope.ALL, allocation, change.reservedFor());
    }

    private static Optional<String> violation(ResourceClaim claim, StatusChange change) {
        if (change.allocation().isEmpty() && !change.reservedFor().isEmpty()) {
            return Optional.of("status.reservedFor: Forbidden: may not be specified when `allocated` is not set");
        }
        if (change.reservedFor().size() > ClaimConsumer.MAX) {
            return Optional.of("status.reservedFor: Too many: %d: must have at most %d items"
                    .formatted(change.reservedFor().size(), ClaimConsumer.MAX));
        }
        if (isReplaced(claim.allocation(), change.allocation())) {
            return Optional.of("status.allocation: Invalid value: field is immutable");
        }
        if (claim.meta().deleting() && !claim.reservedFor().containsAll(change.reservedFor())) {
            return Optional.of("status.reservedFor: Forbidden: new entries may not be added while"
                    + " `deallocationRequested` or `deletionTimestamp` are set");
        }
        return change.reservedFor().stream().map(ClaimConsumer::uid).distinct().count()
                        < change.reservedFor().size()
                ? Optional.of("status.reservedFor: Duplicate value: a consumer is named twice")
                : Optional.empty();
    }

    private static boolean isReplaced(Optional<Allocation> now, Optional<Allocation> requested) {
        return now.isPresent() && requested.isPresent() && !now.equals(requested);
    }
}
