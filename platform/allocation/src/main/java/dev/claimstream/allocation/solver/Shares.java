package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Limbs;
import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.allocation.inventory.Unit;
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
final class Shares {
    private static final long[] NOTHING = {};
    /** Remaining share of an unallocated device, in thousandths. */
    static final int WHOLE = 1000;

    private final List<Shared> devices = new ArrayList<>();
    private final boolean isNone;

    /**
     * Capacities of a device.
     *
     * @param units unit per capacity
     * @param limbs limbs of all capacities
     * @param places indexes of all limbs
     * @param room total amount of each capacity
     * @param taken per option, its consumption of each capacity; zero if the option cannot have the device
     */
    private record Shared(
            boolean isShareable, List<Unit> units, Limbs limbs, int[] places, long[] room, long[][] taken) {
        static final Shared NOT = new Shared(false, List.of(), Limbs.of(List.of()), new int[0], NOTHING, new long[0][]);
    }

    /** @param slots the devices of the layout */
    Shares(Question question, List<Slot> slots) {
        slots.forEach(slot -> devices.add(question.isShareable(slot.device()) ? shared(question, slot) : Shared.NOT));
        isNone = devices.stream().noneMatch(Shared::isShareable);
    }

    private static Shared shared(Question question, Slot slot) {
        List<SortedMap<String, Quantity>> amounts = new ArrayList<>();
        for (Want want : question.wants()) {
            amounts.add(
                    question.consumption(want, slot.device()) instanceof Consumption.Takes takes
                            ? takes.amounts()
                            : Collections.emptySortedMap());
        }
        List<String> names = List.copyOf(slot.device().capacity().keySet());
        List<DeviceCapacity> capacities = List.copyOf(slot.device().capacity().values());
        List<Unit> units = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            units.add(Unit.of(Stream.concat(
                            Stream.of(capacities.get(i).value()),
                            amounts.stream().flatMap(each -> Optional.ofNullable(each.get(name)).stream()))
                    .map(Quantity::amount)
                    .toList()));
        }
        Limbs limbs = Limbs.of(units.stream().map(Unit::width).toList());
        long[] room = limbs(
                units, i -> units.get(i).available(capacities.get(i).value().amount()));
        long[][] taken = amounts.stream()
                .map(each -> limbs(units, i -> units.get(i).taken(amount(each, names.get(i)))))
                .toArray(long[][]::new);
        return new Shared(true, units, limbs, IntStream.range(0, limbs.size()).toArray(), room, taken);
    }

    private static long[] limbs(List<Unit> units, IntFunction<long[]> number) {
        return IntStream.range(0, units.size())
                .mapToObj(number)
                .flatMapToLong(Arrays::stream)
                .toArray();
    }

    private static BigDecimal amount(SortedMap<String, Quantity> amounts, String name) {
        return Optional.ofNullable(amounts.get(name)).map(Quantity::amount).orElse(BigDecimal.ZERO);
    }

    /** Returns whether no device is shareable. */
    boolean isNone() {
        return isNone;
    }

    boolean isShareable(int device) {
        return devices.get(device).isShareable;
    }

    /** Returns whether the remaining capacity of a device covers the consumption of an option. */
    boolean covers(int device, int column, long[] left) {
        Shared shared = devices.get(device);
        return shared.limbs.cover(left, shared.places, shared.taken[column]);
    }

    /** Returns the remaining capacity after an option consumes its share. */
    long[] after(int device, int column, long[] left) {
        Shared shared = devices.get(device);
        long[] after = left.clone();
        shared.limbs.subtract(after, shared.places, shared.taken[column]);
        return after;
    }

    /** Returns the remaining capacity before an option consumed its share. */
    long[] before(int device, int column, long[] left) {
        Shared shared = devices.get(device);
        long[] before = left.clone();
        shared.limbs.add(before, shared.places, shared.taken[column]);
        return before;
    }

    boolean alike(int one, int other) {
        Shared a = devices.get(one);
        Shared b = devices.get(other);
        return a.isShareable == b.isShareable && Arrays.equals(a.room, b.room) && Arrays.deepEquals(a.taken, b.taken);
    }

    void addTo(Ints key) {
        key.add(isNone ? 0 : 1);
        for (int i = 0; i < devices.size() && !isNone; i++) {
            Shared each = devices.get(i);
            key.add(each.isShareable ? 1 + each.room.length : 0);
            Arrays.stream(each.room).forEach(key::add);
            for (Unit unit : each.units) {
                byte[] multiple = unit.multiple().toByteArray();
                key.add(unit.places());
                key.add(unit.width());
                key.add(multiple.length);
                for (byte part : multiple) {
                    key.add(part);
                }
            }
            Arrays.stream(each.taken).flatMapToLong(Arrays::stream).forEach(key::add);
        }
    }

    // ---- free capacities
    // ----------------------------------------------------------------------------------------------------

    /** Returns the free capacities of a node with this layout. */
    Left left(Layout layout, NodeView view) {
        if (isNone) {
            return new Left(new long[0][], new boolean[0]);
        }
        long[][] room = new long[devices.size()][];
        boolean[] begun = new boolean[devices.size()];
        for (int i = 0; i < room.length; i++) {
            Shared each = devices.get(i);
            var slot = view.slots().get(layout.positions[i]);
            room[i] = each.room;
            if (each.isShareable && !slot.holding().isFree()) {
                begun[i] = true;
                room[i] = left(each, slot.device().capacity(), slot.holding().consumed());
            }
        }
        return new Left(room, begun);
    }

    /** Uses the capacity names of this node: devices of a layout can have other names with the same amounts. */
    private static long[] left(
            Shared device, SortedMap<String, DeviceCapacity> capacity, SortedMap<String, Quantity> consumed) {
        List<BigDecimal> left = capacity.entrySet().stream()
                .map(each -> each.getValue().value().amount().subtract(amount(consumed, each.getKey())))
                .toList();
        return limbs(device.units, i -> device.units.get(i).available(left.get(i)));
    }

    /** Returns the capacities without any allocation. */
    Left all() {
        return new Left(devices.stream().map(each -> each.room).toArray(long[][]::new), new boolean[devices.size()]);
    }

    /** Remaining share of the device's scarcest capacity, in thousandths. */
    int room(int device, long[] left) {
        Shared shared = devices.get(device);
        if (shared.limbs.size() > shared.units.size()) {
            return room(shared.limbs.values(shared.room), shared.limbs.values(left));
        }
        int least = WHOLE;
        long[] all = shared.room;
        for (int i = 0; i < all.length; i++) {
            least = Math.min(least, all[i] <= 0 ? WHOLE : thousandths(left[i], all[i]));
        }
        return least;
    }

    private static int thousandths(long left, long all) {
        long part = Math.clamp(left, 0, all);
        return (int) (all > Long.MAX_VALUE / WHOLE ? part / (all / WHOLE) : part * WHOLE / all);
    }

    private static int room(List<BigInteger> all, List<BigInteger> left) {
        int least = WHOLE;
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).signum() > 0) {
                BigInteger part = left.get(i).max(BigInteger.ZERO).min(all.get(i));
                least = Math.min(
                        least,
                        part.multiply(BigInteger.valueOf(WHOLE))
                                .divide(all.get(i))
                                .intValueExact());
            }
        }
        return least;
    }

    /**
     * Free capacities at one point.
     *
     * @param room per device, the limbs of its remaining capacities
     * @param begun whether a share exists, so that the shared counters of the device are consumed already
     */
    record Left(long[][] room, boolean[] begun) {
        void addTo(Ints key) {
            for (int i = 0; i < room.length; i++) {
                key.add(begun[i] ? 1 : 0);
                Arrays.stream(room[i]).forEach(key::add);
            }
        }
    }
}
