package dev.claimstream.load.streams;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The durations of the hashes in a cell's snapshots.
 *
 * @param firstMs the maximum, which is the first: it covers all rows
 * @param laterMs the mean of the others
 */
public record SnapshotHashes(long count, double firstMs, double laterMs) {
    private static final String METER = "claimstream_cell_snapshot_hash_seconds_";

    /** Reads the durations from metrics in Prometheus format. */
    static SnapshotHashes of(String meters) {
        long count = (long) value(meters, "count");
        double first = value(meters, "max") * 1e3;
        double all = value(meters, "sum") * 1e3;
        return new SnapshotHashes(count, first, count > 1 ? (all - first) / (count - 1) : 0);
    }

    private static double value(String meters, String what) {
        Matcher sample = Pattern.compile("(?m)^" + METER + what + "\\{cell=\"0\"} (\\S+)$")
                .matcher(meters);
        if (!sample.find()) {
            throw new IllegalStateException("no meter " + METER + what + ": the cell has made no snapshot");
        }
        return Double.parseDouble(sample.group(1));
    }
}
