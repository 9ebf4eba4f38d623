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

/** What to do next for a decision: functions of what was read and answered, nothing else. */
sealed interface Next {
    /** Write this. */
    record Write(Change change) implements Next {}

    /** Write this: what stands there is ours, but the cluster has not kept it as it was decided. */
    record Clear(Change change, String why) implements Next {}

    /** Write this: what was decided for that version of the claim is not carried out, and is not to be by anybody, ever. */
    record Outdate(Change change, String why) implements Next {}

    /** Read the claim again, now. */
    record Read() implements Next {}

    /** Nothing. */
    record Done(Outcome outcome) implements Next {}

    /**
     * For a claim as it was read. A wait and a release ask for no write: what a claim holds is cleared by those who used it, and the
     * release tells that they did.
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
     * Decisions of a claim are carried out in order, so what it does not have now, it does not get by that decision from us any more. But
     * who had its partition before, and was frozen, may still hold it; so the version that it would be written for has to be over.
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
            // it may have been carried out and undone since: what is to be done with the claim as it is now is said
            // anew
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

    /** The consumers that a claim does not have yet. */
    static List<Consumer> missing(Verdict.Granted granted, ResourceClaim claim) {
        return granted.reservedFor().stream()
                .filter(more -> claim.reservedFor().stream()
                        .noneMatch(known -> known.uid().equals(more.uid())))
                .toList();
    }

    /**
     * What we have written at the moment of the decision is the decision, whatever became of it on the way, its devices included. The
     * moment alone does not show it: somebody else may have decided in the same second.
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
     * For the answer to a write. Where consumers alone were written, others may use the devices already: nothing is cleared then, and a
     * refusal says nothing of the claim. The reason of a refusal may go, while a write that another has on its way is still for this version:
     * so it has to be over, too.
     */
    static Next after(Decision decision, Change change, Answer answer) {
        return answer instanceof Answer.Refused(String why) && change.part() == Part.ALL
                ? new Outdate(Change.outdate(change.claim(), change.uid(), change.version()), why)
                : after(decision, change.part(), answer);
    }

    /** For the answer to a write of this part, of which a refusal says nothing of the claim. */
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
            // the next try begins by reading, and finds what was written
            case Answer.Unknown(String why) -> new Done(Outcome.overloaded(why, Duration.ZERO));
        };
    }

    /** For the answer to a write that makes a version old: what was decided for it is free only once it is. */
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

    /** What was taken back is decided anew at once, and not only for a later version of the claim. */
    private static Next outdated(Decision decision, String why, long version) {
        return new Done(Outcome.refused(why, isTakenBack(decision) ? 0 : version));
    }

    private static boolean isTakenBack(Decision decision) {
        return decision.verdict() instanceof Verdict.Revoked;
    }

    /** For the answer to a clearing: once it is gone, the decision is refused for the claim as it is then. */
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
