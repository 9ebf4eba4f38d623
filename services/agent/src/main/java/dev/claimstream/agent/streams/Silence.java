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
 * Tracks heartbeats and detects silent nodes: those without a heartbeat for the timeout. Time is a parameter.
 *
 * <p>Contains only the nodes that are not silent, ordered by last heartbeat, and expires them in that order. Hence
 * within a partition the last heartbeat of every silent node precedes that of every live node. Not thread-safe.
 */
final class Silence {
    private final Duration timeout;
    private final Map<String, Heard> heard = new LinkedHashMap<>();

    /** Position of a heartbeat, and its time by the broker's clock. */
    record Place(int partition, long offset, long timestampMillis) {}

    /** A node that has just become silent, with its last heartbeat. */
    record Silent(String node, Place last) {}

    private record Heard(Place last, Instant until) {}

    /** @param timeout time without a heartbeat after which a node is silent */
    Silence(Duration timeout) {
        this.timeout = timeout;
    }

    /**
     * Records a heartbeat.
     *
     * @return whether the node was silent or unknown before
     */
    boolean heard(String node, Place place, Instant now) {
        boolean isNew = heard.remove(node) == null; // moves the node to the end of the order
        heard.put(node, new Heard(place, now.plus(timeout)));
        return isNew;
    }

    /** The number of nodes that are not silent. */
    int heard() {
        return heard.size();
    }

    /** Restarts the timeout of every node, after a period in which no heartbeat could be received. */
    void startAnew(Instant now) {
        heard.replaceAll((node, each) -> new Heard(each.last(), now.plus(timeout)));
    }

    /** Removes and returns the nodes whose timeout has passed. */
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

    /** Returns the lowest offset of a last heartbeat; a consumer that starts there receives one of every live node. */
    OptionalLong oldest(int partition) {
        return heard.values().stream()
                .filter(each -> each.last().partition() == partition)
                .mapToLong(each -> each.last().offset())
                .min();
    }

    /** Removes the nodes of a partition that was revoked. */
    void forget(int partition) {
        heard.values().removeIf(each -> each.last().partition() == partition);
    }
}
