package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A pod, as far as it decides where its claims may be.
 *
 * @param requiredAffinity {@code affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution}
 * @param preempts whether others of lower priority may be evicted for it: {@code preemptionPolicy} is not {@code Never}
 * @param containerResources what its containers ask for of extended resources
 * @param requests what its containers and its overhead take of its node
 * @param spare of each resource that it asks for as a whole ({@code spec.resources}), what its containers leave of that; units as in
 *     {@link ResourceList}
 * @param podGroup the name of its group, in its namespace: {@code schedulingGroup.podGroupName}
 * @param schedulingGates the names of {@code spec.schedulingGates}: kube-scheduler does not look at it while it has one
 * @param topology where it may be because of other pods
 * @param finished whether it no longer uses its claims: phase Succeeded or Failed, or deleted before it had a node
 * @param phase {@code status.phase} where it is Succeeded or Failed; empty for other phases
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
    /** The gate at which pods wait for devices of Claimstream. */
    public static final String ALLOCATION_GATE = "claimstream.dev/allocation";

    public Pod {
        nodeSelector = Copies.sorted(nodeSelector);
        tolerations = List.copyOf(tolerations);
        resourceClaims = List.copyOf(resourceClaims);
        containerResources = List.copyOf(containerResources);
        spare = Copies.sorted(spare);
        schedulingGates = List.copyOf(schedulingGates);
    }

    /** A pod in no terminal phase, or in one that is not known. */
    public Pod(
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
            boolean finished) {
        this(
                meta,
                nodeName,
                nodeSelector,
                requiredAffinity,
                tolerations,
                priority,
                preempts,
                resourceClaims,
                containerResources,
                requests,
                spare,
                podGroup,
                schedulingGates,
                topology,
                finished,
                "");
    }

    /** A pod without gates, for which other pods do not matter. */
    public Pod(
            ObjectMeta meta,
            Optional<String> nodeName,
            SortedMap<String, String> nodeSelector,
            Optional<NodeSelector> requiredAffinity,
            List<Toleration> tolerations,
            int priority,
            List<PodClaim> resourceClaims,
            List<ContainerResource> containerResources,
            ResourceList requests,
            SortedMap<String, Long> spare,
            Optional<String> podGroup,
            boolean finished) {
        this(
                meta,
                nodeName,
                nodeSelector,
                requiredAffinity,
                tolerations,
                priority,
                true,
                resourceClaims,
                containerResources,
                requests,
                spare,
                podGroup,
                List.of(),
                PodTopology.none(),
                finished);
    }

    /** A pod that asks for nothing but claims, and is in no group. */
    public Pod(
            ObjectMeta meta,
            Optional<String> nodeName,
            SortedMap<String, String> nodeSelector,
            Optional<NodeSelector> requiredAffinity,
            List<Toleration> tolerations,
            int priority,
            List<PodClaim> resourceClaims,
            boolean finished) {
        this(
                meta,
                nodeName,
                nodeSelector,
                requiredAffinity,
                tolerations,
                priority,
                resourceClaims,
                List.of(),
                ResourceList.none(),
                new TreeMap<>(),
                Optional.empty(),
                finished);
    }

    /** The claims that it names and that are made, each once. */
    public List<ObjectKey> claims() {
        return resourceClaims.stream()
                .flatMap(each -> claim(each).stream())
                .distinct()
                .toList();
    }

    /** The claim of one of its entries, once it is made. */
    public Optional<ObjectKey> claim(PodClaim entry) {
        return entry.claim().map(name -> new ObjectKey(meta.namespace(), name));
    }

    /**
     * Whether a claim of an entry may be used: one that was made from a template is the pod's, or that of its group ({@code IsForPod} of
     * Kubernetes).
     *
     * @param group the pod's, where groups count
     */
    public boolean mayUse(PodClaim entry, ResourceClaim claim, Optional<String> group) {
        return !(entry.source() instanceof PodClaim.Source.Made)
                || claim.meta()
                        .controller()
                        .filter(owner -> owner.uid().equals(meta.uid())
                                || (owner.kind().equals(Kind.POD_GROUP.apiName())
                                        && group.filter(owner.name()::equals).isPresent()))
                        .isPresent();
    }

    /**
     * Whether an entry of {@code reservedFor} stands for it ({@code IsReservedForPod} of Kubernetes): pods know their group by name alone.
     *
     * @param group the pod's, where groups count
     */
    public boolean isMeantBy(Consumer consumer, Optional<String> group) {
        return consumer.uid().equals(meta.uid())
                || (consumer.isPodGroup()
                        && group.filter(consumer.name()::equals).isPresent());
    }

    /** Whether it waits at our gate. */
    public boolean isGated() {
        return schedulingGates.contains(ALLOCATION_GATE);
    }

    /** Whether kube-scheduler evicts pods of lower priority to make room for it: it has a priority, and may. */
    public boolean mayPreempt() {
        return preempts && priority > 0;
    }

    @Override
    public Kind kind() {
        return Kind.POD;
    }
}
