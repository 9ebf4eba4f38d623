package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.ClaimSource;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.DerivedNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A small resourceclaim controller, modelled on {@code pkg/controller/resourceclaim} of kube-controller-manager.
 *
 * <p>It also does for claims what the garbage collector and the finalizer {@code resource.kubernetes.io/delete-protection} do. Every step
 * depends on the objects alone and is idempotent, so that it can be repeated at any time.
 */
final class ResourceClaimController {
    private final ClusterState state;
    private final MetadataFactory metadataFactory;
    private final ManifestUids manifestUids;

    ResourceClaimController(ClusterState state, MetadataFactory metadataFactory) {
        this.state = state;
        this.metadataFactory = metadataFactory;
        this.manifestUids = new ManifestUids(state);
    }

    /** Reconciles dirty objects until none is left. */
    void reconcileAll() {
        for (Optional<ObjectId> next = state.pollDirty(); next.isPresent(); next = state.pollDirty()) {
            reconcile(next.get());
        }
    }

    private void reconcile(ObjectId id) {
        switch (id.kind()) {
            case RESOURCE_CLAIM -> state.find(id).ifPresent(this::reconcileClaim);
            case POD -> state.findActivePod(id.key()).ifPresent(this::reconcilePod);
            case POD_GROUP -> state.findGroup(id.key()).ifPresent(this::reconcileGroup);
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, NODE, NAMESPACE, RESOURCE_CLAIM_TEMPLATE -> {}
        }
    }

    // ---- claims

    private void reconcileClaim(StoredObject stored) {
        StoredObject remaining = releaseFinishedConsumers(manifestUids.resolve(stored));
        ResourceClaim claim = (ResourceClaim) remaining.object();
        boolean unwanted = claim.meta().deleting() || isOrphaned(remaining, claim);
        if (unwanted && !isInUse(remaining, claim)) {
            state.remove(remaining.id());
        } else if (unwanted && !claim.meta().deleting()) {
            put(claim, MetadataChanges.withDeletion(claim.meta()), claim.reservedFor(), remaining.unresolvedUids());
        }
    }

    /**
     * Removes the reservations of claims for pods and pod groups of manifests that do not exist.
     *
     * <p>Call it after all objects of one apply exist, because the pod of a claim may follow the claim.
     */
    void releaseAbsent(Collection<ObjectKey> claims) {
        for (ObjectKey key : claims) {
            state.find(ObjectId.claim(key))
                    .filter(stored -> !stored.unresolvedUids().isEmpty())
                    .ifPresent(this::releaseAbsent);
        }
        reconcileAll();
    }

    private void releaseAbsent(StoredObject stored) {
        ResourceClaim claim = (ResourceClaim) stored.object();
        SortedSet<String> outside = new TreeSet<>(stored.unresolvedUids());
        List<ClaimConsumer> remaining = new ArrayList<>(claim.reservedFor());
        remaining.removeIf(consumer -> isPodOrGroup(consumer) && outside.remove(consumer.uid()));
        if (remaining.size() < claim.reservedFor().size()) {
            put(claim, claim.meta(), remaining, outside);
        }
    }

    /** Removes reservations for finished pods and deleted pod groups. The last one deallocates the claim. */
    private StoredObject releaseFinishedConsumers(StoredObject stored) {
        ResourceClaim claim = (ResourceClaim) stored.object();
        List<ClaimConsumer> remaining = claim.reservedFor().stream()
                .filter(consumer -> !isPodOrGroup(consumer)
                        || stored.unresolvedUids().contains(consumer.uid())
                        || state.isActive(consumer.uid()))
                .toList();
        return remaining.equals(claim.reservedFor())
                ? stored
                : put(claim, claim.meta(), remaining, stored.unresolvedUids());
    }

    /** Returns whether the claim was created for a pod that has finished or for a pod group that is gone. */
    private boolean isOrphaned(StoredObject stored, ResourceClaim claim) {
        return claim.meta()
                .controller()
                .filter(owner -> (owner.isPod() || owner.isPodGroup())
                        && !stored.unresolvedUids().contains(owner.uid()))
                .filter(owner -> !state.isActive(owner.uid()))
                .isPresent();
    }

    /** Returns whether a consumer blocks the deletion of the claim. Consumers with unresolved uids do not block it. */
    static boolean isInUse(StoredObject stored, ResourceClaim claim) {
        return claim.reservedFor().stream()
                .anyMatch(consumer -> !stored.unresolvedUids().contains(consumer.uid()));
    }

    private StoredObject put(
            ResourceClaim claim, ObjectMeta meta, List<ClaimConsumer> consumers, SortedSet<String> outside) {
        boolean free = consumers.isEmpty() && !claim.reservedFor().isEmpty();
        var allocation = free ? Optional.<dev.claimstream.dra.Allocation>empty() : claim.allocation();
        return state.put(new ResourceClaim(meta, claim.spec(), allocation, consumers), outside);
    }

    private static boolean isPodOrGroup(ClaimConsumer consumer) {
        return consumer.isPod() || consumer.isPodGroup();
    }

    // ---- pods and pod groups

    /** Sets the claims from templates in the pod's status. Claims that the pod shares with its group are created for the group. */
    private void reconcilePod(Pod pod) {
        var owner = Owner.pod(pod.meta().name(), pod.meta().uid());
        Optional<PodGroup> group = pod.podGroup()
                .flatMap(name -> state.findGroup(new ObjectKey(pod.meta().namespace(), name)));
        List<PodClaim> answered = pod.resourceClaims().stream()
                .map(entry -> group.flatMap(each -> each.groupClaim(entry))
                        .orElseGet(() -> resolveEntry(pod.meta(), owner, entry)))
                .toList();
        if (!answered.equals(pod.resourceClaims())) {
            state.put(pod.toBuilder().resourceClaims(answered).build(), new TreeSet<>());
        }
    }

    private void reconcileGroup(PodGroup group) {
        var owner = Owner.podGroup(group.meta().name(), group.meta().uid());
        List<PodClaim> answered = group.resourceClaims().stream()
                .map(entry -> resolveEntry(group.meta(), owner, entry))
                .toList();
        if (!answered.equals(group.resourceClaims())) {
            state.put(group.withClaims(answered), new TreeSet<>());
        }
    }

    private PodClaim resolveEntry(ObjectMeta meta, Owner owner, PodClaim entry) {
        return switch (entry.source()) {
            case ClaimSource.ClaimReference _, ClaimSource.NoClaimNeeded _ -> entry;
            case ClaimSource.TemplateReference(String template) -> claimFromTemplate(meta, owner, entry, template);
            case ClaimSource.GeneratedClaim(String template, String claim) ->
                state.find(ObjectId.claim(new ObjectKey(meta.namespace(), claim)))
                                .isPresent()
                        ? entry
                        : claimFromTemplate(meta, owner, entry, template);
        };
    }

    private PodClaim claimFromTemplate(ObjectMeta meta, Owner owner, PodClaim entry, String template) {
        return existingClaim(owner, entry)
                .or(() -> state.find(
                                ResourceClaimTemplate.class,
                                Kind.RESOURCE_CLAIM_TEMPLATE,
                                new ObjectKey(meta.namespace(), template))
                        .map(found -> createClaim(meta, owner, entry, found)))
                .map(claim -> entry.withSource(new ClaimSource.GeneratedClaim(template, claim)))
                .orElse(entry);
    }

    private Optional<String> existingClaim(Owner owner, PodClaim entry) {
        return state.claimsOwnedBy(owner.uid()).stream()
                .map(ResourceClaim::meta)
                .filter(claim -> !claim.deleting()
                        && entry.name().equals(claim.annotations().get(ClusterCompletion.POD_CLAIM_ANNOTATION)))
                .map(ObjectMeta::name)
                .findFirst();
    }

    private String createClaim(ObjectMeta meta, Owner owner, PodClaim entry, ResourceClaimTemplate template) {
        String base = DerivedNames.claimBase(owner.name(), entry.name());
        String name = freeName(Kind.RESOURCE_CLAIM, meta.namespace(), base);
        ObjectMeta identity =
                metadataFactory.newMetadata(ObjectMeta.of(meta.namespace(), name, ""), state.version() + 1);
        state.put(ClusterCompletion.claimFromTemplate(owner, entry, template, identity), new TreeSet<>());
        return name;
    }

    /** Returns a name with this prefix that no object of the kind has. */
    String freeName(Kind kind, String namespace, String base) {
        while (true) {
            String name = DerivedNames.generated(kind, namespace, base, metadataFactory.randomNumber());
            if (state.find(new ObjectId(kind, new ObjectKey(namespace, name))).isEmpty()) {
                return name;
            }
        }
    }
}
