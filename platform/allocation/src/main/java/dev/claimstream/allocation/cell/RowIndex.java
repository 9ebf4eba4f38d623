package dev.claimstream.allocation.cell;

/** An index that is derived from rows. It ignores rows that it does not concern. */
interface RowIndex {
    /** Adds a row. The table of rows already contains it. */
    void add(Row row);

    /** Removes a row. The table of rows contains its replacement, if any. */
    void remove(Row row);
}
