package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.PodGroup;
import java.util.List;

/** Reads the fields of {@code scheduling.k8s.io PodGroup} that concern claims. */
final class PodGroupReader {
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

    private PodGroupReader() {}

    static PodGroup of(ObjectMeta meta, ManifestField specField, ManifestField statusField) {
        FieldMap spec = specField.fieldsOrEmpty();
        ManifestField claims = spec.get("resourceClaims");
        if (claims.items().size() > CLAIMS_MAX) {
            claims.invalid(
                    Integer.toString(claims.items().size()),
                    "must have at most %d items".formatted(CLAIMS_MAX),
                    "share fewer claims, or let the pods name them on their own");
        }
        PodGroup group = new PodGroup(
                meta, minCount(spec.get("schedulingPolicy")), PodReader.claims(claims, statusField.fieldsOrEmpty()));
        spec.ignore(IGNORED).warnUnknown();
        return group;
    }

    private static int minCount(ManifestField policy) {
        ManifestField field = policy.fieldsOrEmpty().get("gang").fieldsOrEmpty().get("minCount");
        long count = field.integer(0);
        if (field.isPresent() && (count < 1 || count != (int) count)) {
            field.invalid(Long.toString(count), "must be greater than 0", "write how many pods start together");
            return 0;
        }
        return (int) count;
    }
}
