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
 * What an agent has to say so that the log holds its slices: all of them and that this was all at first, then what changed. Epoch and first
 * version are the time of its start, so that they are above those of any start before.
 */
final class Announcements {
    private final String source;
    private final long epoch;
    private long version;
    private boolean listed;

    /** What the log holds. */
    private SortedMap<String, ResourceSlice> known = new TreeMap<>();

    /** What it may hold beside that: sent, and not known to be kept. */
    private final SortedMap<String, ResourceSlice> possible = new TreeMap<>();

    /** @param startMillis when the agent was started, in milliseconds since 1970 */
    Announcements(String source, long startMillis) {
        this.source = source;
        this.epoch = startMillis;
        this.version = startMillis;
    }

    /** The records to send, so that the log holds these slices and no other of this source; none where it does. */
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

    /** What the last call gave for these slices is in the log. */
    void kept(List<ResourceSlice> slices) {
        known = byName(slices);
        possible.clear();
        possible.putAll(known);
        listed = true;
    }

    /** It is not known what of it is in the log: all is said again. */
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
