package dev.claimstream.history;

import dev.claimstream.dra.Quantity;
import dev.claimstream.history.HistoryObservation.ListEnd;
import dev.claimstream.history.HistoryObservation.SliceDevice;
import dev.claimstream.history.HistoryObservation.SliceState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Folds slices into periods of devices, and checks claims that hold one device. */
final class InventoryFold {
    private final FoldState state;

    InventoryFold(FoldState state) {
        this.state = state;
    }

    /** Applies the state of a slice; returns the periods that end. */
    List<DevicePeriod> observe(SliceState slice, long at) {
        Optional<SliceFact> known = state.slices.get(slice.uid());
        if (known.filter(each -> slice.origin()
                        .isBefore(new HistoryObservation.Origin(each.source(), each.epoch(), each.version())))
                .isPresent()) {
            return List.of();
        }
        List<String> keys = slice.devices().stream()
                .map(device -> slice.driver() + "/" + slice.pool() + "/" + device.name())
                .toList();
        state.slices.put(
                slice.uid(),
                new SliceFact(
                        slice.uid(),
                        slice.origin().source(),
                        slice.origin().epoch(),
                        slice.origin().version(),
                        keys));
        state.putCounters(new CounterFact(slice.uid(), slice.driver(), slice.pool(), slice.counters()));
        slice.devices().forEach(device -> publish(slice, device, at));
        return known.map(SliceFact::devices).orElse(List.of()).stream()
                .filter(key -> !keys.contains(key))
                .flatMap(key -> withdraw(key, slice.uid(), at).stream())
                .toList();
    }

    private void publish(SliceState slice, SliceDevice device, long at) {
        String key = slice.driver() + "/" + slice.pool() + "/" + device.name();
        long begin = state.devices.get(key).map(DevicePeriod::beginMicros).orElse(at);
        state.devices.put(
                key,
                new DevicePeriod(
                        slice.driver(),
                        slice.pool(),
                        device.name(),
                        slice.node(),
                        device.shareable(),
                        device.capacity(),
                        slice.uid(),
                        begin,
                        0,
                        device.product()));
    }

    /** Applies the deletion of a slice; returns the periods that end. */
    List<DevicePeriod> delete(String uid, long at) {
        state.removeCounters(uid);
        return state.slices.remove(uid).map(SliceFact::devices).orElse(List.of()).stream()
                .flatMap(key -> withdraw(key, uid, at).stream())
                .toList();
    }

    /** Deletes the slices that a list does not contain; returns the periods that end. */
    List<DevicePeriod> endList(ListEnd list, long at) {
        List<String> missing = state.slices
                .all()
                .filter(slice -> slice.source().equals(list.source()) && slice.epoch() < list.epoch())
                .map(SliceFact::uid)
                .sorted()
                .toList();
        return missing.stream().flatMap(uid -> delete(uid, at).stream()).toList();
    }

    /** Ends the period of a device that no other slice has published since. */
    private Optional<DevicePeriod> withdraw(String key, String slice, long at) {
        return state.devices
                .get(key)
                .filter(device -> device.sliceUid().equals(slice))
                .map(device -> {
                    state.devices.remove(key);
                    return device.ended(at);
                });
    }

    // ---- intervals
    // -------------------------------------------------------------------------------------------------------------

    /** The begin of an interval. */
    IntervalBuilder interval(ClaimFact claim, AllocatedDevice allocated, long at) {
        Optional<DevicePeriod> device = state.devices.get(allocated.device().toString());
        return new IntervalBuilder(
                        claim,
                        allocated,
                        at,
                        device.map(each -> weight(allocated, each)).orElse(1.0))
                .node(device.map(DevicePeriod::node).orElse(""));
    }

    /** The largest part of a capacity that a share consumes; 1 for a whole device. */
    private static double weight(AllocatedDevice allocated, DevicePeriod device) {
        if (allocated.share().isEmpty()) {
            return 1;
        }
        return allocated.consumed().entrySet().stream()
                .filter(each -> amount(device.capacity(), each.getKey()).signum() > 0)
                .mapToDouble(each -> Quantity.parse(each.getValue()).amount().doubleValue()
                        / amount(device.capacity(), each.getKey()).doubleValue())
                .max()
                .orElse(1);
    }

    private static BigDecimal amount(Map<String, String> capacity, String name) {
        return Optional.ofNullable(capacity.get(name))
                .map(text -> Quantity.parse(text).amount())
                .orElse(BigDecimal.ZERO);
    }

    /** The violations of sharing, and of the counters of the pool, that an interval begins. */
    List<DeviceOverlap> overlaps(Interval interval, long at) {
        if (interval.adminAccess()) {
            return List.of();
        }
        List<DeviceOverlap> overlaps = new ArrayList<>(ofDevice(interval, at));
        state.counterCheck
                .overdraft(interval)
                .ifPresent(overdraft ->
                        overlaps.add(overlap(interval, overdraft.other().orElse(interval), at, overdraft.reason())));
        return overlaps;
    }

    private List<DeviceOverlap> ofDevice(Interval interval, long at) {
        List<Interval> others = state.intervals.ofDevice(interval.deviceKey()).stream()
                .filter(each -> !each.claimUid().equals(interval.claimUid()) && !each.adminAccess())
                .toList();
        if (others.isEmpty()) {
            return List.of();
        }
        Optional<DevicePeriod> device = state.devices.get(interval.deviceKey());
        List<DeviceOverlap> overlaps = new ArrayList<>();
        for (Interval other : others) {
            if (interval.share().isEmpty() || other.share().isEmpty()) {
                overlaps.add(overlap(interval, other, at, "the whole device is allocated to a claim"));
            } else if (device.filter(each -> !each.shareable()).isPresent()) {
                overlaps.add(overlap(interval, other, at, "the device cannot be shared"));
            }
        }
        if (overlaps.isEmpty()) {
            device.flatMap(each -> overdrawn(interval, each))
                    .ifPresent(reason -> overlaps.add(overlap(interval, others.getFirst(), at, reason)));
        }
        return overlaps;
    }

    private Optional<String> overdrawn(Interval interval, DevicePeriod device) {
        List<Interval> all = state.intervals.ofDevice(interval.deviceKey()).stream()
                .filter(each -> !each.adminAccess())
                .toList();
        return device.capacity().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .flatMap(capacity -> overdrawn(capacity.getKey(), capacity.getValue(), all).stream())
                .min(Comparator.naturalOrder());
    }

    private static Optional<String> overdrawn(String capacity, String total, List<Interval> all) {
        BigDecimal sum = all.stream()
                .flatMap(each -> Stream.ofNullable(each.consumed().get(capacity)))
                .map(text -> Quantity.parse(text).amount())
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        return sum.compareTo(Quantity.parse(total).amount()) > 0
                ? Optional.of("the shares consume more %s than the %s of the device".formatted(capacity, total))
                : Optional.empty();
    }

    private static DeviceOverlap overlap(Interval interval, Interval other, long at, String reason) {
        return new DeviceOverlap(
                interval.driver(),
                interval.pool(),
                interval.device(),
                interval.namespace() + "/" + interval.claim(),
                other.namespace() + "/" + other.claim(),
                at,
                reason);
    }
}
