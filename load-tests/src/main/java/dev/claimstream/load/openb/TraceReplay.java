package dev.claimstream.load.openb;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.selectors.CelSelectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The cluster of the trace, in which pods are placed and stay.
 *
 * <p>A GPU is a shared device with capacity {@code milli} 1000. The CPU and memory of a node are a further device that
 * all pods share.
 */
final class TraceReplay {
    private static final String GPU = "gpu.example.com";
    private static final String HOST = "host.example.com";
    private static final long STEPS_MAX = 200_000;

    private final DeviceInventory inventory = new DeviceInventory();
    private final AllocationPlanner planner = new AllocationPlanner(inventory, new CelSelectors());
    private final PlacementPolicy policy;
    private int pods;

    TraceReplay(Trace trace, PlacementPolicy policy) {
        this.policy = policy;
        var classes = new TreeMap<String, DeviceClass>();
        classes.put(GPU, deviceClass(GPU));
        classes.put(HOST, deviceClass(HOST));
        planner.setClasses(classes);
        trace.hosts().forEach(this::add);
    }

    private static DeviceClass deviceClass(String driver) {
        return new DeviceClass(
                ObjectMeta.of("", driver, driver),
                List.of("device.driver == \"%s\"".formatted(driver)),
                List.of(),
                Optional.empty());
    }

    private void add(Trace.TraceNode host) {
        inventory.put(new Node(ObjectMeta.of("", host.name(), host.name()), List.of(), false, true));
        var amounts = new TreeMap<String, Quantity>();
        amounts.put("cpu", Quantity.of(host.cpuMilli()));
        amounts.put("memory", Quantity.of(host.memoryMib()));
        inventory.put(slice(host, HOST, List.of(shared("host", new TreeMap<>(), amounts))));
        List<Device> gpus = new ArrayList<>();
        for (int i = 0; i < host.gpus(); i++) {
            var model = new TreeMap<String, AttributeValue>();
            model.put("model", new AttributeValue.StringValue(host.model()));
            var milli = new TreeMap<String, Quantity>();
            milli.put("milli", Quantity.of(1000));
            gpus.add(shared("gpu-" + i, model, milli));
        }
        if (!gpus.isEmpty()) {
            inventory.put(slice(host, GPU, gpus));
        }
    }

    private static Device shared(
            String name, SortedMap<String, AttributeValue> attributes, SortedMap<String, Quantity> amounts) {
        var capacity = new TreeMap<String, DeviceCapacity>();
        amounts.forEach((key, amount) -> capacity.put(key, DeviceCapacity.of(amount)));
        return Device.builder(name)
                .attributes(attributes)
                .capacity(capacity)
                .allowMultipleAllocations(true)
                .build();
    }

    private static ResourceSlice slice(Trace.TraceNode host, String driver, List<Device> devices) {
        String name = host.name() + "-" + driver;
        return ResourceSlice.builder(ObjectMeta.of("", name, name), driver, host.name())
                .generation(1)
                .scope(new NodeScope.SingleNode(host.name()))
                .devices(devices)
                .build();
    }

    /** Places a pod and returns whether it fits. */
    boolean place(Trace.TracePod task) {
        var shape = new ItemShape(List.of(spec(task)), NodeRules.none());
        if (!(planner.plan(shape, new AllocationPlanner.PlanOptions(policy, STEPS_MAX, node -> true))
                instanceof AllocationPlan.Allocated placed)) {
            return false;
        }
        String uid = "pod-" + pods++;
        placed.allocations()
                .forEach(allocation -> allocation
                        .results()
                        .forEach(result -> inventory.addUsage(result, uid, new ObjectKey("openb", uid))));
        return true;
    }

    private static ClaimSpec spec(Trace.TracePod task) {
        List<DeviceRequest> requests = new ArrayList<>();
        if (task.gpus() > 0) {
            var milli = new TreeMap<String, Quantity>();
            milli.put("milli", Quantity.of(task.gpuMilli()));
            requests.add(request("gpu", GPU, models(task.models()), task.gpus(), milli));
        }
        var amounts = new TreeMap<String, Quantity>();
        amounts.put("cpu", Quantity.of(task.cpuMilli()));
        amounts.put("memory", Quantity.of(task.memoryMib()));
        requests.add(request("host", HOST, List.of(), 1, amounts));
        return new ClaimSpec(requests, List.of(), List.of());
    }

    private static List<String> models(List<String> models) {
        return models.isEmpty()
                ? List.of()
                : List.of(models.stream()
                        .map(each -> "\"" + each + "\"")
                        .collect(Collectors.joining(", ", "device.attributes[\"" + GPU + "\"].model in [", "]")));
    }

    private static DeviceRequest request(
            String name, String deviceClass, List<String> selectors, int count, SortedMap<String, Quantity> amounts) {
        return new DeviceRequest.Exactly(
                name,
                new RequestSpec(deviceClass, selectors, AllocationMode.EXACT_COUNT, count, List.of(), amounts),
                Optional.empty());
    }
}
