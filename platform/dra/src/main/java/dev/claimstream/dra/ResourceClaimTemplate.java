package dev.claimstream.dra;

import java.util.SortedMap;

/** A template from which Kubernetes generates claims for pods. */
public record ResourceClaimTemplate(
        ObjectMeta meta,
        SortedMap<String, String> claimLabels,
        SortedMap<String, String> claimAnnotations,
        ClaimSpec spec)
        implements ClusterObject {
    public ResourceClaimTemplate {
        claimLabels = Copies.sorted(claimLabels);
        claimAnnotations = Copies.sorted(claimAnnotations);
    }

    @Override
    public Kind kind() {
        return Kind.RESOURCE_CLAIM_TEMPLATE;
    }
}
