package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.Limbs;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.inventory.QuantityUnit;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Quantity;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Shareable devices of a layout: their capacities, and the consumption of each option. */
final class ShareableDevices {
    private static final long[] NOTHING = {};
    /** Remaining share of an unallocated device, in thousandths. */
    static final int FULL = 1000;

    private final List<ShareableDevice> devices = new ArrayList<>();
    private final boolean isEmpty;

    /**
     * Capacities of a device.
     *
     * @param units unit per capacity
     * @param limbs limbs of all capacities
     * @param indexes indexes of all limbs
     * @param capacities total amount of each capacity
     * @param consumed per option, its consumption of each capacity; zero if the option cannot have the device
     */
    private record ShareableDevice(
            boolean isShareable,
            List<QuantityUnit> units,
            Limbs limbs,
            int[] indexes,
            long[] capacities,
            long[][] consumed) {
        static final ShareableDevice NOT_SHAREABLE =
                new ShareableDevice(false, List.of(), Limbs.of(List.of()), new int[0], NOTHING, new long[0][]);
    }

    /** @param candidates the devices of the layout */
    ShareableDevices(AllocationProblem problem, List<DeviceCandidate> candidates) {
        candidates.forEach(candidate -> devices.add(
                problem.isShareable(candidate.device()) ? shared(problem, candidate) : ShareableDevice.NOT_SHAREABLE));
        isEmpty = devices.stream().noneMatch(ShareableDevice::isShareable);
    }

    private static ShareableDevice shared(AllocationProblem problem, DeviceCandidate candidate) {
        List<SortedMap<String, Quantity>> amounts = new ArrayList<>();
        for (RequestOption option : problem.options()) {
            amounts.add(
                    problem.consumption(option, candidate.device())
                                    instanceof CapacityConsumption.CapacityAmounts consumed
                            ? consumed.amounts()
                            : Collections.emptySortedMap());
        }
        List<String> names = List.copyOf(candidate.device().capacity().keySet());
        List<DeviceCapacity> capacities =
                List.copyOf(candidate.device().capacity().values());
        List<QuantityUnit> units = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            units.add(QuantityUnit.of(Stream.concat(
                            Stream.of(capacities.get(i).value()),
                            amounts.stream().flatMap(each -> Optional.ofNullable(each.get(name)).stream()))
                    .map(Quantity::amount)
                    .toList()));
        }
        Limbs limbs = Limbs.of(units.stream().map(QuantityUnit::width).toList());
        long[] room = limbs(
                units, i -> units.get(i).available(capacities.get(i).value().amount()));
        long[][] taken = amounts.stream()
                .map(each -> limbs(units, i -> units.get(i).consumed(amount(each, names.get(i)))))
                .toArray(long[][]::new);
        return new ShareableDevice(
                true, units, limbs, IntStream.range(0, limbs.size()).toArray(), room, taken);
    }

    private static long[] limbs(List<QuantityUnit> units, IntFunction<long[]> number) {
        return IntStream.range(0, units.size())
                .mapToObj(number)
                .flatMapToLong(Arrays::stream)
                .toArray();
    }

    private static BigDecimal amount(SortedMap<String, Quantity> amounts, String name) {
        return Optional.ofNullable(amounts.get(name)).map(Quantity::amount).orElse(BigDecimal.ZERO);
    }

    /** Returns whether no device is shareable. */
    boolean isEmpty() {
        return isEmpty;
    }

    boolean isShareable(int device) {
        return devices.get(device).isShareable;
    }

    /** Returns whether the remaining capacity of a device covers the consumption of an option. */
    boolean covers(int device, int column, long[] remaining) {
        ShareableDevice shared = devices.get(device);
        return shared.limbs.covers(remaining, shared.indexes, shared.consumed[column]);
    }

    /** Returns the remaining capacity after an option consumes its share. */
    long[] consume(int device, int column, long[] remaining) {
        ShareableDevice shared = devices.get(device);
        long[] after = remaining.clone();
        shared.limbs.subtract(after, shared.indexes, shared.consumed[column]);
        return after;
    }

    /** Returns the remaining capacity before an option consumed its share. */
    long[] release(int device, int column, long[] remaining) {
        ShareableDevice shared = devices.get(device);
        long[] before = remaining.clone();
        shared.limbs.add(before, shared.indexes, shared.consumed[column]);
        return before;
    }

    boolean isEquivalent(int one, int other) {
        ShareableDevice a = devices.get(one);
        ShareableDevice b = devices.get(other);
        return a.isShareable == b.isShareable
                && Arrays.equals(a.capacities, b.capacities)
                && Arrays.deepEquals(a.consumed, b.consumed);
    }

    void addTo(Ints key) {
        key.add(isEmpty ? 0 : 1);
        for (int i = 0; i < devices.size() && !isEmpty; i++) {
            ShareableDevice each = devices.get(i);
            key.add(each.isShareable ? 1 + each.capacities.length : 0);
            Arrays.stream(each.capacities).forEach(key::add);
            for (QuantityUnit unit : each.units) {
                byte[] multiple = unit.multiple().toByteArray();
                key.add(unit.decimals());
                key.add(unit.width());
                key.add(multiple.length);
                for (byte part : multiple) {
                    key.add(part);
                }
            }
            Arrays.stream(each.consumed).flatMapToLong(Arrays::stream).forEach(key::add);
        }
    }

    // ---- free capacities
    // ----------------------------------------------------------------------------------------------------

    FreeCapacities freeCapacities(NodeLayout layout, NodeDeviceView view) {
        if (isEmpty) {
            return new FreeCapacities(new long[0][], new boolean[0]);
        }
        long[][] room = new long[devices.size()][];
        boolean[] begun = new boolean[devices.size()];
        for (int i = 0; i < room.length; i++) {
            ShareableDevice each = devices.get(i);
            var candidate = view.candidates().get(layout.positions[i]);
            room[i] = each.capacities;
            if (each.isShareable && !candidate.usage().isFree()) {
                begun[i] = true;
                room[i] = freeCapacities(
                        each, candidate.device().capacity(), candidate.usage().consumed());
            }
        }
        return new FreeCapacities(room, begun);
    }

    /** Uses the capacity names of this node: devices of a layout can have other names with the same amounts. */
    private static long[] freeCapacities(
            ShareableDevice device, SortedMap<String, DeviceCapacity> capacity, SortedMap<String, Quantity> consumed) {
        List<BigDecimal> remaining = capacity.entrySet().stream()
                .map(each -> each.getValue().value().amount().subtract(amount(consumed, each.getKey())))
                .toList();
        return limbs(device.units, i -> device.units.get(i).available(remaining.get(i)));
    }

    /** Returns the capacities without any allocation. */
    FreeCapacities allCapacities() {
        return new FreeCapacities(
                devices.stream().map(each -> each.capacities).toArray(long[][]::new), new boolean[devices.size()]);
    }

    /** Remaining share of the device's scarcest capacity, in thousandths. */
    int remainingShare(int device, long[] remaining) {
        ShareableDevice shared = devices.get(device);
        if (shared.limbs.size() > shared.units.size()) {
            return remainingShare(shared.limbs.values(shared.capacities), shared.limbs.values(remaining));
        }
        int least = FULL;
        long[] all = shared.capacities;
        for (int i = 0; i < all.length; i++) {
            least = Math.min(least, all[i] <= 0 ? FULL : thousandths(remaining[i], all[i]));
        }
        return least;
    }

    private static int thousandths(long remaining, long all) {
        long part = Math.clamp(remaining, 0, all);
        return (int) (all > Long.MAX_VALUE / FULL ? part / (all / FULL) : part * FULL / all);
    }

    private static int remainingShare(List<BigInteger> all, List<BigInteger> remaining) {
        int least = FULL;
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).signum() > 0) {
                BigInteger part = remaining.get(i).max(BigInteger.ZERO).min(all.get(i));
                least = Math.min(
                        least,
                        part.multiply(BigInteger.valueOf(FULL))
                                .divide(all.get(i))
                                .intValueExact());
            }
        }
        return least;
    }

    /**
     * Free capacities at one point.
     *
     * @param capacities per device, the limbs of its remaining capacities
     * @param isShared whether a share exists, so that the shared counters of the device are consumed already
     */
    record FreeCapacities(long[][] capacities, boolean[] isShared) {
        void addTo(Ints key) {
            for (int i = 0; i < capacities.length; i++) {
                key.add(isShared[i] ? 1 : 0);
                Arrays.stream(capacities[i]).forEach(key::add);
            }
        }
    }
}
