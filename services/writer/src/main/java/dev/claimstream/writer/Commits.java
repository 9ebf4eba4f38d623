package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;

/** Where decisions are carried out, several at a time, those of one claim one after the other. */
public interface Commits {
    /**
     * Carries a decision out. It can come again, also after a later one of the same claim was seen and the process ended.
     *
     * @return what became of it; {@link Result#FAILED} where it may do later: it is asked for again
     */
    Outcome commit(Decision decision);

    /** How it ended; the names are those of {@code outcomes.v1}. */
    enum Result {
        /** It stands as decided. */
        COMMITTED("committed"),
        /** The cluster does not take it, and will not take it later either. */
        REFUSED("refused"),
        /** Somebody else has allocated the claim. */
        CONFLICT("conflict"),
        /** There is no such claim any more. */
        GONE("gone"),
        /** It was not carried out any more: a later decision of the claim is there. */
        SUPERSEDED("superseded"),
        /** Not now. */
        FAILED("failed");

        private final String text;

        Result(String text) {
            this.text = text;
        }
    }

    /**
     * What became of a decision.
     *
     * @param message what the cluster said, where it said something
     */
    record Outcome(Result result, String message) {
        /** It stands as decided. */
        public static final Outcome COMMITTED = new Outcome(Result.COMMITTED, "");

        /** The cluster does not take it, and did not say why. */
        public static final Outcome REFUSED = new Outcome(Result.REFUSED, "");

        /** Not now, for a reason that may pass. */
        public static Outcome failed(String why) {
            return new Outcome(Result.FAILED, why);
        }

        /** The name in records. */
        public String text() {
            return result.text;
        }
    }
}
