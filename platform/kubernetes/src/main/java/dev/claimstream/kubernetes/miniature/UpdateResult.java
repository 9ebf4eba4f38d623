package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.ClaimSource;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.ClusterCompletion;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Result of applying a manifest to an existing object, under the update rules of the API server.
 *
 * <p>Only the modelled fields are compared.
 */
sealed interface UpdateResult {
    /**
     * The manifest is accepted.
     *
     * @param object the updated object
     */
    record Accepted(ClusterObject object) implements UpdateResult {}

    /** The manifest is rejected. */
    record Rejected(String field, String remedy) implements UpdateResult {}

    static UpdateResult of(ClusterObject now, ClusterObject desired) {
        ObjectMeta meta = mergeMetadata(now.meta(), desired.meta());
        return switch (desired) {
            case PodGroup group -> group((PodGroup) now, group, meta);
            case DeviceClass _, DeviceTaintRule _, Node _, Namespace _ ->
                new Accepted(ClusterCompletion.with(desired, meta));
            case ResourceSlice slice -> slice((ResourceSlice) now, slice, meta);
            case ResourceClaim claim -> claim((ResourceClaim) now, claim, meta);
            case ResourceClaimTemplate template -> template((ResourceClaimTemplate) now, template, meta);
            case Pod pod -> pod((Pod) now, pod, meta);
        };
    }

    /** Takes labels and annotations from the manifest; keeps the owner and the annotation of the pod claim. */
    private static ObjectMeta mergeMetadata(ObjectMeta now, ObjectMeta desired) {
        SortedMap<String, String> annotations = new TreeMap<>(desired.annotations());
        Optional.ofNullable(now.annotations().get(ClusterCompletion.POD_CLAIM_ANNOTATION))
                .ifPresent(entry -> annotations.putIfAbsent(ClusterCompletion.POD_CLAIM_ANNOTATION, entry));
        return now.toBuilder().labels(desired.labels()).annotations(annotations).build();
    }

    private static UpdateResult slice(ResourceSlice now, ResourceSlice desired, ObjectMeta meta) {
        if (!now.driver().equals(desired.driver())) {
            return immutable("spec.driver");
        }
        if (!now.pool().equals(desired.pool())) {
            return immutable("spec.pool.name");
        }
        boolean moved = isOnNode(now) != isOnNode(desired)
                || (isOnNode(now) && !now.scope().equals(desired.scope()));
        return moved ? immutable("spec.nodeName") : new Accepted(ClusterCompletion.with(desired, meta));
    }

    private static boolean isOnNode(ResourceSlice slice) {
        return slice.scope() instanceof NodeScope.SingleNode;
    }

    /** The status stays as committed. */
    private static UpdateResult claim(ResourceClaim now, ResourceClaim desired, ObjectMeta meta) {
        return now.spec().equals(desired.spec())
                ? new Accepted(new ResourceClaim(meta, now.spec(), now.allocation(), now.reservedFor()))
                : immutable("spec");
    }

    private static UpdateResult template(ResourceClaimTemplate now, ResourceClaimTemplate desired, ObjectMeta meta) {
        ClusterObject desiredTemplate = ClusterCompletion.with(desired, now.meta());
        return now.equals(desiredTemplate) ? new Accepted(ClusterCompletion.with(now, meta)) : immutable("spec");
    }

    /** The node can be set once, as a binding does. A finished pod stays finished. */
    private static UpdateResult pod(Pod now, Pod desired, ObjectMeta meta) {
        if (!specEntries(now.resourceClaims()).equals(specEntries(desired.resourceClaims()))) {
            return immutable("spec.resourceClaims");
        }
        if (now.nodeName().isPresent()
                && desired.nodeName().isPresent()
                && !now.nodeName().equals(desired.nodeName())) {
            return immutable("spec.nodeName");
        }
        if (!now.nodeSelector().equals(desired.nodeSelector())) {
            return immutable("spec.nodeSelector");
        }
        if (!now.requiredAffinity().equals(desired.requiredAffinity())) {
            return immutable("spec.affinity.nodeAffinity");
        }
        if (now.priority() != desired.priority()) {
            return immutable("spec.priority");
        }
        Optional<String> changed = changedTopologyField(now.topology(), desired.topology());
        if (changed.isPresent()) {
            return immutable(changed.get());
        }
        if (!desired.tolerations().containsAll(now.tolerations())) {
            return new Rejected("spec.tolerations", "tolerations can only be added: keep those that it has");
        }
        if (!now.schedulingGates().containsAll(desired.schedulingGates())) {
            return new Rejected(
                    "spec.schedulingGates", "gates can only be removed: leave out gates that it does not have");
        }
        return new Accepted(now.toBuilder()
                .meta(meta)
                .nodeName(now.nodeName().or(desired::nodeName))
                .tolerations(desired.tolerations())
                .schedulingGates(desired.schedulingGates())
                .finished(now.finished() || desired.finished())
                .phase(now.finished() ? now.phase() : desired.phase())
                .build());
    }

    private static Optional<String> changedTopologyField(PodTopology now, PodTopology desired) {
        if (!now.affinity().equals(desired.affinity())) {
            return Optional.of("spec.affinity.podAffinity");
        }
        if (!now.antiAffinity().equals(desired.antiAffinity())) {
            return Optional.of("spec.affinity.podAntiAffinity");
        }
        if (!now.spread().equals(desired.spread())) {
            return Optional.of("spec.topologySpreadConstraints");
        }
        if (!now.hostPorts().equals(desired.hostPorts())) {
            return Optional.of("spec.containers[].ports");
        }
        if (now.hasPreferences() != desired.hasPreferences()) {
            return Optional.of("spec.affinity");
        }
        if (!now.schedulerName().equals(desired.schedulerName())) {
            return Optional.of("spec.schedulerName");
        }
        return now.usesVolumes() == desired.usesVolumes() ? Optional.empty() : Optional.of("spec.volumes");
    }

    private static UpdateResult group(PodGroup now, PodGroup desired, ObjectMeta meta) {
        return specEntries(now.resourceClaims()).equals(specEntries(desired.resourceClaims()))
                ? new Accepted(new PodGroup(meta, now.minCount(), now.resourceClaims()))
                : immutable("spec.resourceClaims");
    }

    /** Returns the entries of the spec; the name of the claim that was created for an entry is status. */
    private static List<PodClaim> specEntries(List<PodClaim> claims) {
        return claims.stream()
                .map(entry -> new PodClaim(entry.name(), specSource(entry.source())))
                .toList();
    }

    private static ClaimSource specSource(ClaimSource source) {
        return switch (source) {
            case ClaimSource.ClaimReference named -> named;
            case ClaimSource.TemplateReference from -> from;
            case ClaimSource.GeneratedClaim(String template, String _) -> new ClaimSource.TemplateReference(template);
            case ClaimSource.NoClaimNeeded(String template) -> new ClaimSource.TemplateReference(template);
        };
    }

    private static Rejected immutable(String field) {
        return new Rejected(field, "the field is immutable: delete the object and apply it again");
    }
}
