package dev.claimstream.agent.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.wire.Published;
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
final class Announcements {
    private final String source;
    private final long epoch;
    private long version;
    private boolean listed;

    /** Slices that the topic contains for certain, by name. */
    private SortedMap<String, ResourceSlice> known = new TreeMap<>();

    /** Slices that the topic may contain, by name: acknowledged, or sent with unknown result. */
    private final SortedMap<String, ResourceSlice> possible = new TreeMap<>();

    /** @param startMillis start time of the agent in milliseconds since 1970 */
    Announcements(String source, long startMillis) {
        this.source = source;
        this.epoch = startMillis;
        this.version = startMillis;
    }

    /**
     * Returns the records after which the topic contains exactly these slices of the source; empty if it already does.
     */
    List<Published> of(List<ResourceSlice> slices) {
        List<Published> news = new ArrayList<>();
        SortedMap<String, ResourceSlice> now = byName(slices);
        now.values().stream()
                .filter(slice -> !slice.equals(known.get(slice.meta().name())))
                .forEach(slice -> news.add(Published.seen(stamp(), slice)));
        possible.values().stream()
                .filter(slice -> !now.containsKey(slice.meta().name()))
                .forEach(slice -> news.add(Published.gone(stamp(), slice)));
        if (!listed) {
            news.add(Published.listed(new Stamp(source, epoch, version), Kind.RESOURCE_SLICE, slices.size()));
        }
        possible.putAll(now);
        return news;
    }

    /** Records that the records of the last {@link #of} call for these slices are acknowledged. */
    void kept(List<ResourceSlice> slices) {
        known = byName(slices);
        possible.clear();
        possible.putAll(known);
        listed = true;
    }

    /** Records that the result of the last call is unknown: all slices are published again. */
    void lost() {
        known = new TreeMap<>();
        listed = false;
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
