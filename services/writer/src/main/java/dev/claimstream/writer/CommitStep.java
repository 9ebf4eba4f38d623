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
    /** Write the change. */
    record Write(StatusChange change) implements CommitStep {}

    /** Clear the claim: it has Claimstream's allocation, but the API server did not store it as decided. */
    record Clear(StatusChange change, String why) implements CommitStep {}

    /** Give the claim a new resourceVersion, so that no writer can commit the decision for the old version any more. */
    record AdvanceVersion(StatusChange change, String why) implements CommitStep {}

    /**
     * Give the claim a new resourceVersion, so that the cell decides it again.
     *
     * @param reference the reference of the decision that names no parameters any more
     */
    record Redecision(StatusChange change, ConfigReference reference, String why) implements CommitStep {}

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
            case DecisionResult.Revoked(DecisionResult.Allocated what, String _) -> revoked(decision, what, read);
            case DecisionResult.Allocated granted ->
                read.filter(each -> each.object().meta().uid().equals(decision.claimUid()))
                        .map(each -> allocated(granted, (ResourceClaim) each.object(), each))
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

    private static CommitStep allocated(DecisionResult.Allocated granted, ResourceClaim claim, VersionedObject read) {
        String uid = claim.meta().uid();
        long version = read.version();
        if (claim.allocation().isEmpty()) {
            // the decision may have been committed and undone since, or the cluster was restored from a backup; the
            // cell
            // decides again for the current version (ADR 18 and 51)
            if (granted.claimVersion() != 0 && version != granted.claimVersion()) {
                return done(
                        CommitStatus.SUPERSEDED,
                        "claim %s has changed since the decision and is decided again".formatted(claim.key()));
            }
            return new Write(
                    StatusChange.allocate(claim.key(), uid, version, granted.allocation(), granted.reservedFor()));
        }
        Allocation stored = claim.allocation().get();
        if (!stored.results().equals(granted.allocation().results())) {
            List<Difference> differences = StatusComparison.of(granted.allocation(), stored);
            return isOwnAllocation(granted.allocation(), stored, read.allocatedBy())
                    ? clear(claim.key(), uid, version, differences)
                    : done(
                            CommitStatus.CONFLICT,
                            "claim %s has another allocation: %s"
                                    .formatted(claim.key(), UnpersistedField.describe(differences)));
        }
        List<ClaimConsumer> all = new ArrayList<>(claim.reservedFor());
        missingConsumers(granted, claim).forEach(all::add);
        return all.size() == claim.reservedFor().size()
                ? new Completion(CommitResult.COMMITTED)
                : new Write(StatusChange.reserve(claim.key(), uid, version, stored, all));
    }

    /** Returns the consumers of the decision that the claim does not have yet. */
    static List<ClaimConsumer> missingConsumers(DecisionResult.Allocated granted, ResourceClaim claim) {
        return granted.reservedFor().stream()
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
    static CommitStep after(Decision decision, StatusChange change, WriteResult answer) {
        return answer instanceof WriteResult.Rejected(String why) && change.scope() == WriteScope.ALL
                ? new AdvanceVersion(
                        StatusChange.invalidateDecisions(change.claim(), change.uid(), change.version()), why)
                : after(decision, change.scope(), answer);
    }

    /** Returns the step after a write of this part; a rejection leaves the claim as it is. */
    static CommitStep after(Decision decision, WriteScope part, WriteResult answer) {
        return switch (answer) {
            case WriteResult.Success(long _, String auditId) ->
                new Completion(CommitResult.COMMITTED.withAuditId(auditId));
            case WriteResult.SuccessWithDifferences(long version, List<Difference> differences) ->
                part == WriteScope.ALL
                        ? clear(decision.claim(), decision.claimUid(), version, differences)
                        : new Completion(CommitResult.failed(unpersistedMessage(decision.claim(), differences)));
            case WriteResult.Conflict _ -> new Reread();
            case WriteResult.NotFound _ ->
                done(CommitStatus.DELETED, "claim %s was deleted".formatted(decision.claim()));
            case WriteResult.Rejected(String why) -> new Completion(CommitResult.rejected(why, 0));
            case WriteResult.Forbidden(String why, String remedy) ->
                new Completion(CommitResult.failed(why + ": " + remedy));
            case WriteResult.TooManyRequests(String why, Duration pause) ->
                new Completion(CommitResult.overloaded(why, pause));
            // the retry reads first, and finds what was written
            case WriteResult.Unknown(String why) -> new Completion(CommitResult.overloaded(why, Duration.ZERO));
        };
    }

    /**
     * Returns the step after a write that gives the claim a new resourceVersion.
     *
     * <p>The decision is rejected, and its devices are free, only once the old version is replaced.
     */
    static CommitStep afterAdvancingVersion(Decision decision, String why, WriteResult answer) {
        return switch (answer) {
            case WriteResult.Success(long version, String _) -> versionAdvanced(decision, why, version);
            case WriteResult.SuccessWithDifferences(long version, List<Difference> _) ->
                versionAdvanced(decision, why, version);
            case WriteResult.NotFound _ when isRevocation(decision) -> versionAdvanced(decision, why, 0);
            case WriteResult.Rejected(String no) ->
                new Completion(CommitResult.failed(why + ", and its resourceVersion could not be advanced: " + no));
            case WriteResult.Conflict _,
                    WriteResult.NotFound _,
                    WriteResult.Forbidden _,
                    WriteResult.TooManyRequests _,
                    WriteResult.Unknown _ -> after(decision, WriteScope.VERSION, answer);
        };
    }

    /**
     * Rejects the decision up to this version. A revoked decision gets 0, so that the claim is decided again at once.
     */
    private static CommitStep versionAdvanced(Decision decision, String why, long version) {
        return new Completion(CommitResult.rejected(why, isRevocation(decision) ? 0 : version));
    }

    private static boolean isRevocation(Decision decision) {
        return decision.result() instanceof DecisionResult.Revoked;
    }

    /** Returns the step after a write that gives the claim a new resourceVersion, so that the cell decides it again. */
    static CommitStep afterRedecision(Decision decision, String why, WriteResult answer) {
        return switch (answer) {
            case WriteResult.Success _, WriteResult.SuccessWithDifferences _ -> done(CommitStatus.SUPERSEDED, why);
            case WriteResult.Rejected(String no) ->
                new Completion(CommitResult.failed(why + ", and its resourceVersion could not be advanced: " + no));
            case WriteResult.Conflict _,
                    WriteResult.NotFound _,
                    WriteResult.Forbidden _,
                    WriteResult.TooManyRequests _,
                    WriteResult.Unknown _ -> after(decision, WriteScope.VERSION, answer);
        };
    }

    /** Returns the step after a clear. If it succeeded, the decision is rejected up to the new version of the claim. */
    static CommitStep afterClearing(Decision decision, String why, WriteResult answer) {
        return switch (answer) {
            case WriteResult.Success(long version, String _) -> new Completion(CommitResult.rejected(why, version));
            case WriteResult.SuccessWithDifferences(long _, List<Difference> differences) ->
                notCleared(why, UnpersistedField.describeWithRemedy(differences));
            case WriteResult.Rejected(String no) -> notCleared(why, no);
            case WriteResult.Conflict _,
                    WriteResult.NotFound _,
                    WriteResult.Forbidden _,
                    WriteResult.TooManyRequests _,
                    WriteResult.Unknown _ -> after(decision, WriteScope.ALL, answer);
        };
    }

    private static CommitStep notCleared(String why, String no) {
        return new Completion(CommitResult.failed(why + ", and could not be deallocated: " + no));
    }

    private static CommitStep done(CommitStatus result, String message) {
        return new Completion(new CommitResult(result, message));
    }
}
