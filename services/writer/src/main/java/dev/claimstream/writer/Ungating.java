package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.Verdict;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClaimStatus.Answer;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.writer.Commits.Outcome;
import dev.claimstream.writer.Commits.Result;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Removes the scheduling gate of pods whose claims are all committed.
 *
 * <p>The gate is removed after the API server has acknowledged the claim, so kube-scheduler sees the claims no later
 * than the writer does. Several writers may commit claims of one pod: the writer of the last claim finds all of them
 * ready. Safe for use by several threads.
 */
final class Ungating {
    private static final int GROUPS_KNOWN_MAX = 10_000;

    /** Conflicting writes of one pod before its gate is retried later. */
    private static final int WRITES_MAX = 5;

    private final ClaimStatus status;
    private final PodGates gates;
    private final Pin pin;
    private final Set<String> groupsLetGo = ConcurrentHashMap.newKeySet();

    Ungating(ClaimStatus status, PodGates gates, Pin pin) {
        this.status = status;
        this.gates = gates;
        this.pin = pin;
    }

    /**
     * Opens the gates of the consumers of a committed claim.
     *
     * @param consumers the consumers to check
     * @return committed if nothing is left to do now; otherwise an outcome to retry
     */
    Outcome open(Decision decision, Verdict.Granted granted, List<Consumer> consumers) {
        for (Consumer each : consumers) {
            Outcome outcome = each.isPodGroup()
                    ? openGroup(decision, granted, each)
                    : isPod(each) ? openPod(decision, granted, each, false) : Outcome.COMMITTED;
            if (outcome.isForLater()) {
                return outcome;
            }
        }
        return Outcome.COMMITTED;
    }

    private static boolean isPod(Consumer consumer) {
        return consumer.resource().equals("pods") && consumer.apiGroup().isEmpty();
    }

    /**
     * Opens the gates of the pods of a PodGroup that the claim is reserved for.
     *
     * <p>The decision is repeated for each pod that is created later. Pods that existed before, or were created while
     * no writer ran, are found by one list of the namespace per claim.
     */
    private Outcome openGroup(Decision decision, Verdict.Granted granted, Consumer group) {
        boolean isKnown = groupsLetGo.contains(decision.claimUid());
        List<GatedPod> pods = isKnown
                ? gates.readPod(decision.item().key()).filter(GatedPod::isGated).stream()
                        .toList()
                : gates.gatedIn(decision.claim().namespace());
        for (GatedPod each : pods) {
            Pod pod = each.pod();
            if (pod.podGroup().equals(Optional.of(group.name()))
                    && claims(each)
                            .anyMatch(name ->
                                    name.equals(Optional.of(decision.claim().name())))) {
                Outcome outcome = openPod(
                        decision,
                        granted,
                        Consumer.pod(pod.meta().name(), pod.meta().uid()),
                        true);
                if (outcome.isForLater()) {
                    return outcome;
                }
            }
        }
        if (groupsLetGo.size() >= GROUPS_KNOWN_MAX) {
            groupsLetGo.clear(); // costs one more list per claim
        }
        groupsLetGo.add(decision.claimUid());
        return Outcome.COMMITTED;
    }

    /** @param group whether the claim is reserved for the group of the pod */
    private Outcome openPod(Decision decision, Verdict.Granted granted, Consumer consumer, boolean group) {
        var key = new ObjectKey(decision.claim().namespace(), consumer.name());
        Pin chosen = pin;
        for (int writes = 0; writes < WRITES_MAX; writes++) {
            Optional<GatedPod> pod = gates.recallPod(key, consumer.uid())
                    .filter(each -> each.pod().meta().uid().equals(consumer.uid()))
                    .filter(GatedPod::isGated);
            Optional<Outcome> unready =
                    pod.map(each -> unready(each, decision, group)).orElse(Optional.of(Outcome.COMMITTED));
            if (unready.isPresent()) {
                return unready.get();
            }
            Answer answer = gates.open(pod.get(), chosen.node(pod.get(), granted.allocation()));
            if (answer instanceof Answer.Refused && chosen != Pin.NEVER) {
                chosen = Pin.NEVER; // the pod opens unbound if its affinity cannot name the node
            } else if (!(answer instanceof Answer.Changed)) {
                return outcome(decision, key, answer);
            }
        }
        return Outcome.failed("pod %s changed %d times while its gate was taken".formatted(key, WRITES_MAX));
    }

    /**
     * Opens the gate of a pod that has no managed claim.
     *
     * <p>An admission policy cannot see whether the claims of a pod are managed, so it also gates pods of other
     * drivers.
     */
    Outcome release(Decision decision) {
        Optional<GatedPod> pod = decision.item().sort() == ItemId.Sort.POD
                ? gates.readPod(decision.item().key()).filter(GatedPod::isGated).filter(this::isForOthers)
                : Optional.empty();
        return pod.map(found -> outcome(decision, decision.item().key(), gates.open(found, Optional.empty())))
                .orElse(Outcome.COMMITTED);
    }

    private boolean isForOthers(GatedPod pod) {
        return claims(pod)
                .allMatch(claim -> claim.flatMap(name ->
                                status.read(new ObjectKey(pod.pod().meta().namespace(), name)))
                        .filter(found -> !gates.isOurs((ResourceClaim) found.object()))
                        .isPresent());
    }

    /** The names of the pod's claims; an empty Optional for a claim that is not created yet. */
    private static Stream<Optional<String>> claims(GatedPod pod) {
        return pod.pod().resourceClaims().stream().map(PodClaim::source).flatMap(source -> switch (source) {
            case PodClaim.Source.Named(String claim) -> Stream.of(Optional.of(claim));
            case PodClaim.Source.Made(String _, String claim) -> Stream.of(Optional.of(claim));
            case PodClaim.Source.FromTemplate _ -> Stream.of(Optional.<String>empty());
            case PodClaim.Source.NotNeeded _ -> Stream.empty();
        });
    }

    private static Outcome outcome(Decision decision, ObjectKey pod, Answer answer) {
        return switch (Next.after(decision, ClaimStatus.Part.ALL, answer)) {
            case Next.Done(Outcome outcome) when outcome.isForLater() -> outcome;
            case Next.Done(Outcome outcome)
            when outcome.result() == Result.REFUSED ->
                Outcome.failed("the gate of pod %s stays: %s".formatted(pod, outcome.message()));
            case Next.Done _, Next.Clear _, Next.Outdate _, Next.Read _, Next.Write _ -> Outcome.COMMITTED;
        };
    }

    /**
     * Returns why the gate stays closed; empty if every claim is allocated and reserved for the pod.
     *
     * <p>The outcome is committed if a claim is not ready: another decision will open the gate.
     *
     * <p>The pod was read before its claims. If a claim is marked for deallocation afterwards, its pods are touched, so
     * the write at the version that was read conflicts ({@link Deallocations}). A pod of a group may be created after
     * the other pods were touched; hence the committed claim of a group is read again as well.
     */
    private Optional<Outcome> unready(GatedPod pod, Decision decision, boolean group) {
        boolean isReadAgain = group || pod.pod().meta().annotations().containsKey(ClaimStatus.DEALLOCATION);
        for (Optional<String> claim : claims(pod).toList()) {
            if (claim.isEmpty()) {
                return Optional.of(Outcome.COMMITTED);
            }
            boolean isCommitted = claim.get().equals(decision.claim().name());
            Optional<Outcome> unready =
                    isCommitted && !isReadAgain ? Optional.empty() : unready(pod, claim.get(), decision);
            if (unready.isPresent()) {
                return unready;
            }
        }
        return Optional.empty();
    }

    private Optional<Outcome> unready(GatedPod pod, String claim, Decision decision) {
        Optional<Versioned> found = status.read(new ObjectKey(decision.claim().namespace(), claim))
                .filter(each -> {
                    var now = (ResourceClaim) each.object();
                    return isReserved(now, pod.pod()) || isLeftToOthers(now);
                });
        return found.map(each -> marked(pod, each, decision)).orElse(Optional.of(Outcome.COMMITTED));
    }

    /**
     * Removes the deallocation mark of an earlier decision; returns why the gate stays closed, if it does.
     *
     * <p>The later decision wins: a writer that still commits the earlier one can no longer clear the claim.
     */
    private Optional<Outcome> marked(GatedPod pod, Versioned claim, Decision decision) {
        Optional<Long> mark = DeallocationMark.number((ResourceClaim) claim.object(), status.log());
        if (mark.isEmpty()) {
            return Optional.empty();
        }
        if (mark.get() >= decision.number()) {
            return Optional.of(Outcome.COMMITTED);
        }
        return switch (status.mark(claim, Optional.empty())) {
            case Answer.Written _ -> Optional.empty();
            case Answer.Changed _ ->
                Optional.of(Outcome.failed(
                        "claim %s changed meanwhile".formatted(claim.object().key())));
            case Answer other -> Optional.of(outcome(decision, pod.pod().key(), other));
        };
    }

    private static boolean isReserved(ResourceClaim claim, Pod pod) {
        return claim.allocation().isPresent()
                && claim.reservedFor().stream()
                        .anyMatch(each -> each.isPodGroup()
                                ? pod.podGroup().equals(Optional.of(each.name()))
                                : each.uid().equals(pod.meta().uid()));
    }

    /** Whether a claim is pending and unmanaged: its own allocator acts only after the gate is open. */
    private boolean isLeftToOthers(ResourceClaim claim) {
        return claim.allocation().isEmpty() && !gates.isOurs(claim);
    }
}
