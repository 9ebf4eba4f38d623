package dev.claimstream.allocation.cell;

/**
 * The identity of a cell among all cells.
 *
 * @param index from 0
 * @param cells number of cells
 * @param offersMax maximum number of open offers; more would only be declined
 */
public record CellIdentity(int index, int cells, int offersMax) {
    /** Default of {@link #offersMax}. */
    public static final int OFFERS_DEFAULT = 16;

    /** The only cell. It decides everything by itself. */
    public static final CellIdentity SINGLE = new CellIdentity(0, 1);

    /** @throws IllegalArgumentException if the index is out of range */
    public CellIdentity {
        if (index < 0 || index > cells || cells < 1) {
            throw new IllegalArgumentException("cell index %d is out of range for %d cells".formatted(index, cells));
        }
    }

    /** With the default number of offers. */
    public CellIdentity(int index, int cells) {
        this(index, cells, OFFERS_DEFAULT);
    }

    /** The identity of the router: the index after the last cell. */
    public static CellIdentity ofRouter(int cells) {
        return new CellIdentity(cells, cells);
    }

    /** Whether there is only one cell, and therefore no router. */
    public boolean isSingleCell() {
        return cells == 1;
    }

    /** The next decision number after this one. Cells and router never use the same number. */
    public long nextDecision(long number) {
        int stride = isSingleCell() ? 1 : cells + 1;
        long candidate = number + 1;
        return candidate + Math.floorMod(index - candidate, (long) stride);
    }
}
