package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.allocation.inventory.Unit;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** Which devices of a layout several claims may share, what there is of their capacities, and what each want takes of them. */
final class Shares {
    private static final long[] NOTHING = {};
    /** What is left of a device that has been touched by nobody. */
    static final int WHOLE = 1000;

    private final List<Shared> devices = new ArrayList<>();
    private final boolean isNone;

    /**
     * A device that can be shared.
     *
     * @param names its capacities
     * @param room what there is of each
     * @param taken per want, what it takes of each; nothing where the want cannot have the device
     */
    private record Shared(boolean isShareable, List<String> names, List<Unit> units, long[] room, long[][] taken) {
        static final Shared NOT = new Shared(false, List.of(), List.of(), NOTHING, new long[0][]);
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
        long[] room = new long[names.size()];
        long[][] taken = new long[amounts.size()][names.size()];
        for (int i = 0; i < room.length; i++) {
            String name = names.get(i);
            BigDecimal value = capacities.get(i).value().amount();
            List<BigDecimal> all = new ArrayList<>();
            all.add(value);
            amounts.stream()
                    .filter(each -> each.containsKey(name))
                    .forEach(each -> all.add(each.get(name).amount()));
            Unit unit = Unit.of(all);
            units.add(unit);
            room[i] = unit.available(value);
            for (int column = 0; column < taken.length; column++) {
                Quantity amount = amounts.get(column).get(name);
                taken[column][i] = amount == null ? 0 : unit.taken(amount.amount());
            }
        }
        return new Shared(true, names, units, room, taken);
    }

    /** Whether no device can be shared. */
    boolean isNone() {
        return isNone;
    }

    boolean isShareable(int device) {
        return devices.get(device).isShareable;
    }

    /** What a want takes of a device, capacity by capacity. */
    long[] taken(int device, int column) {
        return devices.get(device).taken[column];
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
                key.add(multiple.length);
                for (byte part : multiple) {
                    key.add(part);
                }
            }
            Arrays.stream(each.taken).flatMapToLong(Arrays::stream).forEach(key::add);
        }
    }

    // ---- what is left of it
    // ----------------------------------------------------------------------------------------------------

    /** What is left on a node of this layout. */
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

    private static long[] left(Shared device, Map<String, DeviceCapacity> capacity, Map<String, Quantity> consumed) {
        long[] left = device.room.clone();
        for (int i = 0; i < left.length; i++) {
            Quantity amount = consumed.get(device.names.get(i));
            DeviceCapacity all = capacity.get(device.names.get(i));
            if (amount != null && all != null) {
                left[i] =
                        device.units.get(i).available(all.value().minus(amount).amount());
            }
        }
        return left;
    }

    /** What is left where nobody holds anything. */
    Left all() {
        return new Left(devices.stream().map(each -> each.room).toArray(long[][]::new), new boolean[devices.size()]);
    }

    /** How much of its scarcest capacity a device has left, in thousandths. */
    int room(int device, long[] left) {
        int least = WHOLE;
        long[] all = devices.get(device).room;
        for (int i = 0; i < all.length; i++) {
            least = Math.min(least, all[i] <= 0 ? WHOLE : thousandths(left[i], all[i]));
        }
        return least;
    }

    private static int thousandths(long left, long all) {
        long part = Math.clamp(left, 0, all);
        return (int) (all > Long.MAX_VALUE / WHOLE ? part / (all / WHOLE) : part * WHOLE / all);
    }

    /**
     * What is left.
     *
     * @param room per device and capacity
     * @param begun whether somebody has a share already, so that the shared counters of the device are paid
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
