package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The shared counters of one pool, their consumption per device, and the amounts that devices in use leave.
 *
 * <p>Amounts are integers in arrays of {@link Limbs}, as {@link CounterLayout} numbers and scales them. Results are cached until device
 * usage changes.
 *
 * <p>Upstream: {@code checkAvailableCounters} of the structured allocator. A device that several claims share consumes its counters once.
 */
public final class SharedCounters {
    private final List<ResourceSlice> slices;
    private final CounterLayout layout;
    private final Limbs limbs;
    private final long[] declared;
    private final boolean hasGroups;
    private final List<CounterConsumer> consumers = new ArrayList<>();
    private final Map<String, CounterConsumer> byDevice = new LinkedHashMap<>();
    private final CounterUsage usage;
    private Optional<long[]> remaining = Optional.empty();
    private Optional<int[]> losses = Optional.empty();
    private Optional<List<List<CounterConsumer>>> competitors = Optional.empty();

    /**
     * Creates the counters.
     *
     * @param slices the slices of the pool that declare counter sets or list devices
     */
    SharedCounters(List<ResourceSlice> slices, Function<DeviceId, DeviceUsage> usages) {
        this.slices = slices;
        layout = new CounterLayout(slices);
        limbs = layout.limbs();
        declared = layout.declared();
        for (ResourceSlice slice : slices) {
            for (Device device : slice.devices()) {
                if (!device.consumesCounters().isEmpty()) {
                    var id = new DeviceId(slice.driver(), slice.pool(), device.name());
                    add(layout.consumer(usages.apply(id), device, consumers.size()));
                }
            }
        }
        hasGroups = layout.hasGroups();
        usage = new CounterUsage(
                slices.stream().flatMap(slice -> slice.sharedCounters().stream()), consumers, byDevice);
    }

    private void add(CounterConsumer consumer) {
        consumers.add(consumer);
        byDevice.putIfAbsent(consumer.usage.device().device(), consumer);
    }

    List<ResourceSlice> slices() {
        return slices;
    }

    /**
     * Returns the counter consumption of a device.
     *
     * @throws IllegalStateException if the device consumes no counters
     */
    public CounterConsumer consumer(String device) {
        CounterConsumer consumer = byDevice.get(device);
        if (consumer == null) {
            throw new IllegalStateException("device %s takes no counters".formatted(device));
        }
        return consumer;
    }

    /** Returns the declared and used amounts by name, for texts. */
    public CounterUsage usage() {
        return usage;
    }

    /** Returns the limb layout of all counters. */
    public Limbs limbs() {
        return limbs;
    }

    /** Returns the number of counter sets. */
    public int setCount() {
        return layout.sets().size();
    }

    /** Returns the declared amount of each counter. Callers must not modify the array. */
    public long[] declared() {
        return declared;
    }

    /** Returns the remaining amount of each counter; negative if overcommitted. Callers must not modify the array. */
    public long[] remaining() {
        if (remaining.isEmpty()) {
            long[] now = declared.clone();
            consumers.stream().filter(each -> !each.usage.isFree()).forEach(each -> subtract(each, now));
            remaining = Optional.of(now);
        }
        return remaining.get();
    }

    /** Returns whether any device names compatibility groups. */
    public boolean hasGroups() {
        return hasGroups;
    }

    /** Returns, per counter set, the compatibility groups of each used device that consumes it. */
    public List<List<int[]>> usedGroups() {
        List<List<int[]>> used = new ArrayList<>();
        layout.sets().forEach(set -> used.add(new ArrayList<>()));
        for (CounterConsumer each : consumers) {
            for (int i = 0; i < each.setIndexes.length && !each.usage.isFree(); i++) {
                used.get(each.setIndexes[i]).add(each.groups[i]);
            }
        }
        return Collections.unmodifiableList(used);
    }

    /** Discards cached results after the usage of a device in the pool has changed. */
    void invalidate() {
        remaining = Optional.empty();
        losses = Optional.empty();
    }

    // ---- losses

    /**
     * Returns per consumer the weight of the devices that its allocation would make unallocatable. Best fit prefers low values.
     *
     * <p>Each device that is free and fits now, and no longer fits afterwards, counts once per counter limb that it consumes. Callers must
     * not modify the array.
     */
    public int[] losses() {
        if (losses.isEmpty()) {
            losses = Optional.of(consumers.stream().mapToInt(this::loss).toArray());
        }
        return losses.get();
    }

    private int loss(CounterConsumer consumer) {
        long[] now = remaining();
        if (!isAllocatable(consumer, now)) {
            return 0;
        }
        long[] after = now.clone();
        subtract(consumer, after);
        int lost = 0;
        for (CounterConsumer competitor : competitors().get(consumer.number)) {
            lost += isAllocatable(competitor, now) && !fits(competitor, after) ? competitor.counters.length : 0;
        }
        return lost;
    }

    /** Returns, per consumer, the other consumers with a common counter. */
    private List<List<CounterConsumer>> competitors() {
        if (competitors.isEmpty()) {
            List<Set<CounterConsumer>> byCounter = new ArrayList<>();
            Arrays.stream(declared).forEach(each -> byCounter.add(new LinkedHashSet<>()));
            consumers.forEach(consumer -> Arrays.stream(consumer.counters)
                    .forEach(counter -> byCounter.get(counter).add(consumer)));
            competitors = Optional.of(consumers.stream()
                    .map(consumer -> Arrays.stream(consumer.counters)
                            .mapToObj(byCounter::get)
                            .flatMap(Set::stream)
                            .filter(other -> other != consumer)
                            .distinct()
                            .toList())
                    .toList());
        }
        return competitors.get();
    }

    private boolean isAllocatable(CounterConsumer consumer, long[] remaining) {
        return consumer.usage.isFree() && fits(consumer, remaining);
    }

    private boolean fits(CounterConsumer consumer, long[] remaining) {
        return limbs.covers(remaining, consumer.counters, consumer.amounts);
    }

    private void subtract(CounterConsumer consumer, long[] remaining) {
        limbs.subtract(remaining, consumer.counters, consumer.amounts);
    }
}
