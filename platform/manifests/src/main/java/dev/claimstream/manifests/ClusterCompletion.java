package dev.claimstream.manifests;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.ClaimSource;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.MetadataReader.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Completes a set of manifests with the fields and objects that an API server and the resourceclaim controller would add.
 *
 * <p>Names and uids are derived from the objects' names, so that the same set always gives the same result. Existing values are kept, so
 * that the operation is idempotent.
 *
 * <ul>
 *   <li>The default namespace is {@code default}.
 *   <li>A missing uid is derived from kind, namespace and name, a missing name from {@code generateName}.
 *   <li>{@code sequence} is the position in the set, from 1.
 *   <li>A pod that uses a template gets its claim, as {@code pkg/controller/resourceclaim} creates it, unless the pod has ended, its
 *       status names a claim, or it already owns one. If the template is missing, the claim remains missing.
 *   <li>A pod group gets its claims in the same way, if {@code DRAWorkloadResourceClaims} is on; its pods share such a claim if their
 *       entry is the same. If the gate is off, the API server drops the claims of the group.
 *   <li>A claim loses its reservations for pods that have ended, and is deallocated with the last one ({@link Reservations}).
 * </ul>
 */
public final class ClusterCompletion {
    /** The namespace of objects without a namespace. */
    public static final String DEFAULT_NAMESPACE = "default";

    /** The annotation of a generated claim with the name of the entry in {@code pod.spec.resourceClaims}. */
    public static final String POD_CLAIM_ANNOTATION = "resource.kubernetes.io/pod-claim-name";

    private final List<Manifest> objects = new ArrayList<>();
    private final Set<KindAndKey> usedKeys = new HashSet<>();
    private final Map<ObjectKey, ResourceClaimTemplate> templates = new HashMap<>();
    private final Map<OwnerClaimKey, String> claimNames = new HashMap<>();
    private final Map<ObjectKey, String> podUids = new HashMap<>();
    private final Map<ObjectKey, PodGroup> groups = new HashMap<>();
    private final FeatureGates features;

    private ClusterCompletion(FeatureGates features) {
        this.features = features;
    }

    private record KindAndKey(Kind kind, ObjectKey key) {}

    /** The name of a claim entry in a pod or pod group with this uid. */
    private record OwnerClaimKey(String ownerUid, String name) {}

    /** Completes a set of manifests for a cluster with the default feature gates. */
    public static List<Manifest> complete(List<Manifest> manifests) {
        return complete(manifests, FeatureGates.defaults());
    }

    /**
     * Completes a set of manifests: the given objects in their order, then the generated claims.
     *
     * <p>The claims of pod groups come before those of pods; each group of claims is in the order of its owners.
     */
    public static List<Manifest> complete(List<Manifest> manifests, FeatureGates features) {
        ClusterCompletion completion = new ClusterCompletion(features);
        for (Manifest manifest : manifests) {
            if (manifest.generateName().isEmpty()) {
                completion.usedKeys.add(completion.identity(manifest.object()));
            }
        }
        manifests.forEach(completion::admit);
        completion.index();
        completion.releaseReservations();
        completion.createClaims();
        return List.copyOf(completion.objects);
    }

    /** Releases reservations of pods that have ended, and drops the claims that were created for them. */
    private void releaseReservations() {
        List<Manifest> left = new Reservations(objects).withoutEnded();
        objects.clear();
        for (Manifest manifest : left) {
            ObjectMeta meta = manifest.object().meta().withSequence(objects.size() + 1L);
            objects.add(manifest.withObject(with(manifest.object(), meta)));
        }
    }

    private KindAndKey identity(ClusterObject object) {
        return new KindAndKey(
                object.kind(),
                new ObjectKey(
                        namespace(object.kind(), object.meta()), object.meta().name()));
    }

    private static String namespace(Kind kind, ObjectMeta meta) {
        return meta.namespace().isEmpty() && KindRegistry.scope(kind) == Scope.NAMESPACED
                ? DEFAULT_NAMESPACE
                : meta.namespace();
    }

    private void admit(Manifest manifest) {
        ClusterObject object = manifest.object();
        ObjectMeta meta = object.meta();
        String namespace = namespace(object.kind(), meta);
        String name = manifest.generateName()
                .map(base -> unusedName(object.kind(), namespace, base))
                .orElse(meta.name());
        String uid = meta.uid().isEmpty() ? DerivedNames.uid(object.kind(), namespace, name) : meta.uid();
        ObjectMeta completed = meta.toBuilder()
                .namespace(namespace)
                .name(name)
                .uid(uid)
                .sequence(objects.size() + 1L)
                .build();
        objects.add(manifest.withObject(withoutDisabledFields(with(object, completed), features)));
    }

    /** Returns an object as an API server stores it: without the fields of disabled features. */
    public static ClusterObject withoutDisabledFields(ClusterObject object, FeatureGates features) {
        return object instanceof PodGroup group && !features.has(Feature.WORKLOAD_RESOURCE_CLAIMS)
                ? group.withClaims(List.of())
                : object;
    }

    private String unusedName(Kind kind, String namespace, String base) {
        for (int attempt = 0; ; attempt++) {
            String name = DerivedNames.generated(kind, namespace, base, attempt);
            if (usedKeys.add(new KindAndKey(kind, new ObjectKey(namespace, name)))) {
                return name;
            }
        }
    }

    /** Returns an object with other metadata. */
    public static ClusterObject with(ClusterObject object, ObjectMeta meta) {
        return switch (object) {
            case ResourceSlice s -> s.toBuilder().meta(meta).build();
            case DeviceClass c ->
                new DeviceClass(meta, c.selectors(), c.config(), c.extendedResourceName(), c.allocator());
            case DeviceTaintRule r -> new DeviceTaintRule(meta, r.selector(), r.taint());
            case Node n ->
                new Node(meta, n.taints(), n.unschedulable(), n.ready(), n.declaredFeatures(), n.allocatable());
            case Namespace _ -> new Namespace(meta);
            case ResourceClaim c -> new ResourceClaim(meta, c.spec(), c.allocation(), c.reservedFor());
            case ResourceClaimTemplate t ->
                new ResourceClaimTemplate(meta, t.claimLabels(), t.claimAnnotations(), t.spec());
            case Pod p -> with(p, meta, p.resourceClaims());
            case PodGroup g -> new PodGroup(meta, g.minCount(), g.resourceClaims());
        };
    }

    private static Pod with(Pod pod, ObjectMeta meta, List<PodClaim> claims) {
        return pod.toBuilder().meta(meta).resourceClaims(claims).build();
    }

    private void index() {
        for (Manifest manifest : objects) {
            if (manifest.object() instanceof Pod pod) {
                podUids.put(pod.key(), pod.meta().uid());
            } else if (manifest.object() instanceof PodGroup group) {
                groups.put(group.key(), group);
            } else if (manifest.object() instanceof ResourceClaimTemplate template) {
                templates.put(template.key(), template);
            }
        }
        for (int i = 0; i < objects.size(); i++) {
            if (objects.get(i).object() instanceof ResourceClaim claim) {
                objects.set(i, objects.get(i).withObject(withOwnerUid(claim)));
            }
        }
    }

    /** Indexes a claim by its owner's uid. A handwritten claim cannot contain the derived uid of its owner, so it is added here. */
    private ResourceClaim withOwnerUid(ResourceClaim claim) {
        Optional<Owner> known = claim.meta().controller().filter(owner -> owner.isPod() || owner.isPodGroup());
        if (known.isEmpty()) {
            return claim;
        }
        Owner owner = known.get();
        var key = new ObjectKey(claim.meta().namespace(), owner.name());
        String uid = owner.uid().isEmpty() ? uid(owner, key) : owner.uid();
        String entry = claim.meta().annotations().get(POD_CLAIM_ANNOTATION);
        if (entry != null) {
            claimNames.putIfAbsent(new OwnerClaimKey(uid, entry), claim.meta().name());
        }
        return new ResourceClaim(
                withOwner(claim.meta(), owner.withUid(uid)), claim.spec(), claim.allocation(), claim.reservedFor());
    }

    private String uid(Owner owner, ObjectKey key) {
        return owner.isPod()
                ? podUids.getOrDefault(key, "")
                : Optional.ofNullable(groups.get(key))
                        .map(group -> group.meta().uid())
                        .orElse("");
    }

    private static ObjectMeta withOwner(ObjectMeta meta, Owner owner) {
        return meta.toBuilder().controller(Optional.of(owner)).build();
    }

    private void createClaims() {
        int admitted = objects.size();
        for (int i = 0; i < admitted; i++) {
            if (objects.get(i).object() instanceof PodGroup group
                    && !group.meta().deleting()) {
                Manifest manifest = objects.get(i);
                var owner = Owner.podGroup(group.meta().name(), group.meta().uid());
                List<PodClaim> claims = group.resourceClaims().stream()
                        .map(claim -> resolved(manifest, owner, claim))
                        .toList();
                var answered = group.withClaims(claims);
                groups.put(group.key(), answered);
                objects.set(i, manifest.withObject(answered));
            }
        }
        for (int i = 0; i < admitted; i++) {
            if (objects.get(i).object() instanceof Pod pod
                    && !pod.finished()
                    && !pod.meta().deleting()) {
                Manifest manifest = objects.get(i);
                List<PodClaim> claims = pod.resourceClaims().stream()
                        .map(claim -> resolved(manifest, pod, claim))
                        .toList();
                objects.set(i, manifest.withObject(with(pod, pod.meta(), claims)));
            }
        }
    }

    private PodClaim resolved(Manifest manifest, Pod pod, PodClaim claim) {
        return groupOf(pod)
                .flatMap(group -> group.groupClaim(claim))
                .orElseGet(() -> resolved(
                        manifest, Owner.pod(pod.meta().name(), pod.meta().uid()), claim));
    }

    private Optional<PodGroup> groupOf(Pod pod) {
        return pod.podGroup()
                .flatMap(name ->
                        Optional.ofNullable(groups.get(new ObjectKey(pod.meta().namespace(), name))));
    }

    private PodClaim resolved(Manifest manifest, Owner owner, PodClaim claim) {
        if (!(claim.source() instanceof ClaimSource.TemplateReference(String template))) {
            return claim;
        }
        String known = claimNames.get(new OwnerClaimKey(owner.uid(), claim.name()));
        if (known != null) {
            return claim.withSource(new ClaimSource.GeneratedClaim(template, known));
        }
        String namespace = manifest.object().meta().namespace();
        return Optional.ofNullable(templates.get(new ObjectKey(namespace, template)))
                .map(found -> {
                    String made = createClaim(manifest, owner, claim, found);
                    return claim.withSource(new ClaimSource.GeneratedClaim(template, made));
                })
                .orElse(claim);
    }

    private String createClaim(Manifest manifest, Owner owner, PodClaim entry, ResourceClaimTemplate template) {
        String namespace = manifest.object().meta().namespace();
        String base = DerivedNames.claimBase(owner.name(), entry.name());
        String name = unusedName(Kind.RESOURCE_CLAIM, namespace, base);
        String uid = DerivedNames.uid(Kind.RESOURCE_CLAIM, namespace, name);
        ResourceClaim claim = claimFromTemplate(
                owner, entry, template, ObjectMeta.of(namespace, name, uid).withSequence(objects.size() + 1L));
        objects.add(Manifest.withoutText(claim, ApiVersion.RESOURCE_V1.text(), manifest.location()));
        return name;
    }

    /**
     * Creates the claim of a pod or pod group from a template.
     *
     * @param identity name, namespace, uid, creation time and sequence; the other metadata comes from the owner and the template
     */
    public static ResourceClaim claimFromTemplate(
            Owner owner, PodClaim entry, ResourceClaimTemplate template, ObjectMeta identity) {
        SortedMap<String, String> annotations = new TreeMap<>(template.claimAnnotations());
        annotations.put(POD_CLAIM_ANNOTATION, entry.name());
        ObjectMeta meta = identity.toBuilder()
                .labels(template.claimLabels())
                .annotations(annotations)
                .controller(Optional.of(owner))
                .deleting(false)
                .build();
        return new ResourceClaim(meta, template.spec(), Optional.empty(), List.of());
    }
}
