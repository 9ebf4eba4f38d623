package dev.claimstream.allocation.router;

/** A change of one row of the router's state. */
public sealed interface RouterFact {
    /** Returns the key of the row. */
    String key();

    /** Adds or replaces a row. */
    record RouterRowPut(RouterRow row) implements RouterFact {
        @Override
        public String key() {
            return row.key();
        }
    }

    /** Deletes a row. */
    record RouterRowDrop(String key) implements RouterFact {}
}
