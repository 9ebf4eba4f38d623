package dev.claimstream.lint;

import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.Manifest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** Checks pools by the slices of their highest generation. */
final class PoolRules {
    private record Slice(Manifest manifest, ResourceSlice slice) {}

    private PoolRules() {}

    static List<LintFinding> findings(List<Manifest> manifests) {
        Map<PoolId, List<Slice>> pools = new LinkedHashMap<>();
        for (Manifest manifest : manifests) {
            if (manifest.object() instanceof ResourceSlice slice) {
                pools.computeIfAbsent(slice.poolId(), _ -> new ArrayList<>()).add(new Slice(manifest, slice));
            }
        }
        List<LintFinding> found = new ArrayList<>();
        pools.forEach((pool, slices) -> pool(pool, newest(slices), found));
        return found;
    }

    private static List<Slice> newest(List<Slice> slices) {
        long newest =
                slices.stream().mapToLong(each -> each.slice.generation()).max().orElse(0);
        return slices.stream().filter(each -> each.slice.generation() == newest).toList();
    }

    private static void pool(PoolId pool, List<Slice> slices, List<LintFinding> found) {
        Slice first = slices.getFirst();
        if (first.slice.resourceSliceCount() != slices.size()) {
            found.add(new LintFinding(
                    LintRule.INCOMPLETE_POOL,
                    first.manifest.error(
                            "spec.pool.resourceSliceCount",
                            Long.toString(first.slice.resourceSliceCount()),
                            "pool %s has %d slices of generation %d here: no device is allocated until all are present"
                                    .formatted(pool, slices.size(), first.slice.generation()),
                            "publish the missing slices, or write the real number of slices")));
        } else {
            slices.forEach(slice -> counters(slice, slices, found));
        }
    }

    private static void counters(Slice slice, List<Slice> pool, List<LintFinding> found) {
        List<CounterSet> sets = pool.stream()
                .flatMap(each -> each.slice.sharedCounters().stream())
                .toList();
        for (int i = 0; i < slice.slice.devices().size(); i++) {
            for (CounterConsumption consumption : slice.slice.devices().get(i).consumesCounters()) {
                String field = "spec.devices[%d].consumesCounters".formatted(i);
                problem(consumption, sets)
                        .ifPresent(problem -> found.add(new LintFinding(
                                LintRule.UNKNOWN_COUNTER,
                                slice.manifest.error(
                                        field,
                                        consumption.counterSet(),
                                        problem,
                                        "declare it in sharedCounters of a slice of the pool, large enough"))));
            }
        }
    }

    private static Optional<String> problem(CounterConsumption consumption, List<CounterSet> sets) {
        Optional<CounterSet> set = sets.stream()
                .filter(each -> each.name().equals(consumption.counterSet()))
                .findFirst();
        if (set.isEmpty()) {
            return Optional.of("the pool has no such counter set: no device of the pool is allocated");
        }
        SortedMap<String, Quantity> there = set.get().counters();
        return consumption.counters().entrySet().stream()
                .map(request ->
                        problem(request.getKey(), request.getValue(), Optional.ofNullable(there.get(request.getKey()))))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> problem(String counter, Quantity requested, Optional<Quantity> there) {
        if (there.isEmpty()) {
            return Optional.of(
                    "the counter set has no counter %s: no device of the pool is allocated".formatted(counter));
        }
        return requested.compareTo(there.get()) > 0
                ? Optional.of(
                        "the device consumes %s of counter %s, which has %s".formatted(requested, counter, there.get()))
                : Optional.empty();
    }
}
