package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The newest generation of a pool, as one node sees it.
 *
 * @param near the slices that reach the node
 * @param far the other slices
 * @param isComplete whether all slices exist
 * @param hasCounters whether shared counters are enabled
 */
record ReachablePool(
        PoolId id, List<ResourceSlice> near, List<ResourceSlice> far, boolean isComplete, boolean hasCounters) {
    ReachablePool {
        near = List.copyOf(near);
        far = List.copyOf(far);
    }

    /** A device of a pool. */
    record Offer(ReachablePool pool, ResourceSlice slice, Device device) {
        DeviceId id() {
            return new DeviceId(slice.driver(), slice.pool(), device.name());
        }
    }

    private boolean hasDevices(ResourceSlice slice) {
        return !hasCounters || slice.sharedCounters().isEmpty();
    }

    /** Returns the devices that can be allocated on the node. */
    List<Offer> offers() {
        return near.stream().filter(this::hasDevices).flatMap(this::offers).toList();
    }

    /** Returns the devices of all nodes. */
    List<Offer> allOffers() {
        return Stream.concat(near.stream(), far.stream())
                .filter(this::hasDevices)
                .flatMap(this::offers)
                .toList();
    }

    private Stream<Offer> offers(ResourceSlice slice) {
        return slice.devices().stream().map(device -> new Offer(this, slice, device));
    }

    List<CounterSet> counterSets() {
        return Stream.concat(near.stream(), far.stream())
                .flatMap(slice -> slice.sharedCounters().stream())
                .toList();
    }

    private Optional<CounterSet> counterSet(String name) {
        return counterSets().stream().filter(set -> set.name().equals(name)).findFirst();
    }

    /** Returns whether device names are unique, and all consumed counters exist. */
    boolean isValid() {
        Set<String> names = new HashSet<>();
        boolean areUnique =
                offers().stream().allMatch(offer -> names.add(offer.device().name()));
        return areUnique && (!hasCounters || areCountersKnown());
    }

    private boolean areCountersKnown() {
        Set<String> sets = new HashSet<>();
        return counterSets().stream().allMatch(set -> sets.add(set.name()))
                && allOffers().stream()
                        .flatMap(offer -> offer.device().consumesCounters().stream())
                        .allMatch(taken -> counterSet(taken.counterSet())
                                .filter(set -> set.counters()
                                        .keySet()
                                        .containsAll(taken.counters().keySet()))
                                .isPresent());
    }

    boolean isUsable() {
        return isComplete && isValid();
    }
}
