package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.ItemChecks;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.solver.DeviceCheck;
import dev.claimstream.allocation.solver.DeviceCheck.DeviceRequirement;
import dev.claimstream.allocation.solver.UnallocatedClaim;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import dev.claimstream.simulation.NearestChange.ChangeKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Finds small changes that would help a pending item. Each change is evaluated on all devices, not estimated. */
final class NearestChanges {
    private static final int VALUES_MAX = 20;

    private final ItemChecks checks;
    private final Selectors selectors;
    private final SortedMap<String, DeviceClass> classes;
    private final Map<DeviceContent, Long> contents = new LinkedHashMap<>();

    /** @param selectors compiles changed selectors; not the ones of the state, so that its caches stay as they are */
    NearestChanges(State state, ItemChecks checks, Selectors selectors) {
        this.checks = checks;
        this.selectors = selectors;
        this.classes = state.classes();
        state.inventory().slices().pools().forEach((pool, slices) -> {
            long newest = slices.values().stream()
                    .mapToLong(slice -> slice.generation())
                    .max()
                    .orElse(0);
            slices.values().stream()
                    .filter(slice -> slice.generation() == newest)
                    .flatMap(slice -> slice.devices().stream())
                    .forEach(device -> contents.merge(
                            new DeviceContent(pool.driver(), Device.of("", device.attributes(), device.capacity())),
                            1L,
                            Long::sum));
        });
    }

    /** What selectors read of a device; equal devices are evaluated once. */
    private record DeviceContent(String driver, Device device) {}

    /** A request, or an alternative of one, with its name in results. */
    private record NamedSpec(UnallocatedClaim claim, String name, RequestSpec spec) {}

    List<NearestChange> all() {
        SequencedSet<NearestChange> changes = new LinkedHashSet<>();
        for (NamedSpec option : options()) {
            List<DeviceCheck> own = checks.devices().stream()
                    .filter(check -> check.claim().equals(option.claim.claim())
                            && check.request().equals(option.name))
                    .toList();
            moreDevices(option, own).ifPresent(changes::add);
            toleration(own).ifPresent(changes::add);
            if (own.stream().anyMatch(check -> check.requirement().compareTo(DeviceRequirement.CAPACITY) <= 0)) {
                changes.addAll(otherValues(option));
                changes.addAll(fieldCounts(option));
            }
        }
        return List.copyOf(changes);
    }

    private List<NamedSpec> options() {
        return checks.claims().stream()
                .flatMap(claim -> claim.spec().requests().stream().flatMap(request -> specs(claim, request)))
                .toList();
    }

    private static Stream<NamedSpec> specs(UnallocatedClaim claim, DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> Stream.of(new NamedSpec(claim, exactly.name(), exactly.spec()));
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream()
                        .map(each -> new NamedSpec(claim, first.name() + "/" + each.name(), each.spec()));
            case DeviceRequest.UnknownRequest _ -> Stream.empty();
        };
    }

    // ---- devices of one node
    // ---------------------------------------------------------------------------------------------------

    /** The node that lacks the fewest devices; only a node that has at least one matching device. */
    private static Optional<NearestChange> moreDevices(NamedSpec option, List<DeviceCheck> own) {
        if (option.spec.allocationMode().equals(AllocationMode.ALL)) {
            return Optional.empty();
        }
        SortedMap<String, long[]> nodes = new TreeMap<>();
        for (DeviceCheck check : own) {
            if (check.requirement() == DeviceRequirement.FREE || check.isUsable()) {
                nodes.computeIfAbsent(check.node(), _ -> new long[2])[check.isUsable() ? 0 : 1]++;
            }
        }
        long requested = option.spec.count();
        return nodes.entrySet().stream()
                .filter(node -> !node.getKey().isEmpty())
                .max(Comparator.comparingLong((Map.Entry<String, long[]> node) -> node.getValue()[0])
                        .thenComparingLong(node -> node.getValue()[1])
                        .thenComparing(Map.Entry::getKey, Comparator.reverseOrder()))
                .filter(node -> node.getValue()[0] < requested)
                .map(node -> moreOn(option, requested, node.getKey(), node.getValue()[0], node.getValue()[1]));
    }

    private static NearestChange moreOn(NamedSpec option, long requested, String node, long usable, long inUse) {
        long missing = requested - usable;
        String holding = inUse == 0
                ? ""
                : inUse >= missing
                        ? "; %d are in use there".formatted(inUse)
                        : "; only %d are in use there".formatted(inUse);
        return new NearestChange(
                ChangeKind.MORE_DEVICES,
                "%s more %s on %s: %d of %d are free%s"
                        .formatted(
                                missing == 1 ? "one" : Long.toString(missing),
                                option.spec.deviceClassName(),
                                node,
                                usable,
                                requested,
                                holding),
                missing);
    }

    private static Optional<NearestChange> toleration(List<DeviceCheck> own) {
        SortedMap<String, Long> taints = new TreeMap<>();
        own.stream()
                .filter(check -> check.requirement() == DeviceRequirement.TAINT)
                .forEach(check -> taints.merge(check.found(), 1L, Long::sum));
        return taints.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(taint -> new NearestChange(
                        ChangeKind.TOLERATION,
                        "a toleration of %s would match %s".formatted(taint.getKey(), devices(taint.getValue())),
                        taint.getValue()));
    }

    // ---- other values
    // ----------------------------------------------------------------------------------------------------------

    private List<NearestChange> otherValues(NamedSpec option) {
        List<NearestChange> changes = new ArrayList<>();
        for (String expression : option.spec.selectors()) {
            List<SelectorReads.FieldComparison> comparisons =
                    SelectorReads.of(expression).comparisons();
            comparisons.forEach(
                    comparison -> bestValue(option, expression, comparison).ifPresent(changes::add));
        }
        option.spec
                .capacity()
                .forEach((name, amount) -> bestCapacity(option, name, amount).ifPresent(changes::add));
        return changes;
    }

    /** The value of a device that makes the request match the most devices. */
    private Optional<NearestChange> bestValue(
            NamedSpec option, String expression, SelectorReads.FieldComparison comparison) {
        SequencedSet<String> values = new LinkedHashSet<>();
        contents.keySet()
                .forEach(each ->
                        comparison.field().value(each.driver, each.device).ifPresent(values::add));
        values.remove(comparison.literal());
        return values.stream()
                .filter(value -> value.indexOf('"') < 0 && value.indexOf('\'') < 0 && value.indexOf('\\') < 0)
                .limit(VALUES_MAX)
                .map(value -> new NearestChange(
                        ChangeKind.OTHER_VALUE,
                        "%s %s %s instead of %s"
                                .formatted(
                                        comparison.field().name(), comparison.operator(), value, comparison.literal()),
                        matches(
                                option,
                                option.spec.selectors().stream()
                                        .map(each ->
                                                each.equals(expression) ? comparison.with(expression, value) : each)
                                        .toList(),
                                option.spec.capacity())))
                .filter(change -> change.devices() > matches(option, option.spec.selectors(), option.spec.capacity()))
                .max(Comparator.comparingLong(NearestChange::devices)
                        .thenComparing(NearestChange::text, Comparator.reverseOrder()))
                .map(NearestChanges::withCount);
    }

    private Optional<NearestChange> bestCapacity(NamedSpec option, String name, Quantity amount) {
        return contents.keySet().stream()
                .flatMap(each -> Stream.ofNullable(each.device.capacity().get(name)))
                .map(capacity -> capacity.value())
                .filter(value -> value.compareTo(amount) < 0)
                .max(Comparator.naturalOrder())
                .map(value -> {
                    SortedMap<String, Quantity> less = new TreeMap<>(option.spec.capacity());
                    less.put(name, value);
                    return new NearestChange(
                            ChangeKind.OTHER_VALUE,
                            "a request of %s %s instead of %s".formatted(name, value, amount),
                            matches(option, option.spec.selectors(), less));
                })
                .filter(change -> change.devices() > matches(option, option.spec.selectors(), option.spec.capacity()))
                .map(NearestChanges::withCount);
    }

    private static NearestChange withCount(NearestChange change) {
        return new NearestChange(
                change.kind(),
                "%s would match %s".formatted(change.text(), devices(change.devices())),
                change.devices());
    }

    private long matches(NamedSpec option, List<String> expressions, SortedMap<String, Quantity> capacity) {
        List<Selector> filters = Stream.concat(
                        Optional.ofNullable(classes.get(option.spec.deviceClassName())).stream()
                                .flatMap(each -> each.selectors().stream()),
                        expressions.stream())
                .map(selectors::compile)
                .toList();
        return contents.entrySet().stream()
                .filter(each -> hasCapacity(each.getKey().device, capacity)
                        && filters.stream()
                                .allMatch(filter -> filter.test(each.getKey().driver, each.getKey().device)
                                        instanceof Selector.Match.SelectorMatch))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static boolean hasCapacity(Device device, SortedMap<String, Quantity> requested) {
        return requested.entrySet().stream()
                .allMatch(each -> Optional.ofNullable(device.capacity().get(each.getKey()))
                        .filter(capacity -> capacity.value().compareTo(each.getValue()) >= 0)
                        .isPresent());
    }

    // ---- attributes
    // ------------------------------------------------------------------------------------------------------------

    /** The fields that the selectors read and that less than half of the devices have. */
    private List<NearestChange> fieldCounts(NamedSpec option) {
        long all = contents.values().stream().mapToLong(Long::longValue).sum();
        SequencedSet<SelectorReads.DeviceField> fields = new LinkedHashSet<>();
        Stream.concat(
                        Optional.ofNullable(classes.get(option.spec.deviceClassName())).stream()
                                .flatMap(each -> each.selectors().stream()),
                        option.spec.selectors().stream())
                .forEach(
                        expression -> fields.addAll(SelectorReads.of(expression).reads()));
        List<NearestChange> counts = new ArrayList<>();
        for (SelectorReads.DeviceField field : fields) {
            long count = contents.entrySet().stream()
                    .filter(each -> field.value(each.getKey().driver, each.getKey().device)
                            .isPresent())
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            if (2 * count < all) {
                counts.add(new NearestChange(
                        ChangeKind.FIELD_COUNT, "%s exists on %,d of %s".formatted(field, count, devices(all)), count));
            }
        }
        return counts;
    }

    private static String devices(long count) {
        return count == 1 ? "1 device" : "%,d devices".formatted(count);
    }
}
