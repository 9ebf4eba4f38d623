package dev.claimstream.allocator.streams;

import dev.claimstream.dra.Selectors;
import java.time.InstantSource;

/**
 * The dependencies that all cells of a process and its router share.
 *
 * <p>Several threads use them, so each component is safe for many threads. Everything else that a task changes (rows, state, ledger,
 * numbers) belongs to the task.
 *
 * @param cells number of cells; several cells have a router
 * @param selectors compiled expressions, shared by all cells; results do not depend on what is compiled
 * @param log reader of the logs, without state
 * @param engine fingerprint of the decision engine
 * @param format formats of the state that this program writes and reads
 * @param snapshotEvery inputs between two snapshots with the hash of the state in the ledger; 0 for none
 * @param meters meters of the process, with separate numbers per cell
 * @param watchdog watchdog of the process, with a tracker per cell
 */
record TaskEnvironment(
        int cells,
        Selectors selectors,
        CellLog log,
        String engine,
        StateFormat format,
        long snapshotEvery,
        CellMeters meters,
        Watchdog watchdog,
        InstantSource clock) {}
