package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.Verdict;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.Versioned;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;

/**
 * Commits decisions to a cluster: writes the status of the claim, then opens the gates of its pods.
 *
 * <p>Allocation and consumers are one write, for the uid and resourceVersion of the claim that was read. After it, each
 * pod whose claims are all allocated loses its scheduling gate. Safe for use by several threads.
 */
@Singleton
@Requires(beans = {ClaimStatus.class, PodGates.class})
@Requires(missingProperty = "claimstream.writer.folder")
final class ClusterCommits implements Commits {
    /** Conflicting writes of one claim before the decision is retried later. */
    private static final int WRITES_MAX = 5;

    private final ClaimStatus status;
    private final Ungating ungating;
    private final Deallocations deallocations;
    private final NotKept notKept = new NotKept();

    ClusterCommits(ClaimStatus status, PodGates gates, @Value("${claimstream.writer.pin:auto}") String pin) {
        this.status = status;
        this.deallocations = new Deallocations(status, gates);
        this.ungating = new Ungating(status, gates, Pin.named(pin));
    }

    @Override
    public Outcome commit(Decision decision) {
        try {
            return switch (decision.verdict()) {
                case Verdict.Waits(Reason reason, String _) ->
                    reason == Reason.NotOurs ? ungating.release(decision) : Outcome.COMMITTED;
                case Verdict.Released _ -> Outcome.COMMITTED;
                case Verdict.Deallocation deallocation -> deallocations.commit(decision, deallocation);
                case Verdict.Granted _, Verdict.Revoked _ -> write(decision);
            };
        } catch (ClusterFault e) {
            return Outcome.overloaded(String.valueOf(e.getMessage()), e.pause());
        }
    }

    private Outcome write(Decision decision) {
        for (int writes = 0; writes < WRITES_MAX; writes++) {
            Optional<Versioned> read = notKept.isOpen(decision)
                    ? status.read(decision.claim())
                    : status.recall(decision.claim(), decision.claimUid());
            Next next =
                    notKept.recall(decision, read).<Next>map(Next.Done::new).orElseGet(() -> Next.of(decision, read));
            boolean isWritten = next instanceof Next.Write;
            if (next instanceof Next.Write(ClaimStatus.Change change)) {
                next = Next.after(decision, change, status.write(change));
            }
            if (next instanceof Next.Clear(ClaimStatus.Change change, String why)) {
                notKept.note(decision, why);
                next = Next.afterClearing(decision, why, status.write(change));
            }
            if (next instanceof Next.Outdate(ClaimStatus.Change change, String why)) {
                next = Next.afterOutdating(decision, why, status.write(change));
                if (next instanceof Next.Done(Outcome outcome) && outcome.claimVersion() > 0) {
                    notKept.note(decision, why);
                }
            }
            if (next instanceof Next.Done(Outcome outcome) && outcome.result() == Result.REFUSED) {
                notKept.end(decision, outcome.claimVersion());
            }
            if (next instanceof Next.Done(Outcome outcome)) {
                return letGo(decision, outcome, isWritten ? read : Optional.empty());
            }
        }
        return Outcome.failed("claim %s changed %d times meanwhile".formatted(decision.claim(), WRITES_MAX));
    }

    /**
     * Opens the gates of the pods that use a committed claim.
     *
     * @param before the claim before this write: gates of consumers that it already had are open. Empty if nothing was
     *     written: an earlier attempt may have failed between the write and the gates, so all consumers are checked
     */
    private Outcome letGo(Decision decision, Outcome outcome, Optional<Versioned> before) {
        if (outcome.result() != Result.COMMITTED || !(decision.verdict() instanceof Verdict.Granted granted)) {
            return outcome;
        }
        List<Consumer> consumers = before.map(each -> Next.missing(granted, (ResourceClaim) each.object()))
                .orElse(granted.reservedFor());
        return ungating.open(decision, granted, consumers);
    }
}
