package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;

/** Where decisions are carried out. */
public interface Commits {
    /**
     * Carries a decision out. It can come again, also after a later one of the same claim was seen and the process ended.
     *
     * @return what became of it
     */
    Outcome commit(Decision decision);

    /** What became of a decision; the names are those of {@code outcomes.v1}. */
    enum Outcome {
        COMMITTED("committed"),
        REFUSED("refused"),
        FAILED("failed");

        private final String text;

        Outcome(String text) {
            this.text = text;
        }

        /** The name in records. */
        public String text() {
            return text;
        }
    }
}
