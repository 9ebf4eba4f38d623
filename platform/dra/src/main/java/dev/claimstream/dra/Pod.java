package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The fields of a pod that determine where its claims can be allocated.
 *
 * @param requiredAffinity {@code affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution}
 * @param preempts whether pods of lower priority may be evicted for it: {@code preemptionPolicy} is not {@code Never}
 * @param containerResources extended resource requests of its containers
 * @param requests node resources that its containers and its overhead request
 * @param spare by resource, the pod-level request ({@code spec.resources}) less the requests of the containers; units as in
 *     {@link ResourceList}
 * @param podGroup the name of its group in its namespace: {@code schedulingGroup.podGroupName}
 * @param schedulingGates names of {@code spec.schedulingGates}; kube-scheduler ignores the pod while it has a gate
 * @param topology constraints relative to other pods
 * @param finished whether it no longer uses its claims: phase Succeeded or Failed, or deleted before it had a node
 * @param phase {@code status.phase} if it is Succeeded or Failed; empty otherwise
 */
public record Pod(
        ObjectMeta meta,
        Optional<String> nodeName,
        SortedMap<String, String> nodeSelector,
        Optional<NodeSelector> requiredAffinity,
        List<Toleration> tolerations,
        int priority,
        boolean preempts,
        List<PodClaim> resourceClaims,
        List<ContainerResource> containerResources,
        ResourceList requests,
        SortedMap<String, Long> spare,
        Optional<String> podGroup,
        List<String> schedulingGates,
        PodTopology topology,
        boolean finished,
        String phase)
        implements ClusterObject {
    /** The scheduling gate of pods that wait for an allocation by Claimstream. */
    public static final String ALLOCATION_GATE = "claimstream.dev/allocation";

    public Pod {
        nodeSelector = Copies.sorted(nodeSelector);
        tolerations = List.copyOf(tolerations);
        resourceClaims = List.copyOf(resourceClaims);
        containerResources = List.copyOf(containerResources);
        spare = Copies.sorted(spare);
        schedulingGates = List.copyOf(schedulingGates);
    }

    /** Returns a builder of a pod without a node, constraints, claims and requests, which may preempt other pods. */
    public static PodBuilder builder(ObjectMeta meta) {
        return new PodBuilder(meta);
    }

    /** Returns a builder with the components of this record. */
    public PodBuilder toBuilder() {
        return builder(meta)
                .nodeName(nodeName)
                .nodeSelector(nodeSelector)
                .requiredAffinity(requiredAffinity)
                .tolerations(tolerations)
                .priority(priority)
                .preempts(preempts)
                .resourceClaims(resourceClaims)
                .containerResources(containerResources)
                .requests(requests)
                .spare(spare)
                .podGroup(podGroup)
                .schedulingGates(schedulingGates)
                .topology(topology)
                .finished(finished)
                .phase(phase);
    }

    /** Returns a copy with this metadata. */
    public Pod withMeta(ObjectMeta other) {
        return toBuilder().meta(other).build();
    }

    /** Returns the keys of its existing claims, without duplicates. */
    public List<ObjectKey> claims() {
        return resourceClaims.stream()
                .flatMap(each -> claim(each).stream())
                .distinct()
                .toList();
    }

    /** Returns the claim of an entry; absent until the claim is created. */
    public Optional<ObjectKey> claim(PodClaim entry) {
        return entry.claim().map(name -> new ObjectKey(meta.namespace(), name));
    }

    /**
     * Returns whether the pod may use the claim of an entry ({@code IsForPod} of Kubernetes).
     *
     * <p>A claim that was generated from a template must be owned by the pod or its group.
     *
     * @param group the pod's group; empty if the feature is off
     */
    public boolean mayUse(PodClaim entry, ResourceClaim claim, Optional<String> group) {
        return !(entry.source() instanceof PodClaim.ClaimSource.GeneratedClaim)
                || claim.meta()
                        .controller()
                        .filter(owner -> owner.uid().equals(meta.uid())
                                || (owner.isPodGroup()
                                        && group.filter(owner.name()::equals).isPresent()))
                        .isPresent();
    }

    /**
     * Returns whether an entry of {@code reservedFor} covers the pod ({@code IsReservedForPod} of Kubernetes).
     *
     * <p>Pods refer to their group by name, so the group's UID is not compared.
     *
     * @param group the pod's group; empty if the feature is off
     */
    public boolean matchesConsumer(ClaimConsumer consumer, Optional<String> group) {
        return consumer.uid().equals(meta.uid())
                || (consumer.isPodGroup()
                        && group.filter(consumer.name()::equals).isPresent());
    }

    /** Returns whether the pod has Claimstream's scheduling gate. */
    public boolean isGated() {
        return schedulingGates.contains(ALLOCATION_GATE);
    }

    /** Returns the first scheduling gate of another controller: the pod is not ready for scheduling, and may still change. */
    public Optional<String> otherGate() {
        return schedulingGates.stream()
                .filter(gate -> !gate.equals(ALLOCATION_GATE))
                .findFirst();
    }

    /** Returns whether kube-scheduler may evict pods of lower priority for it: {@code preempts} and a positive priority. */
    public boolean mayPreempt() {
        return preempts && priority > 0;
    }

    @Override
    public Kind kind() {
        return Kind.POD;
    }
}
