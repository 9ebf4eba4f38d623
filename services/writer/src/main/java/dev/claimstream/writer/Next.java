package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.Verdict;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClaimStatus.Answer;
import dev.claimstream.kubernetes.ClaimStatus.Change;
import dev.claimstream.kubernetes.ClaimStatus.Part;
import dev.claimstream.kubernetes.Comparison;
import dev.claimstream.kubernetes.Difference;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.writer.Commits.Outcome;
import dev.claimstream.writer.Commits.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Next step to commit a decision, computed from what was read and answered by pure functions. */
sealed interface Next {
    /** Write the change. */
    record Write(Change change) implements Next {}

    /** Clear the claim: it has Claimstream's allocation, but the API server did not store it as decided. */
    record Clear(Change change, String why) implements Next {}

    /** Give the claim a new resourceVersion, so that no writer can commit the decision for the old version any more. */
    record Outdate(Change change, String why) implements Next {}

    /** Read the claim again without a pause. */
    record Read() implements Next {}

    /** Nothing is left to do. */
    record Done(Outcome outcome) implements Next {}

    /**
     * Returns the step for a claim that was read.
     *
     * <p>Pending and released decisions need no write. The clients that used a claim clear its allocation; a released
     * decision only reports that they did.
     */
    static Next of(Decision decision, Optional<Versioned> read) {
        return switch (decision.verdict()) {
            case Verdict.Waits _, Verdict.Released _, Verdict.Deallocation _ -> new Done(Outcome.COMMITTED);
            case Verdict.Revoked(Verdict.Granted what, String _) -> revoked(decision, what, read);
            case Verdict.Granted granted ->
                read.filter(each -> each.object().meta().uid().equals(decision.claimUid()))
                        .map(each -> granted(granted, (ResourceClaim) each.object(), each))
                        .orElseGet(() -> done(
                                Result.GONE,
                                read.isEmpty()
                                        ? "claim %s is gone".formatted(decision.claim())
                                        : "claim %s is another object now".formatted(decision.claim())));
        };
    }

    /**
     * Returns the step for a revoked allocation.
     *
     * <p>Decisions of a claim are committed in order, so this writer does not allocate a claim later that is pending
     * now. A writer that was paused while it lost the partition still could, for the resourceVersion that was decided.
     * The revoke is complete only once the claim has a newer version (ADR 11).
     */
    private static Next revoked(Decision decision, Verdict.Granted what, Optional<Versioned> read) {
        Optional<Versioned> there =
                read.filter(each -> each.object().meta().uid().equals(decision.claimUid()));
        if (there.map(each -> (ResourceClaim) each.object())
                .flatMap(ResourceClaim::allocation)
                .isPresent()) {
            return new Done(Outcome.COMMITTED);
        }
        return there.filter(each -> each.version() <= what.claimVersion())
                .<Next>map(each -> new Outdate(
                        Change.outdate(decision.claim(), decision.claimUid(), each.version()), takenBack(decision)))
                .orElseGet(() -> done(Result.REFUSED, takenBack(decision)));
    }

    private static String takenBack(Decision decision) {
        return "claim %s does not have what was taken back".formatted(decision.claim());
    }

    private static Next granted(Verdict.Granted granted, ResourceClaim claim, Versioned read) {
        String uid = claim.meta().uid();
        long version = read.version();
        if (claim.allocation().isEmpty()) {
            // the decision may have been committed and undone since; the cell decides again for the current version
            // (ADR 18)
            if (granted.claimVersion() != 0 && version > granted.claimVersion()) {
                return done(
                        Result.SUPERSEDED,
                        "claim %s has changed since it was decided, and is decided again".formatted(claim.key()));
            }
            return new Write(Change.allocate(claim.key(), uid, version, granted.allocation(), granted.reservedFor()));
        }
        Allocation there = claim.allocation().get();
        if (!there.results().equals(granted.allocation().results())) {
            List<Difference> differences = Comparison.of(granted.allocation(), there);
            return isOurs(granted.allocation(), there, read.allocatedBy())
                    ? clear(claim.key(), uid, version, differences)
                    : done(
                            Result.CONFLICT,
                            "claim %s is allocated otherwise: %s".formatted(claim.key(), Unkept.fields(differences)));
        }
        List<Consumer> all = new ArrayList<>(claim.reservedFor());
        missing(granted, claim).forEach(all::add);
        return all.size() == claim.reservedFor().size()
                ? new Done(Outcome.COMMITTED)
                : new Write(Change.reserve(claim.key(), uid, version, there, all));
    }

    /** Returns the consumers of the decision that the claim does not have yet. */
    static List<Consumer> missing(Verdict.Granted granted, ResourceClaim claim) {
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
    private static boolean isOurs(Allocation decided, Allocation there, Optional<String> writtenBy) {
        return writtenBy.equals(Optional.of(ClaimStatus.WRITER))
                && decided.allocationTimestamp().isPresent()
                && decided.allocationTimestamp().equals(there.allocationTimestamp());
    }

    private static Next clear(ObjectKey claim, String uid, long version, List<Difference> differences) {
        return new Clear(Change.clear(claim, uid, version), unkept(claim, differences));
    }

    private static String unkept(ObjectKey claim, List<Difference> differences) {
        return "the API server of claim %s has not kept %s".formatted(claim, Unkept.named(differences));
    }

    /**
     * Returns the step after a write of this change.
     *
     * <p>If only consumers were written, other pods may use the devices already: the claim is not cleared, and a
     * rejection says nothing about its allocation. After a rejected allocation the claim gets a new resourceVersion:
     * the reason of the rejection may disappear while a late request of another writer is still on its way for the old
     * version.
     */
    static Next after(Decision decision, Change change, Answer answer) {
        return answer instanceof Answer.Refused(String why) && change.part() == Part.ALL
                ? new Outdate(Change.outdate(change.claim(), change.uid(), change.version()), why)
                : after(decision, change.part(), answer);
    }

    /** Returns the step after a write of this part; a rejection leaves the claim as it is. */
    static Next after(Decision decision, Part part, Answer answer) {
        return switch (answer) {
            case Answer.Written _ -> new Done(Outcome.COMMITTED);
            case Answer.Altered(long version, List<Difference> differences) ->
                part == Part.ALL
                        ? clear(decision.claim(), decision.claimUid(), version, differences)
                        : new Done(Outcome.failed(unkept(decision.claim(), differences)));
            case Answer.Changed _ -> new Read();
            case Answer.Missing _ -> done(Result.GONE, "claim %s is gone".formatted(decision.claim()));
            case Answer.Refused(String why) -> new Done(Outcome.refused(why, 0));
            case Answer.NotAllowed(String why, String remedy) -> new Done(Outcome.failed(why + ": " + remedy));
            case Answer.SlowDown(String why, Duration pause) -> new Done(Outcome.overloaded(why, pause));
            // the retry reads first, and finds what was written
            case Answer.Unknown(String why) -> new Done(Outcome.overloaded(why, Duration.ZERO));
        };
    }

    /**
     * Returns the step after a write that gives the claim a new resourceVersion.
     *
     * <p>The decision is rejected, and its devices are free, only once the old version is replaced.
     */
    static Next afterOutdating(Decision decision, String why, Answer answer) {
        return switch (answer) {
            case Answer.Written(long version) -> outdated(decision, why, version);
            case Answer.Altered(long version, List<Difference> _) -> outdated(decision, why, version);
            case Answer.Missing _ when isTakenBack(decision) -> outdated(decision, why, 0);
            case Answer.Refused(String no) -> new Done(Outcome.failed(why + ", and may still get it: " + no));
            case Answer.Changed _, Answer.Missing _, Answer.NotAllowed _, Answer.SlowDown _, Answer.Unknown _ ->
                after(decision, Part.VERSION, answer);
        };
    }

    /**
     * Rejects the decision up to this version. A revoked decision gets 0, so that the claim is decided again at once.
     */
    private static Next outdated(Decision decision, String why, long version) {
        return new Done(Outcome.refused(why, isTakenBack(decision) ? 0 : version));
    }

    private static boolean isTakenBack(Decision decision) {
        return decision.verdict() instanceof Verdict.Revoked;
    }

    /** Returns the step after a clear. If it succeeded, the decision is rejected up to the new version of the claim. */
    static Next afterClearing(Decision decision, String why, Answer answer) {
        return switch (answer) {
            case Answer.Written(long version) -> new Done(Outcome.refused(why, version));
            case Answer.Altered(long _, List<Difference> differences) -> kept(why, Unkept.named(differences));
            case Answer.Refused(String no) -> kept(why, no);
            case Answer.Changed _, Answer.Missing _, Answer.NotAllowed _, Answer.SlowDown _, Answer.Unknown _ ->
                after(decision, Part.ALL, answer);
        };
    }

    private static Next kept(String why, String no) {
        return new Done(Outcome.failed(why + ", and does not let go of it: " + no));
    }

    private static Next done(Result result, String message) {
        return new Done(new Outcome(result, message));
    }
}
