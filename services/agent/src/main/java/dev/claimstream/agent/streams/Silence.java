package dev.claimstream.agent.streams;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Judges which nodes are silent: those not heard for a time. Holds the nodes that are not silent, in the order in which they were heard last,
 * and judges in that order; so of one partition, every node that is silent was heard last before any that is not. Time is a parameter.
 */
final class Silence {
    private final Duration timeout;
    private final Map<String, Heard> heard = new LinkedHashMap<>();

    /** Where a node was heard, and when by the broker's clock. */
    record Place(int partition, long offset, long timestampMillis) {}

    /** A node that is silent from now on, and where it was heard last. */
    record Silent(String node, Place last) {}

    private record Heard(Place last, Instant until) {}

    /** @param timeout how long a node may not be heard */
    Silence(Duration timeout) {
        this.timeout = timeout;
    }

    /** A node was heard. True where it was silent before, or never heard. */
    boolean heard(String node, Place place, Instant now) {
        boolean isNew = heard.remove(node) == null; // so that it comes last
        heard.put(node, new Heard(place, now.plus(timeout)));
        return isNew;
    }

    /** How many are not silent. */
    int heard() {
        return heard.size();
    }

    /** Nothing could be heard for some time before now: every node that is not silent gets the full time again. */
    void startAnew(Instant now) {
        heard.replaceAll((node, each) -> new Heard(each.last(), now.plus(timeout)));
    }

    /** The nodes that are silent from now on, each once. */
    List<Silent> judge(Instant now) {
        List<Silent> silent = new ArrayList<>();
        Iterator<Map.Entry<String, Heard>> oldestFirst = heard.entrySet().iterator();
        while (oldestFirst.hasNext()) {
            Map.Entry<String, Heard> each = oldestFirst.next();
            if (now.isBefore(each.getValue().until())) {
                break;
            }
            silent.add(new Silent(each.getKey(), each.getValue().last()));
            oldestFirst.remove();
        }
        return silent;
    }

    /** Whoever reads the partition from here on hears every node of it that is not silent. */
    OptionalLong oldest(int partition) {
        return heard.values().stream()
                .filter(each -> each.last().partition() == partition)
                .mapToLong(each -> each.last().offset())
                .min();
    }

    /** Somebody else judges the nodes of this partition. */
    void forget(int partition) {
        heard.values().removeIf(each -> each.last().partition() == partition);
    }
}
