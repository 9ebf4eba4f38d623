package dev.claimstream.allocator.streams;

import dev.claimstream.wire.StateRowCodec;

/**
 * The formats of a cell's state that a program writes and reads. A program that does not read the format of a state
 * rebuilds it from the log ({@link StateFormatUpgrade}).
 *
 * @param written format of the rows that it writes
 * @param oldestRead oldest format of rows that it reads
 */
record StateFormat(int written, int oldestRead) {
    /**
     * The formats of this program. Since format 2, long rows are compressed; since format 3, records have their present names; since format 4,
     * keys of rows have them too.
     */
    static final StateFormat CURRENT = new StateFormat(StateRowCodec.FORMAT, 4);

    StateFormat {
        if (oldestRead > written) {
            throw new IllegalArgumentException(
                    "format %d is written and the oldest that is read is %d".formatted(written, oldestRead));
        }
    }

    boolean reads(int format) {
        return format >= oldestRead && format <= written;
    }
}
