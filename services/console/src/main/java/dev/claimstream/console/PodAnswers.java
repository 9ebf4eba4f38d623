package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Features;
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
public final class PodAnswers {
    private final List<ClusterObject> objects;
    private final Map<ObjectKey, Answer> claims = new TreeMap<>();

    /**
     * Creates the explainer.
     *
     * @param others all objects; claims among them are ignored
     * @param answers one result for each claim
     */
    public PodAnswers(List<ClusterObject> others, List<Answer> answers) {
        objects = new ArrayList<>(others);
        objects.removeIf(ResourceClaim.class::isInstance);
        answers.forEach(answer -> {
            claims.put(answer.claim().key(), answer);
            objects.add(held(answer));
        });
    }

    private static ResourceClaim held(Answer answer) {
        ResourceClaim claim = answer.claim();
        return new ResourceClaim(claim.meta(), claim.spec(), answer.allocation(), claim.reservedFor());
    }

    /** Returns the claims that kube-scheduler itself creates. */
    public SchedulerClaims schedulerClaims(Features features, Selectors selectors, long stepsMax) {
        return new SchedulerClaims(objects, features, selectors, stepsMax);
    }

    /**
     * Explains a pod.
     *
     * @param schedulerClaim claim that kube-scheduler creates for the pod
     * @param explanation of the pod, if the pod is a work item
     */
    public PodAnswer of(Pod pod, Optional<SchedulerClaim> schedulerClaim, Optional<Explanation> explanation) {
        List<Answer> found = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (PodClaim each : pod.resourceClaims()) {
            Optional<ObjectKey> key = switch (each.source()) {
                case PodClaim.Source.Named named -> Optional.of(key(pod, named.claim()));
                case PodClaim.Source.Made made -> Optional.of(key(pod, made.claim()));
                case PodClaim.Source.FromTemplate from -> {
                    missing.add("claim yet for template %s".formatted(key(pod, from.template())));
                    yield Optional.empty();
                }
                case PodClaim.Source.NotNeeded _ -> Optional.empty();
            };
            key.ifPresent(claim -> Optional.ofNullable(claims.get(claim))
                    .ifPresentOrElse(found::add, () -> missing.add("claim " + claim)));
        }
        return new PodAnswer(
                pod.key(),
                found,
                missing,
                schedulerClaim,
                explanation.flatMap(each -> waits(each.because())),
                NotLookedAt.of(pod));
    }

    private static Optional<Plan.Diagnosis> waits(Explanation.Because because) {
        return switch (because) {
            case Explanation.Because.Waits waits -> Optional.of(waits.diagnosis());
            case Explanation.Because.Granted _ -> Optional.empty();
        };
    }

    private static ObjectKey key(Pod pod, String name) {
        return new ObjectKey(pod.meta().namespace(), name);
    }
}
