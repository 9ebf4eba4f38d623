package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.PodGroup;
import java.util.List;

/** Reads the fields of {@code scheduling.k8s.io PodGroup} that concern claims. */
final class PodGroups {
    private static final int CLAIMS_MAX = 4;

    // Fields of v1beta1 and earlier versions that do not affect claims. Any field that is in no list gets a warning.
    private static final List<String> IGNORED = List.of(
            "disruptionMode",
            "parentCompositePodGroupName",
            "podGroupTemplateRef",
            "preemptionPolicy",
            "priority",
            "priorityClassName",
            "schedulingConstraints",
            "workloadRef");

    private PodGroups() {}

    static PodGroup of(ObjectMeta meta, Field specField, Field statusField) {
        Fields spec = specField.fieldsOrNone();
        Field claims = spec.get("resourceClaims");
        if (claims.items().size() > CLAIMS_MAX) {
            claims.invalid(
                    Integer.toString(claims.items().size()),
                    "must have at most %d items".formatted(CLAIMS_MAX),
                    "share fewer claims, or let the pods name them on their own");
        }
        PodGroup group = new PodGroup(
                meta, minCount(spec.get("schedulingPolicy")), Pods.claims(claims, statusField.fieldsOrNone()));
        spec.ignoring(IGNORED).endLeniently();
        return group;
    }

    private static int minCount(Field policy) {
        Field field = policy.fieldsOrNone().get("gang").fieldsOrNone().get("minCount");
        long count = field.integer(0);
        if (field.isPresent() && (count < 1 || count != (int) count)) {
            field.invalid(Long.toString(count), "must be greater than 0", "say how many pods start together");
            return 0;
        }
        return (int) count;
    }
}
