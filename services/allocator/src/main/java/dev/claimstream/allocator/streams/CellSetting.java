package dev.claimstream.allocator.streams;

import dev.claimstream.dra.Selectors;
import java.time.InstantSource;

/**
 * What a cell is given by the process that hosts it. All cells of the process and the router are given the same, and several threads
 * work on them: each part is safe for many threads. Everything else that a task changes (rows, state, ledger, counts) is its own.
 *
 * @param cells how many there are; more than one have a router
 * @param selectors safe for many threads, and so shared: what one cell has compiled serves all, and the answers do not depend on it
 * @param log keeps nothing between two questions
 * @param engine hash of what computes here
 * @param snapshotEvery a snapshot with the hash of the state goes to the ledger after so many inputs; 0 for never
 * @param meters where each cell has a place of its own
 * @param watchdog of the process, where each cell has a tracker of its own
 */
record CellSetting(
        int cells,
        Selectors selectors,
        CellLog log,
        String engine,
        long snapshotEvery,
        CellMeters meters,
        Watchdog watchdog,
        InstantSource clock) {}
