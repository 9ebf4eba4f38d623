package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Asked;
import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.Optional;

/** Reads from cell rows which node resources the devices of a pod use (KEP-5517). */
record Accounts(State state) implements PodDemand.Surroundings {
    @Override
    public Optional<Allocation> allocation(ObjectKey claim) {
        return state.claim(claim).flatMap(each -> Assembly.allocation(state, each));
    }

    @Override
    public Optional<Device> published(DeviceId device) {
        return state.inventory().published(device);
    }

    @Override
    public Optional<ObjectKey> otherUser(ObjectKey claim, ObjectKey pod) {
        return state.podsOf(claim).stream()
                .filter(other -> !other.equals(pod) && state.charges().isCharged(other))
                .findFirst();
    }

    /** Whether the feature gate is on. */
    boolean areKept() {
        return state.settings().features().has(Feature.NODE_ALLOCATABLE_RESOURCES);
    }

    /** The resource demand of a pod, devices included. */
    PodDemand of(Pod pod) {
        return new PodDemand(pod, this);
    }

    /** Adds the node resources of the devices to an item, or explains why they cannot be accounted for. */
    Assembly heededIn(Assembly.Ready ready, Pod pod) {
        var before = of(pod).before(
                        ready.asked().stream().map(Asked::claim).toList(),
                        ready.fixed().stream().map(ResourceClaim::key).toList());
        return switch (before) {
            case PodDemand.Before.Unaccountable(String message) ->
                Assembly.unready(ready.claims(), Reason.NotAccountable, message);
            case PodDemand.Before.Accountable(var taken, var accounting) ->
                new Assembly.Ready(
                        ready.claims(),
                        ready.asked(),
                        ready.fixed(),
                        ready.rules().plus(taken),
                        ready.consumers(),
                        Optional.of(accounting));
        };
    }
}
