package dev.claimstream.manifests;

import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.Workload.WorkloadKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * The pods that own claims of the manifests but are missing from the manifests.
 *
 * <p>They exist in the cluster that the claims come from. A created pod beside such a pod would get a second claim.
 */
final class MissingPods {
    private final SequencedMap<WorkloadKey, String> uids = new LinkedHashMap<>();

    /** @param present the pods of the manifests */
    MissingPods(List<Manifest> manifests, Set<WorkloadKey> present) {
        for (Manifest manifest : manifests) {
            if (manifest.object() instanceof ResourceClaim claim
                    && !claim.meta().deleting()) {
                claim.meta()
                        .controller()
                        .filter(owner -> owner.isPod() && !owner.uid().isEmpty())
                        .ifPresent(owner -> uids.putIfAbsent(
                                WorkloadKey.of(owner, claim.meta().namespace()), owner.uid()));
            }
        }
        uids.keySet().removeAll(present);
    }

    /** Returns the uid of a pod, as its claims name it; empty if the pod is not missing. */
    Optional<String> uid(WorkloadKey pod) {
        return Optional.ofNullable(uids.get(pod));
    }

    /**
     * Returns a missing pod of each workload that has one: its name begins with the name of the workload.
     *
     * <p>If several names match, the longest counts. Pods of a StatefulSet are left out, because their names are known.
     */
    Map<WorkloadKey, WorkloadKey> byWorkload(Collection<WorkloadKey> workloads) {
        Map<WorkloadKey, List<WorkloadKey>> byName = new HashMap<>();
        workloads.forEach(workload -> byName.computeIfAbsent(
                        new WorkloadKey("", "", workload.namespace(), workload.name()), _ -> new ArrayList<>())
                .add(workload));
        Map<WorkloadKey, WorkloadKey> pods = new HashMap<>();
        uids.keySet().forEach(pod -> workloads(pod, byName).forEach(workload -> pods.putIfAbsent(workload, pod)));
        return pods;
    }

    private static List<WorkloadKey> workloads(WorkloadKey pod, Map<WorkloadKey, List<WorkloadKey>> byName) {
        String name = pod.name();
        for (int dash = name.lastIndexOf('-'); dash > 0; dash = name.lastIndexOf('-', dash - 1)) {
            List<WorkloadKey> named =
                    byName.getOrDefault(new WorkloadKey("", "", pod.namespace(), name.substring(0, dash)), List.of());
            List<WorkloadKey> others =
                    named.stream().filter(each -> !isStatefulSet(each)).toList();
            boolean isOrdinal = name.substring(dash + 1).chars().allMatch(Character::isDigit);
            if (isOrdinal && others.size() < named.size()) {
                return List.of();
            }
            if (!others.isEmpty()) {
                return others;
            }
        }
        return List.of();
    }

    private static boolean isStatefulSet(WorkloadKey workload) {
        return WorkloadKind.STATEFUL_SET.isKindOf(workload);
    }
}
