package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.Verdict;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus.Answer;
import dev.claimstream.kubernetes.ClaimStatus.Change;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.writer.Commits.Outcome;
import dev.claimstream.writer.Commits.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What to do next for a decision: functions of what was read and answered, nothing else. */
sealed interface Next {
    /** Write this. */
    record Write(Change change) implements Next {}

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
            case Verdict.Waits _, Verdict.Released _ -> new Done(Outcome.COMMITTED);
            case Verdict.Revoked _ -> revoked(decision, read);
            case Verdict.Granted granted ->
                read.filter(each -> each.object().meta().uid().equals(decision.claimUid()))
                        .map(each -> granted(granted, (ResourceClaim) each.object(), each.version()))
                        .orElseGet(() -> done(
                                Result.GONE,
                                read.isEmpty()
                                        ? "claim %s is gone".formatted(decision.claim())
                                        : "claim %s is another object now".formatted(decision.claim())));
        };
    }

    /** Decisions of a claim are carried out in order, so what it does not have now, it does not get by that decision any more. */
    private static Next revoked(Decision decision, Optional<Versioned> read) {
        boolean hasIt = read.map(Versioned::object)
                .filter(each -> each.meta().uid().equals(decision.claimUid()))
                .flatMap(each -> ((ResourceClaim) each).allocation())
                .isPresent();
        return hasIt
                ? new Done(Outcome.COMMITTED)
                : done(Result.REFUSED, "claim %s does not have what was taken back".formatted(decision.claim()));
    }

    private static Next granted(Verdict.Granted granted, ResourceClaim claim, long version) {
        if (claim.allocation().isEmpty()) {
            return write(claim, version, granted.allocation(), granted.reservedFor());
        }
        Allocation there = claim.allocation().get();
        if (!there.results().equals(granted.allocation().results())) {
            return done(Result.CONFLICT, "claim %s is allocated otherwise".formatted(claim.key()));
        }
        List<Consumer> all = new ArrayList<>(claim.reservedFor());
        granted.reservedFor().stream()
                .filter(more -> all.stream().noneMatch(known -> known.uid().equals(more.uid())))
                .forEach(all::add);
        return all.size() == claim.reservedFor().size()
                ? new Done(Outcome.COMMITTED)
                : write(claim, version, there, all);
    }

    private static Next write(ResourceClaim claim, long version, Allocation allocation, List<Consumer> consumers) {
        return new Write(new Change(claim.key(), claim.meta().uid(), version, Optional.of(allocation), consumers));
    }

    /** For the answer to a write. */
    static Next after(Decision decision, Answer answer) {
        return switch (answer) {
            case Answer.Written _ -> new Done(Outcome.COMMITTED);
            case Answer.Changed _ -> new Read();
            case Answer.Missing _ -> done(Result.GONE, "claim %s is gone".formatted(decision.claim()));
            case Answer.Refused(String why) -> done(Result.REFUSED, why);
            // the next try begins by reading, and finds what was written
            case Answer.Unknown(String why) -> new Done(Outcome.failed(why));
        };
    }

    private static Next done(Result result, String message) {
        return new Done(new Outcome(result, message));
    }
}
