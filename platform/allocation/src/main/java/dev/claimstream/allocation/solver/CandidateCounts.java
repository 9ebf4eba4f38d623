package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.SliceId;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counts the published devices that pass the selectors of each request, whether or not they are allocated. It keeps the
 * counts of each slice, so that the cost of a slice change depends only on the devices of the slice.
 */
final class CandidateCounts {
    private final AllocationProblem problem;
    private final DeviceInventory inventory;
    /** Per option, the offset of its counts in the counts of a slice. */
    private final int[] starts;

    private final int size;
    private final Map<SliceId, SliceCounts> slices = new LinkedHashMap<>();
    private final Map<PoolId, NavigableMap<Long, GenerationCounts>> pools = new LinkedHashMap<>();
    /** Interned arrays: most slices have equal counts. */
    private final Map<IntKey, int[]> distinct = new LinkedHashMap<>();

    private final SortedSet<SliceId> changed = new TreeSet<>();
    private final DistinctFilters filters;
    private long[] totals;
    private long changesOffset = -1;
    /** Devices counted since the last time all changed slices were counted. */
    private long counted;

    CandidateCounts(AllocationProblem problem, DistinctFilters filters, DeviceInventory inventory) {
        this.problem = problem;
        this.filters = filters;
        this.inventory = inventory;
        this.starts = new int[problem.options().size()];
        int end = 0;
        for (RequestOption option : problem.options()) {
            starts[option.column()] = end;
            end += lengthOf(option);
        }
        this.size = end;
        this.totals = new long[size];
    }

    private static int lengthOf(RequestOption option) {
        return option.filters().size() + 2;
    }

    private record SliceCounts(long generation, int[] passed) {}

    /** Sum of the counts of all slices of one pool generation. */
    private static final class GenerationCounts {
        private final long[] passed;
        private int slices;

        GenerationCounts(int size) {
            this.passed = new long[size];
        }
    }

    /**
     * Returns how many devices of the newest generations pass the first selectors of an option.
     *
     * @return by number of selectors; the last element counts devices that also satisfy the requested capacities
     */
    long[] passedCounts(RequestOption option) {
        catchUp(Long.MAX_VALUE);
        int start = starts[option.column()];
        return Arrays.copyOfRange(totals, start, start + lengthOf(option));
    }

    /**
     * Counts changed slices; a later call continues after the limit.
     *
     * @param devicesMax limit on devices since the last time all changed slices were counted, earlier calls included
     */
    void catchUp(long devicesMax) {
        Optional<SortedSet<SliceId>> since =
                changesOffset < 0 ? Optional.empty() : inventory.slices().changedSince(changesOffset);
        if (since.isPresent()) {
            changed.addAll(since.get());
        } else {
            slices.clear();
            pools.clear();
            distinct.clear();
            totals = new long[size];
            counted = 0;
            changed.clear();
            changed.addAll(inventory.slices().ids());
        }
        changesOffset = inventory.slices().changesEnd();
        while (!changed.isEmpty() && counted < devicesMax) {
            recount(changed.removeFirst());
        }
        if (changed.isEmpty()) {
            counted = 0;
        }
    }

    private void recount(SliceId id) {
        Optional<ResourceSlice> slice = inventory.slices().slice(id);
        Optional<SliceCounts> before = Optional.ofNullable(slices.get(id));
        if (slice.isEmpty() && before.isEmpty()) {
            return;
        }
        NavigableMap<Long, GenerationCounts> generations = pools.computeIfAbsent(id.pool(), _ -> new TreeMap<>());
        addNewest(generations, -1);
        before.ifPresent(counts -> remove(generations, counts));
        slice.ifPresentOrElse(
                published -> {
                    var counts = new SliceCounts(published.generation(), count(published));
                    slices.put(id, counts);
                    add(generations, counts);
                },
                () -> slices.remove(id));
        addNewest(generations, 1);
        if (generations.isEmpty()) {
            pools.remove(id.pool());
        }
    }

    private void addNewest(NavigableMap<Long, GenerationCounts> generations, int sign) {
        Map.Entry<Long, GenerationCounts> newest = generations.lastEntry();
        if (newest != null) {
            long[] passed = newest.getValue().passed;
            for (int i = 0; i < size; i++) {
                totals[i] += sign * passed[i];
            }
        }
    }

    private void add(NavigableMap<Long, GenerationCounts> generations, SliceCounts counts) {
        GenerationCounts sum = generations.computeIfAbsent(counts.generation, _ -> new GenerationCounts(size));
        sum.slices++;
        for (int i = 0; i < size; i++) {
            sum.passed[i] += counts.passed[i];
        }
    }

    private void remove(NavigableMap<Long, GenerationCounts> generations, SliceCounts counts) {
        GenerationCounts sum = generations.getOrDefault(counts.generation, new GenerationCounts(size));
        sum.slices--;
        for (int i = 0; i < size; i++) {
            sum.passed[i] -= counts.passed[i];
        }
        if (sum.slices == 0) {
            generations.remove(counts.generation);
        }
    }

    private int[] count(ResourceSlice slice) {
        int[] passed = new int[size];
        counted += slice.devices().size();
        for (Device device : slice.devices()) {
            int[] passedOfList = filters.passedCounts(slice.driver(), device);
            for (RequestOption option : problem.options()) {
                int start = starts[option.column()];
                int ofWant = passedOfList[filters.index(option)];
                boolean servesAmounts = ofWant == option.filters().size()
                        && problem.consumption(option, device) instanceof CapacityConsumption.CapacityAmounts;
                int last = start + (servesAmounts ? ofWant + 1 : ofWant);
                for (int i = start; i <= last; i++) {
                    passed[i]++;
                }
            }
        }
        return distinct.computeIfAbsent(new IntKey(passed), _ -> passed);
    }
}
