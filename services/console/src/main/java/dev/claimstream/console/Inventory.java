package dev.claimstream.console;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The pools, devices and nodes of one {@link World.Moment}. */
final class Inventory {
    private final NavigableMap<PoolId, PoolView> pools = new TreeMap<>();
    private final NavigableMap<DeviceId, DeviceView> devices = new TreeMap<>();
    private final NavigableMap<String, NodeView> nodes = new TreeMap<>();
    private final List<DeviceTaintRule> rules;
    private final Map<DeviceId, Set<ObjectKey>> holders = new HashMap<>();
    private final World.Moment moment;

    private Inventory(World.Moment moment) {
        this.moment = moment;
        moment.all(Kind.NODE, Node.class)
                .forEach(node -> nodes.put(
                        node.meta().name(),
                        new NodeView(node, moment.isSilent(node.meta().name()))));
        rules = moment.all(Kind.DEVICE_TAINT_RULE, DeviceTaintRule.class).toList();
        moment.claims().forEach(claim -> claim.allocation().ifPresent(allocation -> hold(claim.key(), allocation)));
        moment.unreleased().forEach(left -> hold(left.claim(), left.allocation()));
        slicesByPool().forEach((pool, slices) -> pools.put(pool, PoolView.of(pool, slices)));
        pools.values().forEach(this::addDevices);
        holders.keySet().stream().filter(id -> !devices.containsKey(id)).forEach(this::addVanished);
    }

    static Inventory of(World.Moment moment) {
        return new Inventory(moment);
    }

    List<PoolView> pools() {
        return List.copyOf(pools.values());
    }

    /** Returns the devices, ordered by driver, pool and name. */
    List<DeviceView> devices() {
        return List.copyOf(devices.values());
    }

    List<NodeView> nodes() {
        return List.copyOf(nodes.values());
    }

    /** Returns whether a node can access a device. */
    boolean isOn(String node, DeviceView device) {
        NodeView view = nodes.get(node);
        return view == null ? device.nodes().equals(node) : view.reaches(device.scope());
    }

    private void hold(ObjectKey claim, Allocation allocation) {
        allocation.results().stream()
                .filter(result -> !result.adminAccess())
                .map(DeviceResult::device)
                .forEach(device ->
                        holders.computeIfAbsent(device, _ -> new TreeSet<>()).add(claim));
    }

    private NavigableMap<PoolId, List<ResourceSlice>> slicesByPool() {
        var slices = new TreeMap<PoolId, List<ResourceSlice>>();
        moment.all(Kind.RESOURCE_SLICE, ResourceSlice.class)
                .sorted(Comparator.comparing(ResourceSlice::key))
                .forEach(slice -> slices.computeIfAbsent(slice.poolId(), _ -> new ArrayList<>())
                        .add(slice));
        return slices;
    }

    private void addDevices(PoolView pool) {
        Optional<String> trouble = switch (pool.state()) {
            case COMPLETE -> Optional.empty();
            case INCOMPLETE ->
                Optional.of("%d of %d slices of generation %d are there"
                        .formatted(pool.slices().size(), pool.expected(), pool.generation()));
            case INVALID -> Optional.of("two devices of the pool have one name");
        };
        for (ResourceSlice slice : pool.slices()) {
            for (Device device : slice.devices()) {
                NodeScope scope = slice.scope() instanceof NodeScope.PerDevice ? device.scope() : slice.scope();
                var id = new DeviceId(pool.id().driver(), pool.id().pool(), device.name());
                devices.put(id, view(id, device, scope, trouble));
            }
        }
    }

    private DeviceView view(DeviceId id, Device device, NodeScope scope, Optional<String> poolTrouble) {
        List<Taint> taints = new ArrayList<>(device.taints());
        rules.stream()
                .filter(rule -> rule.selects(id))
                .map(DeviceTaintRule::taint)
                .forEach(taints::add);
        Optional<String> trouble = poolTrouble.or(() -> nodeTrouble(scope));
        Optional<String> taint =
                taints.stream().filter(Taint::repels).findFirst().map(Taint::toString);
        var state = holders.containsKey(id)
                ? DeviceView.State.HELD
                : trouble.isPresent()
                        ? DeviceView.State.UNUSABLE
                        : taint.isPresent() ? DeviceView.State.TAINTED : DeviceView.State.FREE;
        return new DeviceView(
                id,
                Optional.of(device),
                scope,
                taints,
                state,
                state == DeviceView.State.FREE ? "" : trouble.or(() -> taint).orElse(""),
                holdersOf(id),
                moment.sample(id));
    }

    private List<ObjectKey> holdersOf(DeviceId id) {
        return List.copyOf(holders.getOrDefault(id, Set.of()));
    }

    /** Returns why the device's node is unusable; empty for devices that are not local to one node. */
    private Optional<String> nodeTrouble(NodeScope scope) {
        if (scope instanceof NodeScope.OnNode(String name)) {
            NodeView node = nodes.get(name);
            return node == null
                    ? Optional.of("node %s is not known".formatted(name))
                    : node.isUsable() ? Optional.empty() : Optional.of("node %s is %s".formatted(name, node.status()));
        }
        return Optional.empty();
    }

    /** Adds an allocated device that no slice contains any more. It stays allocated. */
    private void addVanished(DeviceId id) {
        devices.put(
                id,
                new DeviceView(
                        id,
                        Optional.empty(),
                        new NodeScope.Unset(),
                        List.of(),
                        DeviceView.State.HELD,
                        "no slice shows it",
                        holdersOf(id),
                        moment.sample(id)));
    }
}
