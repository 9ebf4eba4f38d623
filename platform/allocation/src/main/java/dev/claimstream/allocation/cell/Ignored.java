package dev.claimstream.allocation.cell;

/**
 * An observation that changed nothing, and not because it was only repeated: lists show again what is known, and that is nothing to speak
 * of.
 */
public record Ignored(Observation what, Why why) {
    /** What is the matter with it. */
    public enum Why {
        /** It is older than what is known. */
        STALE("stale"),
        /** It is about what another source has brought, or uses the uid of what stands elsewhere. */
        FOREIGN("foreign"),
        /** It tells what became of a decision that was never made. */
        UNKNOWN_DECISION("unknown-decision");

        private final String text;

        Why(String text) {
            this.text = text;
        }

        /** As meters say it. */
        public String text() {
            return text;
        }
    }
}
