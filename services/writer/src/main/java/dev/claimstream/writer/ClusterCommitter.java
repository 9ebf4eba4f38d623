package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.VersionedObject;
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
@Requires(beans = {ClaimStatusClient.class, PodGates.class})
@Requires(missingProperty = "claimstream.writer.folder")
final class ClusterCommitter implements DecisionCommitter {
    /** Conflicting writes of one claim before the decision is retried later. */
    private static final int WRITES_MAX = 5;

    private final ClaimStatusClient status;
    private final GateOpener gateOpener;
    private final ClaimDeallocator deallocator;
    private final ParameterLookup parameters;
    private final RecentRejections recentRejections = new RecentRejections();

    ClusterCommitter(ClaimStatusClient status, PodGates gates, @Value("${claimstream.writer.pin:auto}") String pin) {
        this.status = status;
        this.parameters = new ParameterLookup(status);
        this.deallocator = new ClaimDeallocator(status, gates);
        this.gateOpener = new GateOpener(status, gates, PinPolicy.parse(pin));
    }

    /** Completes nothing before the lease is acquired. */
    @Override
    public CommitResult commit(Decision decision) {
        try {
            var unused = status.logId();
            return switch (decision.result()) {
                case DecisionResult.Pending(Reason reason, String _) ->
                    reason == Reason.Unmanaged ? gateOpener.openUnmanaged(decision) : CommitResult.COMMITTED;
                case DecisionResult.Released _ -> CommitResult.COMMITTED;
                case DecisionResult.Deallocation deallocation -> deallocator.commit(decision, deallocation);
                case DecisionResult.Allocated _, DecisionResult.Revoked _ -> write(decision);
            };
        } catch (ClusterFault e) {
            return CommitResult.overloaded(String.valueOf(e.getMessage()), e.retryAfter());
        }
    }

    /** An outcome shows that the log has served a cluster, and offsets contain the version of the Lease. */
    @Override
    public boolean canReport() {
        return !status.isLeasePending();
    }

    @Override
    public long knownVersion() {
        return status.knownVersion();
    }

    private CommitResult write(Decision decision) {
        for (int writes = 0; writes < WRITES_MAX; writes++) {
            Optional<VersionedObject> read = read(decision);
            CommitStep first = firstStep(decision, read);
            CommitStep last = first;
            while (last instanceof CommitStep.ClusterWrite write) {
                last = perform(decision, write);
            }
            if (last instanceof CommitStep.Completion(CommitResult outcome)) {
                if (outcome.status() == CommitStatus.REJECTED) {
                    recentRejections.confirm(decision, outcome.claimVersion());
                }
                return openGates(decision, outcome, first instanceof CommitStep.Write ? read : Optional.empty());
            }
        }
        return CommitResult.failed(
                "claim %s changed %d times during the write".formatted(decision.claim(), WRITES_MAX));
    }

    /** Returns the step for a claim that was read; an allocation has all its parameters. */
    private CommitStep firstStep(Decision decision, Optional<VersionedObject> read) {
        Optional<CommitResult> known = recentRejections.knownOutcome(decision, read);
        if (known.isPresent()) {
            return new CommitStep.Completion(known.get());
        }
        CommitStep step = CommitStep.of(decision, read);
        return step instanceof CommitStep.Write(StatusChange change)
                ? parameters.complete(change, read.map(VersionedObject::object))
                : step;
    }

    /** Writes once and returns the next step. No step leads back to an earlier one, so a chain has at most two writes. */
    private CommitStep perform(Decision decision, CommitStep.ClusterWrite step) {
        return switch (step) {
            case CommitStep.Write(StatusChange change) -> CommitStep.after(decision, change, status.write(change));
            case CommitStep.Clear(StatusChange change, String reason) -> {
                // before the write, because its response may be lost
                recentRejections.add(decision, reason);
                yield CommitStep.afterClearing(decision, reason, status.write(change));
            }
            case CommitStep.AdvanceVersion(StatusChange change, String reason) -> {
                CommitStep next = CommitStep.afterAdvancingVersion(decision, reason, status.write(change));
                if (next instanceof CommitStep.Completion(CommitResult outcome) && outcome.claimVersion() > 0) {
                    recentRejections.add(decision, reason);
                }
                yield next;
            }
            case CommitStep.Redecision redecision -> requestRedecision(decision, redecision);
        };
    }

    private CommitStep requestRedecision(Decision decision, CommitStep.Redecision redecision) {
        WriteResult result = status.write(redecision.change());
        if (result instanceof WriteResult.Success || result instanceof WriteResult.SuccessWithDifferences) {
            parameters.recordRedecision(redecision);
        }
        return CommitStep.afterRedecision(decision, redecision.reason(), result);
    }

    /** Reads the claim, from the API server if the cached version is lower than a version that is known to have existed. */
    private Optional<VersionedObject> read(Decision decision) {
        if (!recentRejections.isUnconfirmed(decision)) {
            Optional<VersionedObject> cached = status.readCached(decision.claim(), decision.claimUid());
            long known = Math.max(decidedVersion(decision), recentRejections.version(decision.claimUid()));
            if (cached.filter(each -> each.version() < known).isEmpty()) {
                return cached;
            }
        }
        Optional<VersionedObject> read = status.read(decision.claim());
        read.ifPresent(each -> recentRejections.forgetAfter(decision.claimUid(), each.version()));
        return read;
    }

    private static long decidedVersion(Decision decision) {
        return decision.result() instanceof DecisionResult.Allocated allocated ? allocated.claimVersion() : 0;
    }

    /**
     * Opens the gates of the pods that use a committed claim.
     *
     * @param before the claim before this write: gates of consumers that it already had are open. Empty if nothing was
     *     written: an earlier attempt may have failed between the write and the gates, so all consumers are checked
     */
    private CommitResult openGates(Decision decision, CommitResult outcome, Optional<VersionedObject> before) {
        if (outcome.status() != CommitStatus.COMMITTED
                || !(decision.result() instanceof DecisionResult.Allocated allocated)) {
            return outcome;
        }
        List<ClaimConsumer> consumers = before.map(
                        each -> CommitStep.missingConsumers(allocated, (ResourceClaim) each.object()))
                .orElse(allocated.reservedFor());
        return gateOpener.open(decision, allocated, consumers).withAuditId(outcome.auditId());
    }
}
