package dev.claimstream.console;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Taint;
import dev.claimstream.kubernetes.access.VisibleObjects;
import io.micronaut.context.event.ApplicationEventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has happened to devices and nodes since the start of the console: allocations and releases, taints, faults, and the status of
 * nodes. Two readings of the state, two seconds apart or more, are compared; a change that is undone in between is no event. The events
 * are in memory only. Thread-safe.
 */
@Singleton
final class RecentEvents implements ApplicationEventListener<ServerStartupEvent> {
    /** Events that are kept. */
    static final int EVENTS_MAX = 20_000;

    private static final Logger LOG = LoggerFactory.getLogger(RecentEvents.class);
    private static final Duration PAUSE_MIN = Duration.ofSeconds(2);
    private static final int PAUSES_PER_READING = 49;

    private final ClusterView clusterView;
    private final ConsumerStatus consumer;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("console-events").daemon().factory());
    private final Deque<InventoryEvent> events = new ArrayDeque<>();
    private Optional<StateReading> last = Optional.empty();
    private long readChange = -1;

    RecentEvents(ClusterView clusterView, ConsumerStatus consumer) {
        this.clusterView = clusterView;
        this.consumer = consumer;
    }

    /**
     * An event of a device, or of a node.
     *
     * @param device empty for a node
     * @param node name of the node, or {@link DeviceView#nodes} of a device
     * @param claim claim that got or released the device
     * @param message what happened, without the name of the claim
     */
    record InventoryEvent(
            Instant at, Optional<DeviceId> device, String node, Optional<ObjectKey> claim, String message) {}

    /**
     * The part of a device whose changes are events.
     *
     * @param fault the fault of its pool or node; empty without one. Taints, and counters that other devices use, are no faults
     */
    private record DeviceReading(String nodes, List<ObjectKey> claims, List<String> taints, String fault) {
        static DeviceReading of(DeviceView view) {
            List<String> taints = view.taints().stream().map(Taint::toString).toList();
            boolean isFaulty = !taints.contains(view.reason())
                    && !view.remainder().shortage().equals(Optional.of(view.reason()));
            return new DeviceReading(view.nodes(), view.claims(), taints, isFaulty ? view.reason() : "");
        }
    }

    private record StateReading(Map<DeviceId, DeviceReading> devices, Map<String, NodeStatus> nodes) {
        static StateReading of(InventoryView inventory) {
            var devices = new HashMap<DeviceId, DeviceReading>();
            inventory.devices().forEach(each -> devices.put(each.id(), DeviceReading.of(each)));
            var nodes = new HashMap<String, NodeStatus>();
            inventory.nodes().forEach(each -> nodes.put(each.name(), each));
            return new StateReading(devices, nodes);
        }
    }

    /** Begins to compare. A process without a server has no events. */
    @Override
    public void onApplicationEvent(ServerStartupEvent event) {
        schedule(PAUSE_MIN.toNanos());
    }

    private void schedule(long pauseNanos) {
        var unused = clock.schedule(this::compareIfReady, pauseNanos, TimeUnit.NANOSECONDS);
    }

    private void compareIfReady() {
        long began = System.nanoTime();
        try {
            if (consumer.isCaughtUp()) {
                compare(Instant.now());
            }
        } catch (RuntimeException e) {
            LOG.error("events of devices and nodes are missing; the next reading has their sum", e);
        } finally {
            schedule(Math.max(PAUSE_MIN.toNanos(), PAUSES_PER_READING * (System.nanoTime() - began)));
        }
    }

    /** Adds the differences from the last reading. The first reading has none. */
    synchronized void compare(Instant now) {
        long change = clusterView.changeCount();
        if (change == readChange) {
            return;
        }
        StateReading reading = StateReading.of(clusterView.read(VisibleObjects.EVERYTHING, InventoryView::of));
        last.ifPresent(before -> {
            addNodeEvents(now, before.nodes(), reading.nodes());
            addDeviceEvents(now, before.devices(), reading.devices());
        });
        last = Optional.of(reading);
        readChange = change;
    }

    private void addNodeEvents(Instant now, Map<String, NodeStatus> before, Map<String, NodeStatus> after) {
        after.forEach((name, node) -> {
            NodeStatus old = before.get(name);
            if (old == null) {
                addNodeEvent(now, name, "node appeared, " + node.status());
                return;
            }
            if (!old.status().equals(node.status())) {
                addNodeEvent(now, name, "node is %s, was %s".formatted(node.status(), old.status()));
            }
            List<String> taints =
                    node.node().taints().stream().map(Taint::toString).toList();
            List<String> previous =
                    old.node().taints().stream().map(Taint::toString).toList();
            added(previous, taints).forEach(taint -> addNodeEvent(now, name, "node has taint " + taint));
            added(taints, previous).forEach(taint -> addNodeEvent(now, name, "node lost taint " + taint));
        });
        before.keySet().stream()
                .filter(name -> !after.containsKey(name))
                .sorted()
                .forEach(name -> addNodeEvent(now, name, "node was deleted"));
    }

    private void addNodeEvent(Instant now, String node, String message) {
        add(new InventoryEvent(now, Optional.empty(), node, Optional.empty(), message));
    }

    private void addDeviceEvents(Instant now, Map<DeviceId, DeviceReading> before, Map<DeviceId, DeviceReading> after) {
        after.forEach((id, device) -> {
            DeviceReading old = before.get(id);
            if (old == null) {
                addDeviceEvent(now, id, device.nodes(), Optional.empty(), "device was published");
            } else if (!old.equals(device)) {
                addDifferences(now, id, old, device);
            }
        });
        before.forEach((id, device) -> {
            if (!after.containsKey(id)) {
                addDeviceEvent(now, id, device.nodes(), Optional.empty(), "no ResourceSlice contains the device");
            }
        });
    }

    private void addDifferences(Instant now, DeviceId id, DeviceReading old, DeviceReading device) {
        String nodes = device.nodes().isEmpty() ? old.nodes() : device.nodes(); // no slice says them any more
        added(device.claims(), old.claims())
                .forEach(claim -> addDeviceEvent(now, id, nodes, Optional.of(claim), "released by"));
        added(old.claims(), device.claims())
                .forEach(claim -> addDeviceEvent(now, id, nodes, Optional.of(claim), "allocated to"));
        added(old.taints(), device.taints())
                .forEach(taint -> addDeviceEvent(now, id, nodes, Optional.empty(), "device has taint " + taint));
        added(device.taints(), old.taints())
                .forEach(taint -> addDeviceEvent(now, id, nodes, Optional.empty(), "device lost taint " + taint));
        if (!old.fault().equals(device.fault())) {
            addDeviceEvent(
                    now,
                    id,
                    nodes,
                    Optional.empty(),
                    device.fault().isEmpty() ? "no longer unusable: " + old.fault() : "unusable: " + device.fault());
        }
    }

    private void addDeviceEvent(Instant now, DeviceId id, String node, Optional<ObjectKey> claim, String message) {
        add(new InventoryEvent(now, Optional.of(id), node, claim, message));
    }

    private void add(InventoryEvent event) {
        events.addLast(event);
        if (events.size() > EVENTS_MAX) {
            events.removeFirst();
        }
    }

    /** Returns what only the second list contains. */
    private static <T> List<T> added(Collection<T> before, Collection<T> after) {
        return after.stream().filter(each -> !before.contains(each)).toList();
    }

    /** Returns the selected events, the latest first. */
    synchronized List<InventoryEvent> events(Predicate<InventoryEvent> filter, int max) {
        List<InventoryEvent> found = new ArrayList<>();
        var latest = events.descendingIterator();
        while (latest.hasNext() && found.size() < max) {
            InventoryEvent event = latest.next();
            if (filter.test(event)) {
                found.add(event);
            }
        }
        return found;
    }

    @PreDestroy
    void stop() {
        clock.shutdownNow();
    }
}
