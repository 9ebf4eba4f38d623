package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.Source;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.DerivedNames;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The resourceclaim controller of {@code kube-controller-manager} ({@code pkg/controller/resourceclaim}) in miniature, with what the
 * garbage collector and the finalizer {@code resource.kubernetes.io/delete-protection} do for claims. Every step follows from the
 * objects alone, so that it can be taken again at any time.
 */
final class Controller {
    private static final String PODS = "pods";

    private final World world;
    private final Births births;

    Controller(World world, Births births) {
        this.world = world;
        this.births = births;
    }

    /** Takes steps until nothing is left to do. */
    void settle() {
        for (Optional<ObjectId> next = world.nextUnsettled(); next.isPresent(); next = world.nextUnsettled()) {
            look(next.get());
        }
    }

    private void look(ObjectId id) {
        switch (id.kind()) {
            case RESOURCE_CLAIM -> world.find(id).ifPresent(this::claim);
            case POD -> world.running(id.key()).ifPresent(this::pod);
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, NODE, NAMESPACE, RESOURCE_CLAIM_TEMPLATE -> {}
        }
    }

    // ---- claims

    private void claim(Stored stored) {
        Stored left = released(adopted(stored));
        ResourceClaim claim = (ResourceClaim) left.object();
        boolean unwanted = claim.meta().deleting() || isLeftBehind(left, claim);
        if (unwanted && !isInUse(left, claim)) {
            world.remove(left.id());
        } else if (unwanted && !claim.meta().deleting()) {
            put(claim, Claims.deleting(claim.meta()), claim.reservedFor(), left.outside());
        }
    }

    /** A manifest cannot know the uid that a pod gets here: who is named in it becomes the pod of that name that uses the claim. */
    private Stored adopted(Stored stored) {
        if (stored.outside().isEmpty()) {
            return stored;
        }
        ResourceClaim claim = (ResourceClaim) stored.object();
        SortedSet<String> outside = new TreeSet<>(stored.outside());
        List<Consumer> consumers = claim.reservedFor().stream()
                .map(consumer -> known(claim, consumer, outside))
                .toList();
        Optional<Owner> owner = claim.meta().controller().map(each -> known(claim, each, outside));
        return outside.equals(stored.outside())
                ? stored
                : put(claim, Claims.owned(claim.meta(), owner), consumers, outside);
    }

    private Consumer known(ResourceClaim claim, Consumer consumer, SortedSet<String> outside) {
        return Optional.of(consumer)
                .filter(each -> isPod(each) && outside.contains(each.uid()))
                .flatMap(each -> world.running(new ObjectKey(claim.meta().namespace(), each.name())))
                .filter(pod -> uses(pod, claim))
                .map(pod -> {
                    outside.remove(consumer.uid());
                    return Consumer.pod(consumer.name(), pod.meta().uid());
                })
                .orElse(consumer);
    }

    private Owner known(ResourceClaim claim, Owner owner, SortedSet<String> outside) {
        return Optional.of(owner)
                .filter(each -> isPod(each) && outside.contains(each.uid()))
                .flatMap(each -> world.running(new ObjectKey(claim.meta().namespace(), each.name())))
                .map(pod -> {
                    outside.remove(owner.uid());
                    return new Owner(owner.kind(), owner.name(), pod.meta().uid());
                })
                .orElse(owner);
    }

    private static boolean uses(Pod pod, ResourceClaim claim) {
        return pod.resourceClaims().stream()
                .map(PodClaim::source)
                .anyMatch(source -> source.equals(new Source.Named(claim.meta().name()))
                        || (source instanceof Source.Made made
                                && made.claim().equals(claim.meta().name())));
    }

    /** Without the pods that have ended; when the last one goes, the devices are given back. */
    private Stored released(Stored stored) {
        ResourceClaim claim = (ResourceClaim) stored.object();
        List<Consumer> left = claim.reservedFor().stream()
                .filter(consumer -> !isPod(consumer)
                        || stored.outside().contains(consumer.uid())
                        || world.running(consumer.uid()).isPresent())
                .toList();
        return left.equals(claim.reservedFor()) ? stored : put(claim, claim.meta(), left, stored.outside());
    }

    /** It was made for a pod that has ended. */
    private boolean isLeftBehind(Stored stored, ResourceClaim claim) {
        return claim.meta()
                .controller()
                .filter(owner -> isPod(owner) && !stored.outside().contains(owner.uid()))
                .filter(owner -> world.running(owner.uid()).isEmpty())
                .isPresent();
    }

    /** Whoever stands outside does not keep a claim here from going. */
    static boolean isInUse(Stored stored, ResourceClaim claim) {
        return claim.reservedFor().stream()
                .anyMatch(consumer -> !stored.outside().contains(consumer.uid()));
    }

    private Stored put(ResourceClaim claim, ObjectMeta meta, List<Consumer> consumers, SortedSet<String> outside) {
        boolean free = consumers.isEmpty() && !claim.reservedFor().isEmpty();
        var allocation = free ? Optional.<dev.claimstream.dra.Allocation>empty() : claim.allocation();
        return world.put(new ResourceClaim(meta, claim.spec(), allocation, consumers), outside);
    }

    private static boolean isPod(Consumer consumer) {
        return consumer.apiGroup().isEmpty() && consumer.resource().equals(PODS);
    }

    private static boolean isPod(Owner owner) {
        return owner.kind().equals(Kind.POD.apiName());
    }

    // ---- pods

    /** Its status names the claims that it has from templates. */
    private void pod(Pod pod) {
        List<PodClaim> answered =
                pod.resourceClaims().stream().map(entry -> answered(pod, entry)).toList();
        if (!answered.equals(pod.resourceClaims())) {
            world.put(Pods.withClaims(pod, answered), new TreeSet<>());
        }
    }

    private PodClaim answered(Pod pod, PodClaim entry) {
        return switch (entry.source()) {
            case Source.Named _, Source.NotNeeded _ -> entry;
            case Source.FromTemplate(String template) -> made(pod, entry, template);
            case Source.Made(String template, String claim) ->
                world.find(ObjectId.claim(new ObjectKey(pod.meta().namespace(), claim)))
                                .isPresent()
                        ? entry
                        : made(pod, entry, template);
        };
    }

    private PodClaim made(Pod pod, PodClaim entry, String template) {
        return existing(pod, entry)
                .or(() -> world.find(
                                ResourceClaimTemplate.class,
                                Kind.RESOURCE_CLAIM_TEMPLATE,
                                new ObjectKey(pod.meta().namespace(), template))
                        .map(found -> make(pod, entry, found)))
                .map(claim -> new PodClaim(entry.name(), new Source.Made(template, claim)))
                .orElse(entry);
    }

    private Optional<String> existing(Pod pod, PodClaim entry) {
        return world.ownedBy(pod.meta().uid()).stream()
                .map(ResourceClaim::meta)
                .filter(claim -> !claim.deleting()
                        && entry.name().equals(claim.annotations().get(ClusterCompletion.POD_CLAIM_ANNOTATION)))
                .map(ObjectMeta::name)
                .findFirst();
    }

    private String make(Pod pod, PodClaim entry, ResourceClaimTemplate template) {
        String base = DerivedNames.claimBase(pod.meta().name(), entry.name());
        String name = freeName(Kind.RESOURCE_CLAIM, pod.meta().namespace(), base);
        ObjectMeta identity = births.born(ObjectMeta.of(pod.meta().namespace(), name, ""), world.version() + 1);
        world.put(ClusterCompletion.claim(pod, entry, template, identity), new TreeSet<>());
        return name;
    }

    /** A name with this beginning that no object of the kind has. */
    String freeName(Kind kind, String namespace, String base) {
        while (true) {
            String name = DerivedNames.generated(kind, namespace, base, births.chance());
            if (world.find(new ObjectId(kind, new ObjectKey(namespace, name))).isEmpty()) {
                return name;
            }
        }
    }
}
