package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import java.time.Duration;

/** Where decisions are carried out, several at a time, those of one claim one after the other. */
public interface Commits {
    /**
     * Carries a decision out. It can come again, also after a later one of the same claim was seen and the process ended.
     *
     * @return what became of it; {@link Result#FAILED} or {@link Result#OVERLOADED} where it may do later: it is asked for again
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
        FAILED("failed"),
        /** Not now: the cluster does not keep up, or nobody knows what became of it. */
        OVERLOADED("overloaded");

        private final String text;

        Result(String text) {
            this.text = text;
        }
    }

    /**
     * What became of a decision.
     *
     * @param message what the cluster said, where it said something
     * @param pause that the cluster asks for before the next try
     * @param claimVersion of a refusal: up to which version of the claim it counts; 0 where that is not known
     */
    record Outcome(Result result, String message, Duration pause, long claimVersion) {
        /** It stands as decided. */
        public static final Outcome COMMITTED = new Outcome(Result.COMMITTED, "");

        /** The cluster does not take it, and did not say why. */
        public static final Outcome REFUSED = new Outcome(Result.REFUSED, "");

        /** Not now, for a reason that may pass. */
        public static Outcome failed(String why) {
            return new Outcome(Result.FAILED, why);
        }

        /** Not now, because there is too much to do. */
        public static Outcome overloaded(String why, Duration pause) {
            return new Outcome(Result.OVERLOADED, why, pause, 0);
        }

        /** The cluster does not take it for the claim as it is up to this version. */
        public static Outcome refused(String why, long claimVersion) {
            return new Outcome(Result.REFUSED, why, Duration.ZERO, claimVersion);
        }

        public Outcome(Result result, String message) {
            this(result, message, Duration.ZERO, 0);
        }

        /** Whether it is to be asked for again. */
        public boolean isForLater() {
            return result == Result.FAILED || result == Result.OVERLOADED;
        }

        /** The name in records. */
        public String text() {
            return result.text;
        }
    }
}
