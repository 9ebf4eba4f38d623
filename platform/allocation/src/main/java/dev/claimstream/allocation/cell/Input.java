package dev.claimstream.allocation.cell;

import java.time.Instant;

/**
 * One record of the cell's ordered input.
 *
 * @param offset in the input topic
 * @param at append time of the record; the only clock of the cell
 */
public record Input(long offset, Instant at, Observation observation) {}
