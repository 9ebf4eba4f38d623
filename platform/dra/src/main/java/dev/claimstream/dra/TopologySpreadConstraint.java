package dev.claimstream.dra;

import java.util.Optional;

/**
 * A topology spread constraint with {@code whenUnsatisfiable: DoNotSchedule} (core/v1).
 *
 * @param topologyKey the node label whose values define the domains
 * @param maxSkew the maximum difference between the pod counts of a domain and of the domain with the fewest, 1 or more
 * @param minDomains with fewer domains than this, the minimum pod count is 0; 1 or more
 * @param selector the counted pods in the pod's namespace; absent: none; includes {@code matchLabelKeys}
 * @param honorsNodeAffinity {@code nodeAffinityPolicy: Honor}: only nodes that the pod selects are counted
 * @param honorsNodeTaints {@code nodeTaintsPolicy: Honor}: only nodes whose taints the pod tolerates are counted
 */
public record TopologySpreadConstraint(
        String topologyKey,
        long maxSkew,
        long minDomains,
        Optional<LabelSelector> selector,
        boolean honorsNodeAffinity,
        boolean honorsNodeTaints) {}
