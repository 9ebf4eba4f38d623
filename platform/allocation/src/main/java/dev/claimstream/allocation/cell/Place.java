package dev.claimstream.allocation.cell;

/**
 * Which of several cells this is.
 *
 * @param index from 0
 * @param cells how many there are
 * @param offersMax how many items a cell offers to take at a time, at most; more would only come back
 */
public record Place(int index, int cells, int offersMax) {
    /** Offers at a time by default. */
    public static final int OFFERS_DEFAULT = 16;

    /** The only cell: it decides everything by itself. */
    public static final Place ALONE = new Place(0, 1);

    /** @throws IllegalArgumentException where there is no such place */
    public Place {
        if (index < 0 || index > cells || cells < 1) {
            throw new IllegalArgumentException("there is no place %d among %d cells".formatted(index, cells));
        }
    }

    /** With the default of offers. */
    public Place(int index, int cells) {
        this(index, cells, OFFERS_DEFAULT);
    }

    /** The place of the router among its cells: behind the last one. */
    public static Place ofRouter(int cells) {
        return new Place(cells, cells);
    }

    /** Whether there is no other cell, and so no router. */
    public boolean isAlone() {
        return cells == 1;
    }

    /** The next number of a decision after this one. No two places ever use the same number. */
    public long next(long number) {
        int stride = isAlone() ? 1 : cells + 1;
        long candidate = number + 1;
        return candidate + Math.floorMod(index - candidate, (long) stride);
    }
}
