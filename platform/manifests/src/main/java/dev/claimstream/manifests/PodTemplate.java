package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodTopology;
import java.util.List;
import java.util.SortedMap;

/**
 * The pod template of a workload.
 *
 * <p>A pod is read from the template once per pod, because its own labels count in {@code matchLabelKeys}.
 *
 * @param hasVolumeClaims whether the controller adds a volume claim to each pod
 */
record PodTemplate(
        ManifestField field,
        SortedMap<String, String> labels,
        SortedMap<String, String> annotations,
        ManifestField spec,
        boolean hasVolumeClaims) {
    /** Metadata of a template that controllers ignore. */
    private static final List<String> IGNORED_METADATA =
            List.of("name", "generateName", "namespace", "creationTimestamp", "finalizers", "ownerReferences");

    /** Reads the required template in a field, without the fields of its pods. */
    static PodTemplate read(ManifestField field, boolean hasVolumeClaims) {
        if (!field.isPresent()) {
            field.required("");
        }
        field.recordLocation();
        FieldMap fields = field.fieldsOrEmpty();
        FieldMap metadata = fields.get("metadata").fieldsOrEmpty();
        PodTemplate template = new PodTemplate(
                field,
                MetadataReader.labels(metadata.get("labels")),
                MetadataReader.annotations(metadata.get("annotations")),
                fields.get("spec"),
                hasVolumeClaims);
        if (field.isPresent() && !template.spec.isPresent()) {
            template.spec.required("");
        }
        metadata.ignore(IGNORED_METADATA).warnUnknown();
        fields.warnUnknown();
        return template;
    }

    /** Reports the findings about the pods. */
    void check(ObjectMeta first) {
        if (spec.isPresent()) {
            var unused = PodReader.of(first, spec, field.child("status"));
        }
    }

    /** Returns the number of claims that each pod gets from templates. */
    long claimsPerPod() {
        return spec.withoutFindings().fieldsOrEmpty().get("resourceClaims").items().stream()
                .filter(entry ->
                        entry.fieldsOrEmpty().get("resourceClaimTemplateName").isPresent())
                .count();
    }

    /** Creates a pod. The findings are those of {@link #check}. */
    Pod pod(ObjectMeta meta) {
        Pod pod = PodReader.of(
                meta, spec.withoutFindings(), field.withoutFindings().child("status"));
        return hasVolumeClaims ? withVolumes(pod) : pod;
    }

    private static Pod withVolumes(Pod pod) {
        PodTopology topology = pod.topology();
        return pod.toBuilder()
                .topology(new PodTopology(
                        topology.affinity(),
                        topology.antiAffinity(),
                        topology.spread(),
                        topology.hostPorts(),
                        true,
                        topology.hasPreferences(),
                        topology.schedulerName()))
                .build();
    }
}
