package dev.claimstream.agent.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.wire.PublicRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Computes which records bring the topic in line with the slices of an agent. Not thread-safe.
 *
 * <p>First all slices and a marker record that the kind is synced, then only changes. Epoch and first version are the
 * start time of the agent, so they exceed those of earlier starts.
 */
final class SlicePublication {
    private final String source;
    private final long epoch;
    private long version;
    private boolean synced;

    /** Slices that the topic contains for certain, by name. */
    private SortedMap<String, ResourceSlice> acknowledged = new TreeMap<>();

    /** Slices that the topic may contain, by name: acknowledged, or sent with unknown result. */
    private final SortedMap<String, ResourceSlice> maybePublished = new TreeMap<>();

    /** @param startMillis start time of the agent in milliseconds since 1970 */
    SlicePublication(String source, long startMillis) {
        this.source = source;
        this.epoch = startMillis;
        this.version = startMillis;
    }

    /**
     * Returns the records after which the topic contains exactly these slices of the source; empty if it already does.
     */
    List<PublicRecord> recordsFor(List<ResourceSlice> slices) {
        List<PublicRecord> records = new ArrayList<>();
        SortedMap<String, ResourceSlice> now = byName(slices);
        now.values().stream()
                .filter(slice -> !slice.equals(acknowledged.get(slice.meta().name())))
                .forEach(slice -> records.add(PublicRecord.upsert(stamp(), slice)));
        maybePublished.values().stream()
                .filter(slice -> !now.containsKey(slice.meta().name()))
                .forEach(slice -> records.add(PublicRecord.deletion(stamp(), slice)));
        if (!synced) {
            records.add(PublicRecord.syncMarker(new Stamp(source, epoch, version), Kind.RESOURCE_SLICE, slices.size()));
        }
        maybePublished.putAll(now);
        return records;
    }

    /** Records that the records of the last {@link #recordsFor} call for these slices are acknowledged. */
    void acknowledge(List<ResourceSlice> slices) {
        acknowledged = byName(slices);
        maybePublished.clear();
        maybePublished.putAll(acknowledged);
        synced = true;
    }

    /** Records that the result of the last call is unknown: all slices are published again. */
    void reset() {
        acknowledged = new TreeMap<>();
        synced = false;
    }

    private static SortedMap<String, ResourceSlice> byName(List<ResourceSlice> slices) {
        SortedMap<String, ResourceSlice> byName = new TreeMap<>();
        slices.forEach(slice -> byName.put(slice.meta().name(), slice));
        return byName;
    }

    private Stamp stamp() {
        return new Stamp(source, epoch, ++version);
    }
}
