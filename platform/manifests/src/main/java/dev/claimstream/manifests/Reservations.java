package dev.claimstream.manifests;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Releases outdated entries of {@code status.reservedFor} in a set of manifests, as the resourceclaim controller does.
 *
 * <p>Source: {@code syncClaim} in {@code pkg/controller/resourceclaim}.
 *
 * <ul>
 *   <li>An entry is removed if its pod has ended, or if the pod or pod group of that name has another uid. With the last entry the claim is
 *       deallocated: every allocation sets the finalizer that the controller requires for that.
 *   <li>An entry whose pod or pod group has no uid in the manifests refers to the pod or pod group of that name, if that uses the claim.
 *   <li>An entry is kept if the manifests contain no pod or pod group of that name: they may not contain all pods of a cluster.
 *   <li>A claim without entries is deallocated if it is being deleted, and dropped if it was created for a pod that has ended.
 * </ul>
 */
final class Reservations {
    private final List<Manifest> objects;
    private final Map<ObjectKey, Pod> pods = new HashMap<>();
    private final Map<ObjectKey, PodGroup> groups = new HashMap<>();

    /** @param objects complete with namespaces, names and uids */
    Reservations(List<Manifest> objects) {
        this.objects = List.copyOf(objects);
        for (Manifest manifest : objects) {
            if (manifest.object() instanceof Pod pod) {
                pods.put(pod.key(), pod);
            } else if (manifest.object() instanceof PodGroup group) {
                groups.put(group.key(), group);
            }
        }
    }

    /** Returns the objects without outdated reservations. */
    List<Manifest> withoutEnded() {
        return objects.stream().flatMap(this::withoutEnded).toList();
    }

    private Stream<Manifest> withoutEnded(Manifest manifest) {
        if (!(manifest.object() instanceof ResourceClaim claim)) {
            return Stream.of(manifest);
        }
        List<ClaimConsumer> remaining = claim.reservedFor().stream()
                .flatMap(consumer -> retained(claim, consumer).stream())
                .toList();
        if (remaining.isEmpty() && isOwnerEnded(claim)) {
            return Stream.empty();
        }
        boolean isReleased = remaining.isEmpty()
                && (!claim.reservedFor().isEmpty() || claim.meta().deleting());
        var allocation = isReleased ? Optional.<Allocation>empty() : claim.allocation();
        return Stream.of(manifest.withObject(new ResourceClaim(claim.meta(), claim.spec(), allocation, remaining)));
    }

    private Optional<ClaimConsumer> retained(ResourceClaim claim, ClaimConsumer consumer) {
        var key = new ObjectKey(claim.meta().namespace(), consumer.name());
        if (consumer.isPodGroup()) {
            return Optional.ofNullable(groups.get(key))
                    .map(group -> retained(claim, consumer, group))
                    .orElse(Optional.of(consumer));
        }
        return Optional.of(consumer)
                .filter(ClaimConsumer::isPod)
                .flatMap(_ -> Optional.ofNullable(pods.get(key)))
                .map(pod -> retained(claim, consumer, pod))
                .orElse(Optional.of(consumer));
    }

    private static Optional<ClaimConsumer> retained(ResourceClaim claim, ClaimConsumer consumer, PodGroup group) {
        String uid = group.meta().uid();
        if (uid.equals(consumer.uid())) {
            return Optional.of(consumer);
        }
        return isDerived(Kind.POD_GROUP, group.key(), uid)
                ? Optional.of(
                        uses(group.resourceClaims(), claim) ? ClaimConsumer.podGroup(consumer.name(), uid) : consumer)
                : Optional.empty();
    }

    private static Optional<ClaimConsumer> retained(ResourceClaim claim, ClaimConsumer consumer, Pod pod) {
        String uid = pod.meta().uid();
        boolean isSame = uid.equals(consumer.uid());
        if (!isSame && !isDerived(Kind.POD, pod.key(), uid)) {
            return Optional.empty();
        }
        if (!isSame && !uses(pod.resourceClaims(), claim) && !isOwner(claim, pod)) {
            return Optional.of(consumer);
        }
        return pod.finished() ? Optional.empty() : Optional.of(ClaimConsumer.pod(consumer.name(), uid));
    }

    /** Returns whether the uid is derived from the name, because the manifest has none. */
    private static boolean isDerived(Kind kind, ObjectKey key, String uid) {
        return uid.equals(DerivedNames.uid(kind, key.namespace(), key.name()));
    }

    private static boolean uses(List<PodClaim> entries, ResourceClaim claim) {
        return entries.stream()
                .flatMap(entry -> entry.claim().stream())
                .anyMatch(claim.meta().name()::equals);
    }

    private static boolean isOwner(ResourceClaim claim, Pod pod) {
        return ownerPod(claim)
                .filter(owner -> owner.name().equals(pod.meta().name()))
                .isPresent();
    }

    /** Returns whether the claim's pod has ended, or was replaced by another pod with the same name. */
    private boolean isOwnerEnded(ResourceClaim claim) {
        return ownerPod(claim)
                .flatMap(owner -> Optional.ofNullable(
                                pods.get(new ObjectKey(claim.meta().namespace(), owner.name())))
                        .filter(pod -> hasEnded(owner, pod)))
                .isPresent();
    }

    private static boolean hasEnded(Owner owner, Pod pod) {
        String uid = pod.meta().uid();
        boolean isReplaced = !owner.uid().isEmpty() && !owner.uid().equals(uid) && !isDerived(Kind.POD, pod.key(), uid);
        return pod.finished() || isReplaced;
    }

    private static Optional<Owner> ownerPod(ResourceClaim claim) {
        return claim.meta().controller().filter(Owner::isPod);
    }
}
