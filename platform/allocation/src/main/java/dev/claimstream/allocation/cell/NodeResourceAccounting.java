package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.UnallocatedClaim;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.Optional;

/** Reads from cell rows which node resources the devices of a pod use (KEP-5517). */
record NodeResourceAccounting(State state) implements PodDemand.AllocationLookup {
    @Override
    public Optional<Allocation> allocation(ObjectKey claim) {
        return state.claim(claim).flatMap(each -> state.allocation(each));
    }

    @Override
    public Optional<Device> device(DeviceId device) {
        return state.inventory().slices().published(device);
    }

    @Override
    public Optional<ObjectKey> otherConsumer(ObjectKey claim, ObjectKey pod) {
        return state.podsOf(claim).stream()
                .filter(other -> !other.equals(pod) && state.nodeUsage().isCounted(other))
                .findFirst();
    }

    /** Whether the feature gate is on. */
    boolean isEnabled() {
        return state.settings().features().has(Feature.NODE_ALLOCATABLE_RESOURCES);
    }

    /** The resource demand of a pod, devices included. */
    PodDemand demandOf(Pod pod) {
        return new PodDemand(pod, this);
    }

    /** Adds the node resources of the devices to an item, or explains why they cannot be accounted for. */
    WorkItemAssembly addTo(WorkItemAssembly.Ready ready, Pod pod) {
        var before = demandOf(pod)
                .existing(
                        ready.unallocated().stream()
                                .map(UnallocatedClaim::claim)
                                .toList(),
                        ready.allocated().stream().map(ResourceClaim::key).toList());
        return switch (before) {
            case PodDemand.ExistingDemand.UnaccountableDemand(String message) ->
                WorkItemAssembly.notReady(ready.claims(), Reason.NodeResourcesUnknown, message);
            case PodDemand.ExistingDemand.AccountableDemand(var used, var accounting) ->
                new WorkItemAssembly.Ready(
                        ready.claims(),
                        ready.unallocated(),
                        ready.allocated(),
                        ready.rules().plus(used),
                        ready.consumers(),
                        Optional.of(accounting));
        };
    }
}
