package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.Topics;
import java.util.Optional;

/** Whether a restored state, the log of its inputs and the group's offset belong together. Looked at whenever a cell is taken up. */
final class Continuity {
    private final int cell;
    private final CellLog log;

    Continuity(int cell, CellLog log) {
        this.cell = cell;
        this.log = log;
    }

    /**
     * @param note what the state says about itself; nothing where there is no state
     * @param applied offset of the last input in the state, -1 for none
     * @throws Discontinuity if they do not
     */
    void check(CellLog.Bearings now, Optional<Note> note, long applied) {
        if (note.isEmpty()) {
            checkFirst(now);
        } else {
            checkForm(note.get());
            checkLog(now, note.get(), applied);
        }
    }

    private void checkFirst(CellLog.Bearings now) {
        long committed = now.committed().orElse(0);
        if (committed > now.begin() && log.hasInputs(cell, now.begin(), committed)) {
            throw Discontinuity.rebuildable(
                    ("%s: its state is empty, and inputs up to offset %d were applied before: the"
                                    + " changelog is lost")
                            .formatted(name(), committed - 1));
        }
        if (now.begin() > 0) {
            throw Discontinuity.rebuildable(
                    "%s: its state is empty, and the log begins at offset %d: older inputs are gone"
                            .formatted(name(), now.begin()));
        }
    }

    /** Whether this program can read the rows at all. */
    void checkForm(Note note) {
        if (note.format() < Note.FORMAT_OLDEST || note.format() > Note.FORMAT) {
            throw Discontinuity.rebuildable("%s: its state has format %d, this program reads formats %d to %d"
                    .formatted(name(), note.format(), Note.FORMAT_OLDEST, Note.FORMAT));
        }
    }

    private void checkLog(CellLog.Bearings now, Note note, long applied) {
        if (!note.log().equals(now.id())) {
            throw Discontinuity.rebuildable(
                    "%s: topic %s was deleted and made again: its state belongs to the one before (id %s, now %s)"
                            .formatted(name(), Topics.CELLS_IN, note.log(), now.id()));
        }
        if (now.end() <= applied) {
            throw Discontinuity.rebuildable(
                    "%s: the log ends at offset %d, and its state has applied offset %d: records are lost"
                            .formatted(name(), now.end(), applied));
        }
        if (now.begin() > applied + 1) {
            throw Discontinuity.rebuildable(
                    "%s: the log begins at offset %d, and its state has applied only up to %d: inputs between are gone"
                            .formatted(name(), now.begin(), applied));
        }
        long committed = now.committed().orElse(applied + 1);
        if (committed > applied + 1 && log.hasInputs(cell, applied + 1, committed)) {
            throw Discontinuity.rebuildable(
                    "%s: its state has applied inputs up to offset %d, and its group has committed %d: the end of the"
                                    .formatted(name(), applied, committed)
                            + " changelog is lost");
        }
    }

    private String name() {
        return "cell " + cell;
    }
}
