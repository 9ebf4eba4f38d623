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
 * Lets pods go to the scheduler once all their claims are committed for them: after our own answer, so that the scheduler sees the
 * claims no later than we do. Whoever commits the last claim of a pod, in whichever process, finds them all.
 */
final class Ungating {
    private static final int GROUPS_KNOWN_MAX = 10_000;

    /** A pod that changes as often as this while its gate is taken is left for later. */
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
     * For a claim that is committed.
     *
     * @param consumers whose turn it may be
     * @return committed where nothing is left to do now
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
     * For a claim that a group has. It is said anew for each pod that comes later; those that were there before, or came while nobody
     * looked, are found once.
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
            groupsLetGo.clear(); // they are looked for once more
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
                chosen = Pin.NEVER; // a node that its affinity cannot name is no reason to keep the pod
            } else if (!(answer instanceof Answer.Changed)) {
                return outcome(decision, key, answer);
            }
        }
        return Outcome.failed("pod %s changed %d times while its gate was taken".formatted(key, WRITES_MAX));
    }

    /**
     * For a decision that waits: a policy cannot see whether the claims of a pod are ours, so it gates pods that have nothing to do with
     * us, and these are let go.
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

    /** The names of its claims; absent where one is not made yet. */
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
     * Why a pod is not let go now: committed where a claim of it is not ready, and another decision is to come. Absent where every claim is
     * allocated, and its.
     *
     * <p>The pod was read before its claims. A claim that is marked for deallocation after that has its pods touched, so that the gate is
     * not opened for the version that was read ({@link Deallocations}). A pod of a group can be created after the others were touched, so
     * for a group the committed claim is read again as well.
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

    /** A later decision has the last word: the earlier one, if a writer is still at it, cannot clear the claim any more. */
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

    /** Whoever gives devices to the claims of others does it once the pod is let go. */
    private boolean isLeftToOthers(ResourceClaim claim) {
        return claim.allocation().isEmpty() && !gates.isOurs(claim);
    }
}
