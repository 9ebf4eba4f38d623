package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ConfigReference;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteScope;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.kubernetes.status.Difference;
import dev.claimstream.kubernetes.status.StatusComparison;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Next step to commit a decision, computed from what was read and answered by pure functions. */
sealed interface CommitStep {
    /** A write to the API server; its response determines the next step. */
    sealed interface ClusterWrite extends CommitStep {}

    /** Write the change. */
    record Write(StatusChange change) implements ClusterWrite {}

    /** Clear the claim: it has Claimstream's allocation, but the API server did not store it as decided. */
    record Clear(StatusChange change, String reason) implements ClusterWrite {}

    /** Give the claim a new resourceVersion, so that no writer can commit the decision for the old version any more. */
    record AdvanceVersion(StatusChange change, String reason) implements ClusterWrite {}

    /**
     * Give the claim a new resourceVersion, so that the cell decides it again.
     *
     * @param reference the reference of the decision that names no parameters any more
     */
    record Redecision(StatusChange change, ConfigReference reference, String reason) implements ClusterWrite {}

    /** Read the claim again without a pause. */
    record Reread() implements CommitStep {}

    /** Nothing is left to do. */
    record Completion(CommitResult outcome) implements CommitStep {}

    /**
     * Returns the step for a claim that was read.
     *
     * <p>Pending and released decisions need no write. The clients that used a claim clear its allocation; a released
     * decision only reports that they did.
     */
    static CommitStep of(Decision decision, Optional<VersionedObject> read) {
        return switch (decision.result()) {
            case DecisionResult.Pending _, DecisionResult.Released _ -> new Completion(CommitResult.COMMITTED);
            case DecisionResult.Deallocation _ ->
                throw new IllegalArgumentException("a deallocation is committed by ClaimDeallocator");
            case DecisionResult.Revoked(DecisionResult.Allocated revoked, String _) -> revoked(decision, revoked, read);
            case DecisionResult.Allocated allocated ->
                read.filter(each -> each.object().meta().uid().equals(decision.claimUid()))
                        .map(each -> allocated(allocated, (ResourceClaim) each.object(), each))
                        .orElseGet(() -> done(
                                CommitStatus.DELETED,
                                read.isEmpty()
                                        ? "claim %s was deleted".formatted(decision.claim())
                                        : "claim %s was deleted and recreated".formatted(decision.claim())));
        };
    }

    /**
     * Returns the step for a revoked allocation.
     *
     * <p>Decisions of a claim are committed in order, so this writer does not allocate a claim later that is pending
     * now. A writer that was paused while it lost the partition still could, for the resourceVersion that was decided.
     * The revoke is complete only once the claim has a newer version (ADR 11).
     */
    private static CommitStep revoked(
            Decision decision, DecisionResult.Allocated allocated, Optional<VersionedObject> read) {
        Optional<VersionedObject> current =
                read.filter(each -> each.object().meta().uid().equals(decision.claimUid()));
        if (current.map(each -> (ResourceClaim) each.object())
                .flatMap(ResourceClaim::allocation)
                .isPresent()) {
            return new Completion(CommitResult.COMMITTED);
        }
        return current.filter(each -> each.version() <= allocated.claimVersion())
                .<CommitStep>map(each -> new AdvanceVersion(
                        StatusChange.invalidateDecisions(decision.claim(), decision.claimUid(), each.version()),
                        revokedMessage(decision)))
                .orElseGet(() -> done(CommitStatus.REJECTED, revokedMessage(decision)));
    }

    private static String revokedMessage(Decision decision) {
        return "claim %s does not have the revoked allocation".formatted(decision.claim());
    }

    private static CommitStep allocated(DecisionResult.Allocated allocated, ResourceClaim claim, VersionedObject read) {
        String uid = claim.meta().uid();
        long version = read.version();
        if (claim.allocation().isEmpty()) {
            // the decision may have been committed and undone since, or the cluster was restored from a backup;
            // the cell decides again for the current version (ADR 18 and 51)
            if (allocated.claimVersion() != 0 && version != allocated.claimVersion()) {
                return done(
                        CommitStatus.SUPERSEDED,
                        "claim %s has changed since the decision and is decided again".formatted(claim.key()));
            }
            return new Write(
                    StatusChange.allocate(claim.key(), uid, version, allocated.allocation(), allocated.reservedFor()));
        }
        Allocation stored = claim.allocation().get();
        if (!stored.results().equals(allocated.allocation().results())) {
            List<Difference> differences = StatusComparison.of(allocated.allocation(), stored);
            return isOwnAllocation(allocated.allocation(), stored, read.allocatedBy())
                    ? clear(claim.key(), uid, version, differences)
                    : done(
                            CommitStatus.CONFLICT,
                            "claim %s has another allocation: %s"
                                    .formatted(claim.key(), UnpersistedField.describe(differences)));
        }
        List<ClaimConsumer> all = new ArrayList<>(claim.reservedFor());
        missingConsumers(allocated, claim).forEach(all::add);
        return all.size() == claim.reservedFor().size()
                ? new Completion(CommitResult.COMMITTED)
                : new Write(StatusChange.reserve(claim.key(), uid, version, stored, all));
    }

    /** Returns the consumers of the decision that the claim does not have yet. */
    static List<ClaimConsumer> missingConsumers(DecisionResult.Allocated allocated, ResourceClaim claim) {
        return allocated.reservedFor().stream()
                .filter(more -> claim.reservedFor().stream()
                        .noneMatch(known -> known.uid().equals(more.uid())))
                .toList();
    }

    /**
     * Whether the stored allocation comes from this decision, even if the API server or a webhook changed its devices.
     *
     * <p>Field manager and allocation timestamp must both match: another client may allocate in the same second.
     */
    private static boolean isOwnAllocation(Allocation decided, Allocation stored, Optional<String> writtenBy) {
        return writtenBy.equals(Optional.of(ClaimStatusClient.WRITER))
                && decided.allocationTimestamp().isPresent()
                && decided.allocationTimestamp().equals(stored.allocationTimestamp());
    }

    private static CommitStep clear(ObjectKey claim, String uid, long version, List<Difference> differences) {
        return new Clear(StatusChange.deallocate(claim, uid, version), unpersistedMessage(claim, differences));
    }

    private static String unpersistedMessage(ObjectKey claim, List<Difference> differences) {
        return "the API server did not persist in claim %s: %s"
                .formatted(claim, UnpersistedField.describeWithRemedy(differences));
    }

    /**
     * Returns the step after a write of this change.
     *
     * <p>If only consumers were written, other pods may use the devices already: the claim is not cleared, and a
     * rejection says nothing about its allocation. After a rejected allocation the claim gets a new resourceVersion:
     * the reason of the rejection may disappear while a late request of another writer is still on its way for the old
     * version.
     */
    static CommitStep after(Decision decision, StatusChange change, WriteResult result) {
        return result instanceof WriteResult.Rejected(String reason) && change.scope() == WriteScope.ALL
                ? new AdvanceVersion(
                        StatusChange.invalidateDecisions(change.claim(), change.uid(), change.version()), reason)
                : after(decision, change.scope(), result);
    }

    /** Returns the step after a write of this part; a rejection leaves the claim as it is. */
    static CommitStep after(Decision decision, WriteScope part, WriteResult result) {
        return switch (result) {
            case WriteResult.Success(long _, String auditId) ->
                new Completion(CommitResult.COMMITTED.withAuditId(auditId));
            case WriteResult.SuccessWithDifferences(long version, List<Difference> differences) ->
                part == WriteScope.ALL
                        ? clear(decision.claim(), decision.claimUid(), version, differences)
                        : new Completion(CommitResult.failed(unpersistedMessage(decision.claim(), differences)));
            case WriteResult.Conflict _ -> new Reread();
            case WriteResult.NotFound _ ->
                done(CommitStatus.DELETED, "claim %s was deleted".formatted(decision.claim()));
            case WriteResult.Rejected(String reason) -> new Completion(CommitResult.rejected(reason, 0));
            case WriteResult.Forbidden(String reason, String remedy) ->
                new Completion(CommitResult.failed(reason + ": " + remedy));
            case WriteResult.TooManyRequests(String reason, Duration pause) ->
                new Completion(CommitResult.overloaded(reason, pause));
            // the retry reads first, and finds what was written
            case WriteResult.Unknown(String reason) -> new Completion(CommitResult.overloaded(reason, Duration.ZERO));
        };
    }

    /**
     * Returns the step after a write that gives the claim a new resourceVersion.
     *
     * <p>The decision is rejected, and its devices are free, only once the old version is replaced.
     */
    static CommitStep afterAdvancingVersion(Decision decision, String reason, WriteResult result) {
        return switch (result) {
            case WriteResult.Success(long version, String _) -> versionAdvanced(decision, reason, version);
            case WriteResult.SuccessWithDifferences(long version, List<Difference> _) ->
                versionAdvanced(decision, reason, version);
            case WriteResult.NotFound _ when isRevocation(decision) -> versionAdvanced(decision, reason, 0);
            case WriteResult.Rejected(String no) ->
                new Completion(CommitResult.failed(reason + ", and its resourceVersion could not be advanced: " + no));
            case WriteResult.Conflict _,
                    WriteResult.NotFound _,
                    WriteResult.Forbidden _,
                    WriteResult.TooManyRequests _,
                    WriteResult.Unknown _ -> after(decision, WriteScope.VERSION, result);
        };
    }

    /**
     * Rejects the decision up to this version. A revoked decision gets 0, so that the claim is decided again at once.
     */
    private static CommitStep versionAdvanced(Decision decision, String reason, long version) {
        return new Completion(CommitResult.rejected(reason, isRevocation(decision) ? 0 : version));
    }

    private static boolean isRevocation(Decision decision) {
        return decision.result() instanceof DecisionResult.Revoked;
    }

    /** Returns the step after a write that gives the claim a new resourceVersion, so that the cell decides it again. */
    static CommitStep afterRedecision(Decision decision, String reason, WriteResult result) {
        return switch (result) {
            case WriteResult.Success _, WriteResult.SuccessWithDifferences _ -> done(CommitStatus.SUPERSEDED, reason);
            case WriteResult.Rejected(String no) ->
                new Completion(CommitResult.failed(reason + ", and its resourceVersion could not be advanced: " + no));
            case WriteResult.Conflict _,
                    WriteResult.NotFound _,
                    WriteResult.Forbidden _,
                    WriteResult.TooManyRequests _,
                    WriteResult.Unknown _ -> after(decision, WriteScope.VERSION, result);
        };
    }

    /** Returns the step after a clear. If it succeeded, the decision is rejected up to the new version of the claim. */
    static CommitStep afterClearing(Decision decision, String reason, WriteResult result) {
        return switch (result) {
            case WriteResult.Success(long version, String _) -> new Completion(CommitResult.rejected(reason, version));
            case WriteResult.SuccessWithDifferences(long _, List<Difference> differences) ->
                notCleared(reason, UnpersistedField.describeWithRemedy(differences));
            case WriteResult.Rejected(String no) -> notCleared(reason, no);
            case WriteResult.Conflict _,
                    WriteResult.NotFound _,
                    WriteResult.Forbidden _,
                    WriteResult.TooManyRequests _,
                    WriteResult.Unknown _ -> after(decision, WriteScope.ALL, result);
        };
    }

    private static CommitStep notCleared(String reason, String no) {
        return new Completion(CommitResult.failed(reason + ", and could not be deallocated: " + no));
    }

    private static CommitStep done(CommitStatus result, String message) {
        return new Completion(new CommitResult(result, message));
    }
}
