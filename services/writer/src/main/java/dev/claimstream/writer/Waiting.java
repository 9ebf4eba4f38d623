package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.Verdict;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.kubernetes.WaitNotes;
import dev.claimstream.kubernetes.WaitNotes.About;
import dev.claimstream.kubernetes.WaitNotes.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What waits, and which of it is to be told: a reason that has stood for a while, once, and again when it is another one. */
final class Waiting {
    /** Most of what waits has its devices before anybody could read why. */
    static final Duration TOLD_AFTER = Duration.ofSeconds(2);

    private final Map<ItemId, Stand> stands = new HashMap<>();
    private final Map<String, ItemId> items = new HashMap<>();

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

    /** A decision that came. */
    synchronized void see(Decision decision, Instant now) {
        switch (decision.verdict()) {
            case Verdict.Waits(Reason reason, String message) -> wait(decision, reason, message, now);
            case Verdict.Granted _, Verdict.Revoked _, Verdict.Released _ -> forget(decision.item());
        }
    }

    private void forget(ItemId item) {
        Stand stand = stands.remove(item);
        if (stand != null) {
            items.remove(stand.note.claimUid());
        }
    }

    /** A claim is gone, and whatever waited for it. */
    synchronized void gone(String claimUid) {
        ItemId item = items.get(claimUid);
        if (item != null) {
            forget(item);
        }
    }

    private void wait(Decision decision, Reason reason, String message, Instant now) {
        Stand stand = stands.get(decision.item());
        if (stand == null || stand.reason != reason) {
            forget(decision.item());
            stands.put(decision.item(), new Stand(reason, now, note(decision, reason, message)));
            items.put(decision.claimUid(), decision.item());
        }
    }

    private static Note note(Decision decision, Reason reason, String message) {
        boolean isPod = decision.item().sort() == ItemId.Sort.POD;
        return new Note(
                "%s %s %d".formatted(decision.item(), reason, decision.number()),
                isPod ? About.POD : About.CLAIM,
                decision.item().key(),
                decision.claim(),
                decision.claimUid(),
                reason.name(),
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
