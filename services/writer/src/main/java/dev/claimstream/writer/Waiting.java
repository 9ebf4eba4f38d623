package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.WaitNotes;
import dev.claimstream.kubernetes.WaitNotes.About;
import dev.claimstream.kubernetes.WaitNotes.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What waits, and which of it is to be told: a reason that has stood for a while, once, and again when it is another one. */
final class Waiting {
    /** Most of what waits has its devices before anybody could read why. */
    static final Duration TOLD_AFTER = Duration.ofSeconds(2);

    private final Map<ItemId, Stand> stands = new HashMap<>();

    private static final class Stand {
        private final Reason reason;
        private final Instant since;
        private final Note note;
        private boolean told;

        private Stand(Reason reason, Instant since, Note note) {
            this.reason = reason;
            this.since = since;
            this.note = note;
        }
    }

    /** Why an item stands as it does. */
    synchronized void see(String id, Explanation explanation, Instant now) {
        switch (explanation.because()) {
            case Explanation.Because.Waits waits -> wait(id, explanation, waits.diagnosis(), now);
            case Explanation.Because.Granted _ -> stands.remove(explanation.item());
        }
    }

    /** An item is gone. */
    synchronized void gone(ItemId item) {
        stands.remove(item);
    }

    private void wait(String id, Explanation explanation, Plan.Diagnosis diagnosis, Instant now) {
        Stand stand = stands.get(explanation.item());
        if (stand == null || stand.reason != diagnosis.reason()) {
            stands.put(explanation.item(), new Stand(diagnosis.reason(), now, note(id, explanation, diagnosis)));
        }
    }

    private static Note note(String id, Explanation explanation, Plan.Diagnosis diagnosis) {
        ItemId item = explanation.item();
        boolean isPod = item.sort() == ItemId.Sort.POD;
        List<ObjectKey> claims = explanation.claims();
        String message = claims.size() == 1
                ? "claim %s: %s".formatted(claims.getFirst().name(), diagnosis.message())
                : diagnosis.message();
        return new Note(
                "%s %s %s".formatted(item, diagnosis.reason(), id),
                isPod ? About.POD : About.CLAIM,
                item.key(),
                isPod ? claims.stream().findFirst() : Optional.of(item.key()),
                diagnosis.reason().name(),
                message);
    }

    /** Tells what is due. */
    synchronized void tell(WaitNotes notes, Instant now) {
        List<Stand> due = new ArrayList<>();
        for (Stand each : stands.values()) {
            if (!each.told && !now.isBefore(each.since.plus(TOLD_AFTER))) {
                due.add(each);
            }
        }
        for (Stand each : due) {
            each.told = true;
            notes.tell(each.note);
        }
    }
}
