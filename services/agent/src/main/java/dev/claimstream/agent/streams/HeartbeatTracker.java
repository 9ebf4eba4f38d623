package dev.claimstream.agent.streams;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Tracks heartbeats and detects silent nodes: those without a heartbeat for the timeout. Time is a parameter.
 *
 * <p>Contains only the nodes that are not silent, ordered by last heartbeat, and expires them in that order. Hence
 * within a partition the last heartbeat of every silent node precedes that of every live node. Not thread-safe.
 */
final class HeartbeatTracker {
    private final Duration timeout;
    private final Map<String, LastHeartbeat> heartbeat = new LinkedHashMap<>();

    /** Position of a heartbeat, and its time by the broker's clock. */
    record HeartbeatPosition(int partition, long offset, long timestampMillis) {}

    /** A node that has just become silent, with its last heartbeat. */
    record SilentNode(String node, HeartbeatPosition last) {}

    private record LastHeartbeat(HeartbeatPosition last, Instant until) {}

    /** @param timeout time without a heartbeat after which a node is silent */
    HeartbeatTracker(Duration timeout) {
        this.timeout = timeout;
    }

    /**
     * Records a heartbeat.
     *
     * @return whether the node was silent or unknown before
     */
    boolean heartbeat(String node, HeartbeatPosition position, Instant now) {
        boolean isNew = heartbeat.remove(node) == null; // moves the node to the end of the order
        heartbeat.put(node, new LastHeartbeat(position, now.plus(timeout)));
        return isNew;
    }

    /** The number of nodes that are not silent. */
    int heartbeat() {
        return heartbeat.size();
    }

    /** Restarts the timeout of every node, after a period in which no heartbeat could be received. */
    void restartTimeouts(Instant now) {
        heartbeat.replaceAll((node, each) -> new LastHeartbeat(each.last(), now.plus(timeout)));
    }

    /** Returns when the next node becomes silent without a further heartbeat; empty if no node is live. */
    Optional<Instant> nextTimeout() {
        return heartbeat.values().stream().findFirst().map(LastHeartbeat::until);
    }

    /** Removes and returns the nodes whose timeout has passed. */
    List<SilentNode> expire(Instant now) {
        List<SilentNode> silent = new ArrayList<>();
        Iterator<Map.Entry<String, LastHeartbeat>> oldestFirst =
                heartbeat.entrySet().iterator();
        while (oldestFirst.hasNext()) {
            Map.Entry<String, LastHeartbeat> each = oldestFirst.next();
            if (now.isBefore(each.getValue().until())) {
                break;
            }
            silent.add(new SilentNode(each.getKey(), each.getValue().last()));
            oldestFirst.remove();
        }
        return silent;
    }

    /** Returns the lowest offset of a last heartbeat; a consumer that starts there receives one of every live node. */
    OptionalLong oldestOffset(int partition) {
        return heartbeat.values().stream()
                .filter(each -> each.last().partition() == partition)
                .mapToLong(each -> each.last().offset())
                .min();
    }

    /** Removes the nodes of a partition that was revoked. */
    void forget(int partition) {
        heartbeat.values().removeIf(each -> each.last().partition() == partition);
    }
}
