package dev.claimstream.audit;

import java.time.Instant;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sets the fields of a snapshot by name. Not thread-safe. */
final class CellSnapshotBuilder {
    private final int cell;
    private final long input;
    private final Instant at;
    private String ledgerHash = "";
    private String stateHash = "";
    private long ledgerOffset;
    private String engine = "";
    private String release = "";
    private long rows;
    private String sha256 = "";
    private OptionalInt format = OptionalInt.empty();
    private SortedMap<Integer, String> schemas = new TreeMap<>();
    private StoredFile file;

    CellSnapshotBuilder(int cell, long input, Instant at, StoredFile file) {
        this.cell = cell;
        this.input = input;
        this.at = at;
        this.file = file;
    }

    CellSnapshotBuilder ledgerHash(String value) {
        ledgerHash = value;
        return this;
    }

    CellSnapshotBuilder stateHash(String value) {
        stateHash = value;
        return this;
    }

    CellSnapshotBuilder ledgerOffset(long value) {
        ledgerOffset = value;
        return this;
    }

    CellSnapshotBuilder engine(String value) {
        engine = value;
        return this;
    }

    CellSnapshotBuilder release(String value) {
        release = value;
        return this;
    }

    CellSnapshotBuilder rows(long value) {
        rows = value;
        return this;
    }

    CellSnapshotBuilder sha256(String value) {
        sha256 = value;
        return this;
    }

    CellSnapshotBuilder format(OptionalInt value) {
        format = value;
        return this;
    }

    CellSnapshotBuilder schemas(SortedMap<Integer, String> value) {
        schemas = value;
        return this;
    }

    CellSnapshotBuilder file(StoredFile value) {
        file = value;
        return this;
    }

    /** Creates the snapshot. */
    CellSnapshot build() {
        return new CellSnapshot(
                cell,
                input,
                at,
                ledgerHash,
                stateHash,
                ledgerOffset,
                engine,
                release,
                rows,
                sha256,
                format,
                schemas,
                file);
    }
}
