package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A random pod, usually in a group, with the claims that both reference.
 *
 * @param group the group of the pod, if it is in one
 * @param claims pending claims in the namespace of the pod
 */
public record PodWithClaims(boolean hasGroupGate, Tree pod, Optional<Tree> group, List<Tree> claims) {
    private static final String GROUP = "group-1";
    private static final List<String> ENTRIES = List.of("a", "b", "c", "d");

    /** An entry in {@code resourceClaims} of a pod or a group. */
    private record ClaimEntry(String name, boolean isNamed, String source) {
        Tree tree() {
            return Tree.mapping(fields ->
                    fields.put("name", name).put(isNamed ? "resourceClaimName" : "resourceClaimTemplateName", source));
        }
    }

    /** Returns the pod of a seed. */
    public static PodWithClaims of(long seed) {
        return new PodWithClaimsBuilder(new Dice(seed)).build();
    }

    private static final class PodWithClaimsBuilder {
        private final Dice dice;
        private final List<Tree> claims = new ArrayList<>();
        private final boolean isGrouped;

        PodWithClaimsBuilder(Dice dice) {
            this.dice = dice;
            this.isGrouped = dice.chance(85);
        }

        PodWithClaims build() {
            boolean groupsCount = dice.chance(80);
            List<ClaimEntry> ofPod = entries();
            List<ClaimEntry> ofGroup = entries();
            List<Tree> statuses = new ArrayList<>();
            for (ClaimEntry entry : ofPod) {
                if (entry.isNamed) {
                    claims.add(claim(entry.source, List.of()));
                } else {
                    statuses.add(status(entry, ofGroup.contains(entry) && isGrouped && groupsCount));
                }
            }
            return new PodWithClaims(groupsCount, pod(ofPod, statuses), group(ofGroup), List.copyOf(claims));
        }

        /**
         * Few names, so that the entries of a pod and its group are often the same. No claim occurs in two entries.
         */
        private List<ClaimEntry> entries() {
            List<ClaimEntry> entries = new ArrayList<>();
            for (String name : dice.some(ENTRIES, 60)) {
                boolean isNamed = dice.chance(50);
                entries.add(new ClaimEntry(
                        name, isNamed, isNamed ? "claim-" + name + dice.of("", "", "-2") : dice.of("t", "u")));
            }
            return entries;
        }

        private Tree status(ClaimEntry entry, boolean isShared) {
            boolean isNeeded = dice.chance(85);
            String made = "made-" + entry.name;
            if (isNeeded) {
                claims.add(claim(made, List.of(owner(isShared))));
            }
            return Tree.mapping(fields -> {
                fields.put("name", entry.name);
                if (isNeeded) {
                    fields.put("resourceClaimName", made);
                }
            });
        }

        /** Returns the owner that the claim should have, sometimes another one. */
        private Tree owner(boolean isShared) {
            boolean isGroup = isShared != dice.chance(15);
            boolean isStranger = dice.chance(10);
            String name = isStranger ? "stranger" : isGroup ? GROUP : "pod";
            String uid = isStranger ? "uid-stranger" : isGroup ? "uid-group" : "uid-pod";
            String version = isGroup ? dice.of("scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3") : "v1";
            return Tree.mapping(fields -> fields.put("apiVersion", version)
                    .put("kind", isGroup ? "PodGroup" : "Pod")
                    .put("name", name)
                    .put("uid", uid)
                    .put("controller", Tree.of(true)));
        }

        private static Tree claim(String name, List<Tree> owners) {
            Tree request = Tree.mapping(fields -> fields.put("name", "r")
                    .put("exactly", Tree.mapping(exactly -> exactly.put("deviceClassName", "any"))));
            return object(
                    "resource.k8s.io/v1",
                    "ResourceClaim",
                    name,
                    "uid-" + name,
                    owners,
                    Tree.mapping(spec -> spec.put(
                            "devices",
                            Tree.mapping(devices -> devices.put("requests", new Tree.Sequence(List.of(request)))))),
                    List.of());
        }

        private Tree pod(List<ClaimEntry> entries, List<Tree> statuses) {
            return object(
                    "v1",
                    "Pod",
                    "pod",
                    "uid-pod",
                    List.of(),
                    Tree.mapping(spec -> {
                        Tree container = Tree.mapping(
                                fields -> fields.put("name", "main").put("image", "main"));
                        spec.put("containers", new Tree.Sequence(List.of(container)));
                        spec.putList("resourceClaims", entries, ClaimEntry::tree);
                        if (isGrouped) {
                            spec.put("schedulingGroup", Tree.mapping(fields -> fields.put("podGroupName", GROUP)));
                        }
                    }),
                    statuses);
        }

        private Optional<Tree> group(List<ClaimEntry> entries) {
            return isGrouped
                    ? Optional.of(object(
                            "scheduling.k8s.io/v1beta1",
                            "PodGroup",
                            GROUP,
                            "uid-group",
                            List.of(),
                            Tree.mapping(spec -> spec.putList("resourceClaims", entries, ClaimEntry::tree)),
                            List.of()))
                    : Optional.empty();
        }

        private static Tree object(
                String version,
                String kind,
                String name,
                String uid,
                List<Tree> owners,
                Tree spec,
                List<Tree> statuses) {
            return Tree.mapping(fields -> {
                fields.put("apiVersion", version).put("kind", kind);
                fields.put(
                        "metadata",
                        Tree.mapping(metadata -> metadata.put("name", name)
                                .put("namespace", "default")
                                .put("uid", uid)
                                .putList("ownerReferences", owners, each -> each)));
                fields.put("spec", spec);
                if (!statuses.isEmpty()) {
                    fields.put(
                            "status",
                            Tree.mapping(status -> status.putList("resourceClaimStatuses", statuses, each -> each)));
                }
            });
        }
    }
}
