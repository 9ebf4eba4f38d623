package dev.claimstream.allocation.cell;

import java.time.Instant;

/**
 * One record of the ordered input of a cell.
 *
 * @param at when it was written to the log; the only time that the cell knows
 */
public record Input(long offset, Instant at, Observation what) {}
