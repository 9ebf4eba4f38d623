package dev.claimstream.history.store;

/**
 * The figures of a store at its last flush.
 *
 * @param events inputs and ledger events that were folded since the store was opened
 * @param openIntervals intervals without an end
 * @param endedIntervals intervals that have ended
 * @param overlaps violations of sharing, of all times
 * @param newOverlaps violations of sharing that were found since the store was opened
 * @param gaps ranges of offsets that were deleted before they were folded, of all times
 */
public record StoreFigures(
        long events, long openIntervals, long endedIntervals, long overlaps, long newOverlaps, long gaps) {
    /** Of a store that is not open. */
    public static final StoreFigures NONE = new StoreFigures(0, 0, 0, 0, 0, 0);

    /** These figures, continued by a store that was opened later. */
    public StoreFigures then(StoreFigures later) {
        return new StoreFigures(
                events + later.events,
                later.openIntervals,
                later.endedIntervals,
                later.overlaps,
                newOverlaps + later.newOverlaps,
                later.gaps);
    }

    StoreFigures after(long moreEvents, long open, int ended, int moreOverlaps, long allGaps) {
        return new StoreFigures(
                events + moreEvents,
                open,
                endedIntervals + ended,
                overlaps + moreOverlaps,
                newOverlaps + moreOverlaps,
                allGaps);
    }
}
