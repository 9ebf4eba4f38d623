package dev.claimstream.allocation.cell;

/** A change of one row. Only the last fact of a key counts, so a compacted log restores the state. */
public sealed interface Fact {
    /** The key of the row. */
    String key();

    /** The row is inserted or replaced. */
    record Put(Row row) implements Fact {
        @Override
        public String key() {
            return row.key();
        }
    }

    /** The row is deleted. */
    record Drop(String key) implements Fact {
        Drop(RowKey<?> key) {
            this(key.text());
        }
    }
}
