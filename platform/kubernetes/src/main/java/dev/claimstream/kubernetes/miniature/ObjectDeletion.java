package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ObjectStore.DeletionResult;
import java.util.List;
import java.util.Optional;

/** Deletes objects, or sets the deletion timestamp of a claim that is in use. */
final class ObjectDeletion {
    /** Order of deletion. Pods come first, which releases their claims. */
    private static final List<Kind> NAMESPACED_KINDS =
            List.of(Kind.POD, Kind.POD_GROUP, Kind.RESOURCE_CLAIM_TEMPLATE, Kind.RESOURCE_CLAIM);

    private final ClusterState state;
    private final ResourceClaimController controller;

    ObjectDeletion(ClusterState state, ResourceClaimController controller) {
        this.state = state;
        this.controller = controller;
    }

    Optional<DeletionResult> delete(ObjectId id) {
        return state.find(id).map(stored -> {
            switch (stored.object()) {
                case ResourceClaim claim -> deleteClaim(stored, claim);
                case dev.claimstream.dra.Namespace _ -> deleteNamespace(id);
                default -> state.remove(id);
            }
            controller.reconcileAll();
            return isStillPresent(id, stored) ? DeletionResult.TERMINATING : DeletionResult.DELETED;
        });
    }

    private boolean isStillPresent(ObjectId id, StoredObject before) {
        return state.find(id)
                .filter(now ->
                        now.object().meta().uid().equals(before.object().meta().uid()))
                .isPresent();
    }

    private void deleteClaim(StoredObject stored, ResourceClaim claim) {
        if (!ResourceClaimController.isInUse(stored, claim)) {
            state.remove(stored.id());
        } else if (!claim.meta().deleting()) {
            state.put(
                    new ResourceClaim(
                            MetadataChanges.withDeletion(claim.meta()),
                            claim.spec(),
                            claim.allocation(),
                            claim.reservedFor()),
                    stored.unresolvedUids());
        }
    }

    private void deleteNamespace(ObjectId id) {
        for (Kind kind : NAMESPACED_KINDS) {
            for (ObjectId each : state.listIds(id.key().name(), kind)) {
                state.find(each).ifPresent(stored -> deleteMember(each, stored));
            }
            controller.reconcileAll();
        }
        state.remove(id);
    }

    private void deleteMember(ObjectId id, StoredObject stored) {
        if (stored.object() instanceof ResourceClaim claim) {
            deleteClaim(stored, claim);
        } else {
            state.remove(id);
        }
    }
}
