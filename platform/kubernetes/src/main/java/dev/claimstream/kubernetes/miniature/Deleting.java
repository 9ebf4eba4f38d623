package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ObjectStore.Deleted;
import java.util.List;
import java.util.Optional;

/** Deletes objects, or sets the deletion timestamp of a claim that is in use. */
final class Deleting {
    /** Order of deletion. Pods come first, which releases their claims. */
    private static final List<Kind> IN_NAMESPACES =
            List.of(Kind.POD, Kind.POD_GROUP, Kind.RESOURCE_CLAIM_TEMPLATE, Kind.RESOURCE_CLAIM);

    private final World world;
    private final Controller controller;

    Deleting(World world, Controller controller) {
        this.world = world;
        this.controller = controller;
    }

    Optional<Deleted> delete(ObjectId id) {
        return world.find(id).map(stored -> {
            switch (stored.object()) {
                case ResourceClaim claim -> claim(stored, claim);
                case dev.claimstream.dra.Namespace _ -> namespace(id);
                default -> world.remove(id);
            }
            controller.settle();
            return isSame(id, stored) ? Deleted.TERMINATING : Deleted.GONE;
        });
    }

    private boolean isSame(ObjectId id, Stored before) {
        return world.find(id)
                .filter(now ->
                        now.object().meta().uid().equals(before.object().meta().uid()))
                .isPresent();
    }

    private void claim(Stored stored, ResourceClaim claim) {
        if (!Controller.isInUse(stored, claim)) {
            world.remove(stored.id());
        } else if (!claim.meta().deleting()) {
            world.put(
                    new ResourceClaim(
                            Claims.deleting(claim.meta()), claim.spec(), claim.allocation(), claim.reservedFor()),
                    stored.outside());
        }
    }

    private void namespace(ObjectId id) {
        for (Kind kind : IN_NAMESPACES) {
            for (ObjectId each : world.in(id.key().name(), kind)) {
                world.find(each).ifPresent(stored -> remove(each, stored));
            }
            controller.settle();
        }
        world.remove(id);
    }

    private void remove(ObjectId id, Stored stored) {
        if (stored.object() instanceof ResourceClaim claim) {
            claim(stored, claim);
        } else {
            world.remove(id);
        }
    }
}
