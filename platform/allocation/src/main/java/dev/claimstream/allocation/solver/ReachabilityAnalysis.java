package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Finds a request with matching devices that no usable node reaches, and the cause. */
final class ReachabilityAnalysis {
    private final AllocationProblem problem;
    private final NodeClassIndex index;
    private final DeviceInventory inventory;
    private final WorkMeter meter;

    ReachabilityAnalysis(AllocationProblem problem, NodeClassIndex index, DeviceInventory inventory, WorkMeter meter) {
        this.problem = problem;
        this.index = index;
        this.inventory = inventory;
        this.meter = meter;
    }

    /** Returns the reason if no usable node reaches a device that matches a request. The first device gives the cause. */
    Optional<AllocationPlan.PendingDiagnosis> diagnosis() {
        return problem.requests().stream()
                .flatMap(List::stream)
                .filter(alternatives -> alternatives.size() == 1)
                .map(List::getFirst)
                .filter(option -> index.classes().stream().allMatch(each -> each.layout.matchingCount(option) == 0))
                .flatMap(option -> firstMatch(option).stream())
                .findFirst();
    }

    private Optional<AllocationPlan.PendingDiagnosis> firstMatch(RequestOption option) {
        meter.charge(WorkMeter.LOOKUP
                * inventory.slices().devices()
                * option.filters().size());
        for (var pool : inventory.slices().pools().entrySet()) {
            for (ResourceSlice slice : pool.getValue().values()) {
                for (Device device : slice.devices()) {
                    if (option.passedFilters(slice.driver(), device)
                            == option.filters().size()) {
                        return Optional.of(unreachable(option, pool.getKey(), device));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private AllocationPlan.PendingDiagnosis unreachable(RequestOption option, PoolId pool, Device device) {
        String match = "device %s/%s fits request %s, but ".formatted(pool, device.name(), option.resultName());
        if (!device.consumesCounters().isEmpty() && !problem.features().has(Feature.PARTITIONABLE_DEVICES)) {
            return AllocationPlan.PendingDiagnosis.of(
                    Reason.DoesNotFit, match + "takes shared counters, and DRAPartitionableDevices is off");
        }
        if (inventory.views().stream().anyMatch(view -> view.incompletePools().contains(pool))) {
            return AllocationPlan.PendingDiagnosis.of(
                    Reason.PoolIncomplete, match + disabledFeature(pool).orElse("slices of its pool are missing"));
        }
        if (inventory.views().stream().anyMatch(view -> view.invalidPools().contains(pool))) {
            return AllocationPlan.PendingDiagnosis.of(
                    Reason.PoolInvalid,
                    match + "its pool has two devices or counter sets with one name, or undeclared counters");
        }
        return AllocationPlan.PendingDiagnosis.of(
                Reason.NoUsableNode, match + "no node that is usable and allowed for the pod reaches it");
    }

    /** Explains why slices of a complete pool do not count: they need a feature gate that is off. */
    Optional<String> disabledFeature(PoolId pool) {
        List<ResourceSlice> slices = List.copyOf(
                inventory.slices().pools().getOrDefault(pool, new TreeMap<>()).values());
        boolean hasCounters =
                slices.stream().anyMatch(slice -> !slice.sharedCounters().isEmpty());
        boolean hasGroups = slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .flatMap(device -> device.consumesCounters().stream())
                .anyMatch(each -> !each.compatibilityGroups().isEmpty());
        if (hasCounters && !problem.features().has(Feature.PARTITIONABLE_DEVICES)) {
            return Optional.of("its slices with shared counters do not count, as DRAPartitionableDevices is off");
        }
        return hasGroups && !problem.features().has(Feature.DEVICE_COMPATIBILITY_GROUPS)
                ? Optional.of(
                        "its slices with compatibility groups do not count, as DRADeviceCompatibilityGroups is off")
                : Optional.empty();
    }
}
