package dev.claimstream.allocation.router;

/** A change of the router's state. */
public sealed interface RouterFact {
    /** The row that it is about. */
    String key();

    /** The row is like this. */
    record Put(RouterRow row) implements RouterFact {
        @Override
        public String key() {
            return row.key();
        }
    }

    /** There is no such row any more. */
    record Drop(String key) implements RouterFact {}
}
