package dev.claimstream.allocator.streams;

import dev.claimstream.dra.Selectors;
import java.time.InstantSource;

/**
 * What a cell is given by the process that hosts it.
 *
 * @param engine hash of what computes here
 * @param snapshotEvery a snapshot with the hash of the state goes to the ledger after so many inputs; 0 for never
 */
record CellSetting(
        Selectors selectors, CellLog log, String engine, long snapshotEvery, CellMeters meters, InstantSource clock) {
    CellSetting {
        if (snapshotEvery < 0) {
            throw new IllegalArgumentException(
                    "claimstream.allocator.snapshot-every is %d, it is 0 (never) or more".formatted(snapshotEvery));
        }
    }
}
