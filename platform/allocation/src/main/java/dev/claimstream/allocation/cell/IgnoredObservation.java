package dev.claimstream.allocation.cell;

/**
 * An observation that changed nothing although it was not a mere repetition.
 *
 * <p>Relists repeat known objects; those are not reported.
 */
public record IgnoredObservation(Observation observation, IgnoredReason reason) {
    /** Why the observation was ignored. */
    public enum IgnoredReason {
        /** It is older than the known state. */
        STALE("stale"),
        /** The object belongs to another source, or another existing claim has its UID. */
        FOREIGN("foreign"),
        /** It is the outcome of a decision that was never made. */
        UNKNOWN_DECISION("unknown-decision");

        private final String text;

        IgnoredReason(String text) {
            this.text = text;
        }

        /** The label value in metrics. */
        public String text() {
            return text;
        }
    }
}
