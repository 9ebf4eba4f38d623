package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.WaitNotes;
import dev.claimstream.kubernetes.WaitNotes.About;
import dev.claimstream.kubernetes.WaitNotes.Note;
import dev.claimstream.writer.Commits.Outcome;
import dev.claimstream.writer.Commits.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What waits, and which of it is to be told: a reason that has stood for a while, again when it is another one, and again while it
 * stands, as what is told ages out of a cluster.
 */
final class Waiting {
    /** Most of what waits has its devices before anybody could read why. */
    static final Duration TOLD_AFTER = Duration.ofSeconds(2);

    /** What is decided and fails to be written is mostly written by one of the next tries. */
    static final Duration UNWRITTEN_TOLD_AFTER = Duration.ofSeconds(10);

    /** A cluster forgets an event after an hour, if nobody has said otherwise. */
    static final Duration TOLD_AGAIN_AFTER = Duration.ofMinutes(30);

    /** The reason of what is decided and cannot be written. */
    static final String NOT_WRITTEN = "NotWritten";

    private static final Duration TRIED_AGAIN_AFTER = Duration.ofSeconds(10);

    private final Map<ItemId, Stand> stands = new HashMap<>();

    /** By the uid of the claim. */
    private final Map<String, Stand> unwritten = new HashMap<>();

    private boolean isHeard = true;

    private static final class Stand {
        private final String id;
        private final Instant since;
        private Note newest;
        private Instant due;
        private boolean over;

        private Stand(Note first, Instant since, Instant due) {
            this.id = first.id();
            this.since = since;
            this.newest = first;
            this.due = due;
        }

        /** What is told again is new; the same in every process, so that it is told once. */
        private Note note(Instant now) {
            long times = Duration.between(since, now).dividedBy(TOLD_AGAIN_AFTER);
            return newest.named(times > 0 ? "%s again %d".formatted(id, times) : id);
        }
    }

    /** All that is explained comes again. Until it is through, nobody is told: much of it may be over. */
    synchronized void begin() {
        stands.values().forEach(each -> each.over = true);
        stands.clear();
        isHeard = false;
    }

    /** All that was explained has come. */
    synchronized void go() {
        isHeard = true;
    }

    /** Why an item stands as it does, and since when. */
    synchronized void see(String id, Instant since, Explanation explanation, Instant now) {
        switch (explanation.because()) {
            case Explanation.Because.Waits waits ->
                stand(
                        stands,
                        explanation.item(),
                        new Stand(note(id, explanation, waits.diagnosis()), since, now.plus(TOLD_AFTER)));
            case Explanation.Because.Granted _ -> end(stands, explanation.item());
        }
    }

    /** An item is gone. */
    synchronized void gone(ItemId item) {
        end(stands, item);
    }

    /** What was decided has to be tried again. Where the cluster does not keep up or does not answer, that says nothing yet. */
    synchronized void failed(Decision decision, Outcome outcome, Instant now) {
        if (outcome.result() == Result.FAILED) {
            stand(
                    unwritten,
                    decision.claimUid(),
                    new Stand(note(decision, outcome), now, now.plus(UNWRITTEN_TOLD_AFTER)));
        }
    }

    /** What was decided is carried out, or will not be. */
    synchronized void ended(Decision decision) {
        end(unwritten, decision.claimUid());
    }

    private static <K> void stand(Map<K, Stand> stands, K key, Stand stand) {
        Stand there = stands.get(key);
        if (there != null && there.newest.reason().equals(stand.newest.reason())) {
            there.newest = stand.newest;
        } else {
            end(stands, key);
            stands.put(key, stand);
        }
    }

    private static <K> void end(Map<K, Stand> stands, K key) {
        Stand ended = stands.remove(key);
        if (ended != null) {
            ended.over = true;
        }
    }

    private static Note note(String id, Explanation explanation, Plan.Diagnosis diagnosis) {
        ItemId item = explanation.item();
        boolean isPod = item.sort() == ItemId.Sort.POD;
        List<ObjectKey> claims = explanation.claims();
        return new Note(
                "%s %s %s".formatted(item, diagnosis.reason(), id),
                isPod ? About.POD : About.CLAIM,
                item.key(),
                isPod ? claims.stream().findFirst() : Optional.of(item.key()),
                diagnosis.reason().name(),
                message(claims, diagnosis.message()));
    }

    /** Names the claim where there is one and the sentence does not. */
    private static String message(List<ObjectKey> claims, String sentence) {
        return claims.size() == 1 && !sentence.contains("claim " + claims.getFirst())
                ? "claim %s: %s".formatted(claims.getFirst().name(), sentence)
                : sentence;
    }

    private static Note note(Decision decision, Outcome outcome) {
        ItemId item = decision.item();
        return new Note(
                "%s %s %s %d".formatted(item, NOT_WRITTEN, decision.claimUid(), decision.number()),
                item.sort() == ItemId.Sort.POD ? About.POD : About.CLAIM,
                item.key(),
                Optional.of(decision.claim()),
                NOT_WRITTEN,
                "claim %s: what was decided is not carried out yet: %s"
                        .formatted(decision.claim().name(), outcome.message()));
    }

    /** Tells what is due, what waits longest first, up to the first that the cluster does not answer. */
    void tell(WaitNotes notes, Instant now) {
        for (Stand each : due(now)) {
            Optional<Note> note = begin(each, now);
            if (note.isPresent()) {
                if (!notes.tell(note.get())) {
                    return;
                }
                told(each, now);
            }
        }
    }

    private synchronized List<Stand> due(Instant now) {
        if (!isHeard) {
            return List.of();
        }
        return Stream.concat(stands.values().stream(), unwritten.values().stream())
                .filter(each -> !now.isBefore(each.due))
                .sorted(Comparator.comparing((Stand each) -> each.due))
                .toList();
    }

    /** Its note, if it still stands; where it is not answered, others are told before it is tried again. */
    private synchronized Optional<Note> begin(Stand stand, Instant now) {
        stand.due = now.plus(TRIED_AGAIN_AFTER);
        return stand.over ? Optional.empty() : Optional.of(stand.note(now));
    }

    private synchronized void told(Stand stand, Instant now) {
        stand.due = now.plus(TOLD_AGAIN_AFTER);
    }
}
