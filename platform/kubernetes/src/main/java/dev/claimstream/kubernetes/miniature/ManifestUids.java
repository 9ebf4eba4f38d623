package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Resolves the uids in the manifest of a claim.
 *
 * <p>No object of this cluster has such a uid. It stands for the pod or pod group of that name that uses the claim. A finished pod counts,
 * too, so that its reservation can be removed.
 */
final class ManifestUids {
    private final ClusterState state;

    ManifestUids(ClusterState state) {
        this.state = state;
    }

    /** Replaces the uids of the consumers and of the owner that exist by now. */
    StoredObject resolve(StoredObject stored) {
        if (stored.unresolvedUids().isEmpty()) {
            return stored;
        }
        ResourceClaim claim = (ResourceClaim) stored.object();
        SortedSet<String> left = new TreeSet<>(stored.unresolvedUids());
        List<ClaimConsumer> consumers = new ArrayList<>();
        for (ClaimConsumer consumer : claim.reservedFor()) {
            Optional<ClaimConsumer> known =
                    stored.unresolvedUids().contains(consumer.uid()) ? find(claim, consumer) : Optional.empty();
            known.ifPresent(_ -> left.remove(consumer.uid()));
            consumers.add(known.orElse(consumer));
        }
        Optional<Owner> owner = claim.meta().controller();
        Optional<Owner> known = owner.filter(each -> stored.unresolvedUids().contains(each.uid()))
                .flatMap(each -> find(claim, each));
        if (known.isPresent()) {
            owner.ifPresent(each -> left.remove(each.uid()));
        }
        return left.equals(stored.unresolvedUids())
                ? stored
                : state.put(
                        new ResourceClaim(
                                MetadataChanges.withOwner(claim.meta(), known.or(() -> owner)),
                                claim.spec(),
                                claim.allocation(),
                                consumers),
                        left);
    }

    private Optional<ClaimConsumer> find(ResourceClaim claim, ClaimConsumer consumer) {
        var key = new ObjectKey(claim.meta().namespace(), consumer.name());
        if (consumer.isPodGroup()) {
            return state.find(PodGroup.class, Kind.POD_GROUP, key)
                    .filter(group -> uses(group.resourceClaims(), claim))
                    .map(group ->
                            ClaimConsumer.podGroup(consumer.name(), group.meta().uid()));
        }
        return consumer.isPod()
                ? state.find(Pod.class, Kind.POD, key)
                        .filter(pod -> uses(pod.resourceClaims(), claim) || isOwner(claim, pod))
                        .map(pod ->
                                ClaimConsumer.pod(consumer.name(), pod.meta().uid()))
                : Optional.empty();
    }

    private Optional<Owner> find(ResourceClaim claim, Owner owner) {
        return owner.isPod()
                ? state.find(Pod.class, Kind.POD, new ObjectKey(claim.meta().namespace(), owner.name()))
                        .map(pod -> owner.withUid(pod.meta().uid()))
                : Optional.empty();
    }

    private static boolean uses(List<PodClaim> entries, ResourceClaim claim) {
        return entries.stream()
                .flatMap(entry -> entry.claim().stream())
                .anyMatch(claim.meta().name()::equals);
    }

    private static boolean isOwner(ResourceClaim claim, Pod pod) {
        return claim.meta()
                .controller()
                .filter(owner -> owner.isPod() && owner.name().equals(pod.meta().name()))
                .isPresent();
    }
}
