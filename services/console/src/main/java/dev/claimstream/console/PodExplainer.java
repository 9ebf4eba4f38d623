package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.Selectors;
import dev.claimstream.scenarios.SchedulerClaim;
import dev.claimstream.scenarios.SchedulerClaims;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Explains pods from the objects and claim results of one moment. */
public final class PodExplainer {
    private final List<ClusterObject> objects;
    private final Map<ObjectKey, ClaimResult> claims = new TreeMap<>();

    /**
     * Creates the explainer.
     *
     * @param others all objects; claims among them are ignored
     * @param answers one result for each claim
     */
    public PodExplainer(List<ClusterObject> others, List<ClaimResult> answers) {
        objects = new ArrayList<>(others);
        objects.removeIf(ResourceClaim.class::isInstance);
        answers.forEach(result -> {
            claims.put(result.claim().key(), result);
            objects.add(allocatedClaim(result));
        });
    }

    private static ResourceClaim allocatedClaim(ClaimResult result) {
        ResourceClaim claim = result.claim();
        return new ResourceClaim(claim.meta(), claim.spec(), result.allocation(), claim.reservedFor());
    }

    /** Returns the claims that kube-scheduler itself creates. */
    public SchedulerClaims schedulerClaims(FeatureGates features, Selectors selectors, long stepsMax) {
        return new SchedulerClaims(objects, features, selectors, stepsMax);
    }

    /**
     * Explains a pod.
     *
     * @param schedulerClaim claim that kube-scheduler creates for the pod
     * @param explanation of the pod, if the pod is a work item
     */
    public PodResult explain(Pod pod, Optional<SchedulerClaim> schedulerClaim, Optional<Explanation> explanation) {
        List<ClaimResult> found = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (PodClaim each : pod.resourceClaims()) {
            Optional<ObjectKey> key = switch (each.source()) {
                case PodClaim.ClaimSource.ClaimReference named -> Optional.of(key(pod, named.claim()));
                case PodClaim.ClaimSource.GeneratedClaim generated -> Optional.of(key(pod, generated.claim()));
                case PodClaim.ClaimSource.TemplateReference from -> {
                    missing.add("claim yet for template %s".formatted(key(pod, from.template())));
                    yield Optional.empty();
                }
                case PodClaim.ClaimSource.NoClaimNeeded _ -> Optional.empty();
            };
            key.ifPresent(claim -> Optional.ofNullable(claims.get(claim))
                    .ifPresentOrElse(found::add, () -> missing.add("claim " + claim)));
        }
        return new PodResult(
                pod.key(),
                found,
                missing,
                schedulerClaim,
                explanation.flatMap(each -> pendingDiagnosis(each.detail())),
                UnevaluatedPodFields.of(pod));
    }

    private static Optional<AllocationPlan.PendingDiagnosis> pendingDiagnosis(Explanation.ExplanationDetail because) {
        return switch (because) {
            case Explanation.ExplanationDetail.Pending pending -> Optional.of(pending.diagnosis());
            case Explanation.ExplanationDetail.Allocated _ -> Optional.empty();
        };
    }

    private static ObjectKey key(Pod pod, String name) {
        return new ObjectKey(pod.meta().namespace(), name);
    }
}
