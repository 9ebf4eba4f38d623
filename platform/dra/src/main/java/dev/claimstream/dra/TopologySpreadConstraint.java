package dev.claimstream.dra;

import java.util.Optional;

/**
 * How evenly the pods of a sort are to be spread (core/v1), as far as it keeps a pod from a node: {@code whenUnsatisfiable: DoNotSchedule}.
 *
 * @param topologyKey the label of nodes whose value says what a domain is
 * @param maxSkew by how many pods a domain may have more than the one with the fewest, 1 or more
 * @param minDomains with fewer domains than this, the fewest counts as none, 1 or more
 * @param selector which pods of the pod's namespace are counted; absent: none. {@code matchLabelKeys} are part of it
 * @param heedsAffinity {@code nodeAffinityPolicy: Honor}: only nodes that the pod selects count
 * @param heedsTaints {@code nodeTaintsPolicy: Honor}: only nodes whose taints the pod tolerates count
 */
public record TopologySpreadConstraint(
        String topologyKey,
        long maxSkew,
        long minDomains,
        Optional<LabelSelector> selector,
        boolean heedsAffinity,
        boolean heedsTaints) {}
