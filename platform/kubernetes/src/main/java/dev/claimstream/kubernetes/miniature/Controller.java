package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.Source;
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
final class Controller {
    private final World world;
    private final Births births;
    private final ManifestUids manifestUids;

    Controller(World world, Births births) {
        this.world = world;
        this.births = births;
        this.manifestUids = new ManifestUids(world);
    }

    /** Reconciles dirty objects until none is left. */
    void settle() {
        for (Optional<ObjectId> next = world.nextUnsettled(); next.isPresent(); next = world.nextUnsettled()) {
            look(next.get());
        }
    }

    private void look(ObjectId id) {
        switch (id.kind()) {
            case RESOURCE_CLAIM -> world.find(id).ifPresent(this::claim);
            case POD -> world.running(id.key()).ifPresent(this::pod);
            case POD_GROUP -> world.group(id.key()).ifPresent(this::group);
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, NODE, NAMESPACE, RESOURCE_CLAIM_TEMPLATE -> {}
        }
    }

    // ---- claims

    private void claim(Stored stored) {
        Stored left = released(manifestUids.replaced(stored));
        ResourceClaim claim = (ResourceClaim) left.object();
        boolean unwanted = claim.meta().deleting() || isLeftBehind(left, claim);
        if (unwanted && !isInUse(left, claim)) {
            world.remove(left.id());
        } else if (unwanted && !claim.meta().deleting()) {
            put(claim, Claims.deleting(claim.meta()), claim.reservedFor(), left.outside());
        }
    }

    /**
     * Removes the reservations of claims for pods and pod groups of manifests that do not exist.
     *
     * <p>Call it after all objects of one apply exist, because the pod of a claim may follow the claim.
     */
    void releaseAbsent(Collection<ObjectKey> claims) {
        for (ObjectKey key : claims) {
            world.find(ObjectId.claim(key))
                    .filter(stored -> !stored.outside().isEmpty())
                    .ifPresent(this::releaseAbsent);
        }
        settle();
    }

    private void releaseAbsent(Stored stored) {
        ResourceClaim claim = (ResourceClaim) stored.object();
        SortedSet<String> outside = new TreeSet<>(stored.outside());
        List<Consumer> left = new ArrayList<>(claim.reservedFor());
        left.removeIf(consumer -> isPodOrGroup(consumer) && outside.remove(consumer.uid()));
        if (left.size() < claim.reservedFor().size()) {
            put(claim, claim.meta(), left, outside);
        }
    }

    /** Removes reservations for finished pods and deleted pod groups. The last one deallocates the claim. */
    private Stored released(Stored stored) {
        ResourceClaim claim = (ResourceClaim) stored.object();
        List<Consumer> left = claim.reservedFor().stream()
                .filter(consumer -> !isPodOrGroup(consumer)
                        || stored.outside().contains(consumer.uid())
                        || world.isThere(consumer.uid()))
                .toList();
        return left.equals(claim.reservedFor()) ? stored : put(claim, claim.meta(), left, stored.outside());
    }

    /** Returns whether the claim was created for a pod that has finished or for a pod group that is gone. */
    private boolean isLeftBehind(Stored stored, ResourceClaim claim) {
        return claim.meta()
                .controller()
                .filter(owner ->
                        (isPod(owner) || isPodGroup(owner)) && !stored.outside().contains(owner.uid()))
                .filter(owner -> !world.isThere(owner.uid()))
                .isPresent();
    }

    /** Returns whether a consumer blocks the deletion of the claim. Consumers with unresolved uids do not block it. */
    static boolean isInUse(Stored stored, ResourceClaim claim) {
        return claim.reservedFor().stream()
                .anyMatch(consumer -> !stored.outside().contains(consumer.uid()));
    }

    private Stored put(ResourceClaim claim, ObjectMeta meta, List<Consumer> consumers, SortedSet<String> outside) {
        boolean free = consumers.isEmpty() && !claim.reservedFor().isEmpty();
        var allocation = free ? Optional.<dev.claimstream.dra.Allocation>empty() : claim.allocation();
        return world.put(new ResourceClaim(meta, claim.spec(), allocation, consumers), outside);
    }

    private static boolean isPodOrGroup(Consumer consumer) {
        return consumer.isPod() || consumer.isPodGroup();
    }

    private static boolean isPod(Owner owner) {
        return owner.kind().equals(Kind.POD.apiName());
    }

    private static boolean isPodGroup(Owner owner) {
        return owner.kind().equals(Kind.POD_GROUP.apiName());
    }

    // ---- pods and pod groups

    /** Sets the claims from templates in the pod's status. Claims that the pod shares with its group are created for the group. */
    private void pod(Pod pod) {
        var owner = new Owner(Kind.POD.apiName(), pod.meta().name(), pod.meta().uid());
        Optional<PodGroup> group = pod.podGroup()
                .flatMap(name -> world.group(new ObjectKey(pod.meta().namespace(), name)));
        List<PodClaim> answered = pod.resourceClaims().stream()
                .map(entry ->
                        group.flatMap(each -> each.shared(entry)).orElseGet(() -> answered(pod.meta(), owner, entry)))
                .toList();
        if (!answered.equals(pod.resourceClaims())) {
            world.put(Pods.withClaims(pod, answered), new TreeSet<>());
        }
    }

    private void group(PodGroup group) {
        var owner = new Owner(
                Kind.POD_GROUP.apiName(), group.meta().name(), group.meta().uid());
        List<PodClaim> answered = group.resourceClaims().stream()
                .map(entry -> answered(group.meta(), owner, entry))
                .toList();
        if (!answered.equals(group.resourceClaims())) {
            world.put(group.with(answered), new TreeSet<>());
        }
    }

    private PodClaim answered(ObjectMeta meta, Owner owner, PodClaim entry) {
        return switch (entry.source()) {
            case Source.Named _, Source.NotNeeded _ -> entry;
            case Source.FromTemplate(String template) -> made(meta, owner, entry, template);
            case Source.Made(String template, String claim) ->
                world.find(ObjectId.claim(new ObjectKey(meta.namespace(), claim)))
                                .isPresent()
                        ? entry
                        : made(meta, owner, entry, template);
        };
    }

    private PodClaim made(ObjectMeta meta, Owner owner, PodClaim entry, String template) {
        return existing(owner, entry)
                .or(() -> world.find(
                                ResourceClaimTemplate.class,
                                Kind.RESOURCE_CLAIM_TEMPLATE,
                                new ObjectKey(meta.namespace(), template))
                        .map(found -> make(meta, owner, entry, found)))
                .map(claim -> entry.from(new Source.Made(template, claim)))
                .orElse(entry);
    }

    private Optional<String> existing(Owner owner, PodClaim entry) {
        return world.ownedBy(owner.uid()).stream()
                .map(ResourceClaim::meta)
                .filter(claim -> !claim.deleting()
                        && entry.name().equals(claim.annotations().get(ClusterCompletion.POD_CLAIM_ANNOTATION)))
                .map(ObjectMeta::name)
                .findFirst();
    }

    private String make(ObjectMeta meta, Owner owner, PodClaim entry, ResourceClaimTemplate template) {
        String base = DerivedNames.claimBase(owner.name(), entry.name());
        String name = freeName(Kind.RESOURCE_CLAIM, meta.namespace(), base);
        ObjectMeta identity = births.born(ObjectMeta.of(meta.namespace(), name, ""), world.version() + 1);
        world.put(ClusterCompletion.claim(owner, entry, template, identity), new TreeSet<>());
        return name;
    }

    /** Returns a name with this prefix that no object of the kind has. */
    String freeName(Kind kind, String namespace, String base) {
        while (true) {
            String name = DerivedNames.generated(kind, namespace, base, births.chance());
            if (world.find(new ObjectId(kind, new ObjectKey(namespace, name))).isEmpty()) {
                return name;
            }
        }
    }
}
