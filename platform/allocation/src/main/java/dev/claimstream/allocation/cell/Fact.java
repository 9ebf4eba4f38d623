package dev.claimstream.allocation.cell;

/** A change of the state: a row as it is from now on, or that it is gone. The last fact per row is enough. */
public sealed interface Fact {
    /** The row that it is about. */
    String key();

    /** The row is like this. */
    record Put(Row row) implements Fact {
        @Override
        public String key() {
            return row.key();
        }
    }

    /** There is no such row any more. */
    record Drop(String key) implements Fact {}
}
