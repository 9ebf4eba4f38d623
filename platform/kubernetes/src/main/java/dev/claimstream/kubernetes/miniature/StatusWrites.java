package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus.Answer;
import dev.claimstream.kubernetes.ClaimStatus.Change;
import dev.claimstream.kubernetes.ClaimStatus.Part;
import java.util.Optional;

/** Writes the status of claims under the rules of the API server ({@code pkg/apis/resource/validation}). */
final class StatusWrites {

    private final World world;

    StatusWrites(World world) {
        this.world = world;
    }

    Answer write(Change change) {
        return world.find(ObjectId.claim(change.claim()))
                .filter(stored -> stored.object().meta().uid().equals(change.uid()))
                .map(stored -> write(stored, (ResourceClaim) stored.object(), change))
                .orElseGet(Answer.Missing::new);
    }

    private Answer write(Stored stored, ResourceClaim claim, Change asked) {
        if (stored.version() != asked.version()) {
            return new Answer.Changed();
        }
        return switch (asked.part()) {
            case ALL -> writeAll(stored, claim, asked);
            case CONSUMERS -> writeAll(stored, claim, withAllocation(asked, claim.allocation()));
            case VERSION ->
                new Answer.Written(world.put(claim, stored.outside()).version());
        };
    }

    private Answer writeAll(Stored stored, ResourceClaim claim, Change change) {
        return broken(claim, change).<Answer>map(Answer.Refused::new).orElseGet(() -> {
            ResourceClaim written =
                    new ResourceClaim(claim.meta(), claim.spec(), change.allocation(), change.reservedFor());
            return new Answer.Written(
                    written.equals(claim)
                            ? stored.version()
                            : world.put(written, stored.outside()).version());
        });
    }

    private static Change withAllocation(Change change, Optional<Allocation> allocation) {
        return new Change(change.claim(), change.uid(), change.version(), Part.ALL, allocation, change.reservedFor());
    }

    private static Optional<String> broken(ResourceClaim claim, Change change) {
        if (change.allocation().isEmpty() && !change.reservedFor().isEmpty()) {
            return Optional.of("status.reservedFor: Forbidden: may not be specified when `allocated` is not set");
        }
        if (change.reservedFor().size() > Consumer.MAX) {
            return Optional.of("status.reservedFor: Too many: %d: must have at most %d items"
                    .formatted(change.reservedFor().size(), Consumer.MAX));
        }
        if (isReplaced(claim.allocation(), change.allocation())) {
            return Optional.of("status.allocation: Invalid value: field is immutable");
        }
        if (claim.meta().deleting() && !claim.reservedFor().containsAll(change.reservedFor())) {
            return Optional.of("status.reservedFor: Forbidden: new entries may not be added while"
                    + " `deallocationRequested` or `deletionTimestamp` are set");
        }
        return change.reservedFor().stream().map(Consumer::uid).distinct().count()
                        < change.reservedFor().size()
                ? Optional.of("status.reservedFor: Duplicate value: a consumer is named twice")
                : Optional.empty();
    }

    private static boolean isReplaced(Optional<Allocation> now, Optional<Allocation> wanted) {
        return now.isPresent() && wanted.isPresent() && !now.equals(wanted);
    }
}
