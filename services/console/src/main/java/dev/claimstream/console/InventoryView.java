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
import dev.claimstream.kubernetes.access.VisibleObjects;
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
import java.util.stream.Collectors;

/** The pools, devices and nodes of one {@link ClusterView.Snapshot}. */
final class InventoryView {
    private final NavigableMap<PoolId, PoolView> pools = new TreeMap<>();
    private final NavigableMap<DeviceId, DeviceView> devices = new TreeMap<>();
    private final NavigableMap<String, NodeStatus> nodes = new TreeMap<>();
    private final List<DeviceTaintRule> rules;
    private final Map<DeviceId, Set<ObjectKey>> claimsByDevice = new HashMap<>();
    private final Map<DeviceId, List<DeviceResult>> resultsByDevice = new HashMap<>();
    private final ClusterView.Snapshot snapshot;

    private InventoryView(ClusterView.Snapshot snapshot) {
        this.snapshot = snapshot;
        snapshot.all(Kind.NODE, Node.class)
                .forEach(node -> nodes.put(
                        node.meta().name(),
                        new NodeStatus(node, snapshot.isSilent(node.meta().name()))));
        rules = snapshot.all(Kind.DEVICE_TAINT_RULE, DeviceTaintRule.class).toList();
        snapshot.claims()
                .forEach(claim -> claim.allocation().ifPresent(allocation -> addAllocation(claim.key(), allocation)));
        snapshot.unreleasedAllocations()
                .forEach(unreleased -> addAllocation(unreleased.claim(), unreleased.allocation()));
        slicesByPool().forEach((pool, slices) -> pools.put(pool, PoolView.of(pool, slices)));
        pools.values().forEach(this::addDevices);
        claimsByDevice.keySet().stream().filter(id -> !devices.containsKey(id)).forEach(this::addMissingDevice);
    }

    /** Returns what the caller of the snapshot sees. States depend on the claims of all namespaces. */
    static InventoryView of(ClusterView.Snapshot snapshot) {
        var view = new InventoryView(snapshot.everything());
        if (!snapshot.visible().isUnlimited()) {
            view.limitTo(snapshot.visible());
        }
        return view;
    }

    /**
     * Hides the holders of other namespaces. Without the permission to list ResourceSlices only the devices of visible claims remain, and
     * without that to list nodes only their nodes.
     */
    private void limitTo(VisibleObjects visible) {
        devices.replaceAll((_, device) -> device.withHolders(visible));
        if (!visible.hasDevices()) {
            devices.values().removeIf(device -> !device.isOf(visible));
            pools.keySet()
                    .retainAll(devices.keySet().stream().map(DeviceId::poolId).collect(Collectors.toSet()));
        }
        if (!visible.hasNodes()) {
            Set<String> own = devices.values().stream()
                    .filter(device -> device.isOf(visible))
                    .map(DeviceView::nodes)
                    .collect(Collectors.toSet());
            nodes.keySet().retainAll(own);
        }
    }

    List<PoolView> pools() {
        return List.copyOf(pools.values());
    }

    /** Returns the devices, ordered by driver, pool and name. */
    List<DeviceView> devices() {
        return List.copyOf(devices.values());
    }

    List<NodeStatus> nodes() {
        return List.copyOf(nodes.values());
    }

    /** Returns whether a node can access a device. */
    boolean isOn(String node, DeviceView device) {
        NodeStatus view = nodes.get(node);
        return view == null ? device.nodes().equals(node) : view.reaches(device.scope());
    }

    private void addAllocation(ObjectKey claim, Allocation allocation) {
        allocation.results().stream().filter(result -> !result.adminAccess()).forEach(result -> {
            claimsByDevice
                    .computeIfAbsent(result.device(), _ -> new TreeSet<>())
                    .add(claim);
            resultsByDevice
                    .computeIfAbsent(result.device(), _ -> new ArrayList<>())
                    .add(result);
        });
    }

    private NavigableMap<PoolId, List<ResourceSlice>> slicesByPool() {
        var slices = new TreeMap<PoolId, List<ResourceSlice>>();
        snapshot.all(Kind.RESOURCE_SLICE, ResourceSlice.class)
                .sorted(Comparator.comparing(ResourceSlice::key))
                .forEach(slice -> slices.computeIfAbsent(slice.poolId(), _ -> new ArrayList<>())
                        .add(slice));
        return slices;
    }

    private void addDevices(PoolView pool) {
        Optional<String> problem = switch (pool.state()) {
            case COMPLETE -> Optional.empty();
            case INCOMPLETE ->
                Optional.of("%d of %d slices of generation %d are published"
                        .formatted(pool.slices().size(), pool.expected(), pool.generation()));
            case INVALID -> Optional.of("two devices of the pool have the same name");
        };
        var usage = new PoolUsage(pool, resultsByDevice);
        for (ResourceSlice slice : pool.slices()) {
            for (Device device : slice.devices()) {
                NodeScope scope = slice.scope() instanceof NodeScope.PerDevice ? device.scope() : slice.scope();
                var id = new DeviceId(pool.id().driver(), pool.id().pool(), device.name());
                devices.put(id, view(id, device, scope, problem, usage.of(device)));
            }
        }
    }

    private DeviceView view(
            DeviceId id,
            Device device,
            NodeScope scope,
            Optional<String> poolProblem,
            PoolUsage.DeviceRemainder remainder) {
        List<Taint> taints = new ArrayList<>(device.taints());
        rules.stream()
                .filter(rule -> rule.selects(id))
                .map(DeviceTaintRule::taint)
                .forEach(taints::add);
        Optional<String> problem = poolProblem.or(() -> nodeProblem(scope)).or(remainder::shortage);
        Optional<String> taint =
                taints.stream().filter(Taint::repels).findFirst().map(Taint::toString);
        var state = claimsByDevice.containsKey(id)
                ? DeviceView.DeviceViewState.ALLOCATED
                : problem.isPresent()
                        ? DeviceView.DeviceViewState.UNUSABLE
                        : taint.isPresent() ? DeviceView.DeviceViewState.TAINTED : DeviceView.DeviceViewState.FREE;
        return new DeviceView(
                id,
                Optional.of(device),
                scope,
                taints,
                state,
                state == DeviceView.DeviceViewState.FREE
                        ? ""
                        : problem.or(() -> taint).orElse(""),
                remainder,
                claimsOf(id),
                snapshot.sample(id));
    }

    private List<ObjectKey> claimsOf(DeviceId id) {
        return List.copyOf(claimsByDevice.getOrDefault(id, Set.of()));
    }

    /** Returns why the device's node is unusable; empty for devices that are not local to one node. */
    private Optional<String> nodeProblem(NodeScope scope) {
        if (scope instanceof NodeScope.SingleNode(String name)) {
            NodeStatus node = nodes.get(name);
            return node == null
                    ? Optional.of("node %s does not exist".formatted(name))
                    : node.isUsable() ? Optional.empty() : Optional.of("node %s is %s".formatted(name, node.status()));
        }
        return Optional.empty();
    }

    /** Adds an allocated device that no slice contains any more. It stays allocated. */
    private void addMissingDevice(DeviceId id) {
        devices.put(
                id,
                new DeviceView(
                        id,
                        Optional.empty(),
                        new NodeScope.UnknownScope(),
                        List.of(),
                        DeviceView.DeviceViewState.ALLOCATED,
                        "no ResourceSlice contains it",
                        PoolUsage.DeviceRemainder.NONE,
                        claimsOf(id),
                        snapshot.sample(id)));
    }
}
