package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Quantity;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Finds a request that fails only because of its capacity requests, with every device unallocated. One node has enough
 * devices for its selectors, but they lack the capacity, have less of it, or have a request policy that excludes the
 * amount.
 */
final class CapacityLimits {
    private final Question question;
    private final ShapeIndex index;
    private final WorkMeter meter;

    CapacityLimits(Question question, ShapeIndex index, WorkMeter meter) {
        this.question = question;
        this.meter = meter;
        this.index = index;
    }

    /** Formats the requested capacities of an option. */
    static String amounts(Want want) {
        return want.spec().capacity().entrySet().stream()
                .map(each -> "%s of %s".formatted(each.getValue(), each.getKey()))
                .collect(Collectors.joining(" and "));
    }

    /** Returns the reason if every alternative of a request fails because of its capacity requests. */
    Optional<Plan.Diagnosis> diagnosis() {
        if (!question.features().has(Feature.CONSUMABLE_CAPACITY)) {
            return Optional.empty();
        }
        return question.requests().stream()
                .flatMap(List::stream)
                .flatMap(alternatives -> unserved(alternatives).stream())
                .findFirst();
    }

    private Optional<Plan.Diagnosis> unserved(List<Want> alternatives) {
        List<Optional<Plan.Diagnosis>> each =
                alternatives.stream().map(this::unserved).toList();
        return each.stream().allMatch(Optional::isPresent) ? each.getFirst() : Optional.empty();
    }

    /**
     * Number of devices of a node that match the selectors of a request, and of those that also satisfy its capacities.
     */
    private record Candidates(NodeView node, long passing, long serving) {}

    private Optional<Plan.Diagnosis> unserved(Want want) {
        long wanted = want.all() ? 1 : want.spec().count();
        Optional<Candidates> largest = Optional.empty();
        meter.charge(WorkMeter.LOOK_UP * Math.max(1, want.filters().size()) * devices());
        for (NodeClass each : index.classes()) {
            Candidates here = candidates(want, each.nodes.first());
            if (here.serving >= wanted) {
                return Optional.empty();
            }
            if (here.passing >= wanted
                    && largest.filter(before -> !isNearer(here, before)).isEmpty()) {
                largest = Optional.of(here);
            }
        }
        return largest.map(each -> diagnosis(want, wanted, each));
    }

    /**
     * Number of devices on one node of each class. The charge uses this number because the number of visited devices
     * depends on the order of the classes.
     */
    private long devices() {
        return index.classes().stream()
                .mapToLong(each -> each.nodes.first().slots().size())
                .sum();
    }

    private static boolean isNearer(Candidates one, Candidates other) {
        return one.serving != other.serving ? one.serving > other.serving : one.node.compareTo(other.node) < 0;
    }

    private Candidates candidates(Want want, NodeView node) {
        long passing = 0;
        long serving = 0;
        for (Slot slot : node.slots()) {
            if (isPassing(want, slot)) {
                passing++;
                serving += question.consumption(want, slot.device()) instanceof Consumption.Unfit ? 0 : 1;
            }
        }
        return new Candidates(node, passing, serving);
    }

    private static boolean isPassing(Want want, Slot slot) {
        return slot.reached()
                && want.passed(slot.driver(), slot.device()) == want.filters().size();
    }

    // ---- texts
    // --------------------------------------------------------------------------------------------------------------

    private Plan.Diagnosis diagnosis(Want want, long wanted, Candidates nearest) {
        String obstacle = nearest.node.slots().stream()
                .filter(slot -> isPassing(want, slot))
                .flatMap(slot -> question.consumption(want, slot.device()) instanceof Consumption.Unfit unfit
                        ? Optional.of(text(want, slot, unfit)).stream()
                        : Optional.<String>empty().stream())
                .findFirst()
                .orElse("");
        String node = nearest.node.name();
        String miss = "%s has %d of %d: %s".formatted(node, nearest.serving, wanted, obstacle);
        return new Plan.Diagnosis(
                Reason.CapacityExceeded,
                "no node has %s with the capacity that request %s takes, nearest: %s"
                        .formatted(Diagnoses.amount(want), want.resultName(), miss),
                Optional.of(new Plan.NearestMiss(node, miss, List.of())));
    }

    private static String text(Want want, Slot slot, Consumption.Unfit unfit) {
        String device = slot.holding().device().device();
        String name = unfit.capacity();
        Optional<Quantity> requested =
                Optional.ofNullable(want.spec().capacity().get(name));
        Optional<DeviceCapacity> capacity =
                Optional.ofNullable(slot.device().capacity().get(name));
        if (capacity.isEmpty() || unfit.taken().isEmpty()) {
            return "request %s asks for %s of %s, and %s has no capacity of that name%s"
                    .formatted(
                            want.resultName(),
                            requested.map(Quantity::toString).orElse("an amount"),
                            name,
                            device,
                            slot.device().capacity().isEmpty()
                                    ? ""
                                    : ", only "
                                            + Diagnoses.listed(List.copyOf(
                                                    slot.device().capacity().keySet())));
        }
        String demand = new Shortage.CapacityDemand(
                        want.resultName(),
                        name,
                        requested,
                        unfit.taken().get(),
                        capacity.get().policy().isPresent())
                .text();
        return switch (unfit.obstacle()) {
            case ABSENT, TOO_LITTLE ->
                "%s, and %s has %s in all"
                        .formatted(demand, device, capacity.get().value());
            case FORBIDDEN ->
                "%s, and the request policy of %s allows %s"
                        .formatted(
                                demand,
                                device,
                                capacity.get()
                                        .policy()
                                        .map(CapacityLimits::allowed)
                                        .orElse("nothing"));
        };
    }

    private static String allowed(DeviceCapacity.RequestPolicy policy) {
        if (policy.validRange().isPresent()) {
            DeviceCapacity.Range range = policy.validRange().get();
            return range.min().map(min -> "at least " + min).orElse("any amount")
                    + range.max().map(max -> ", at most " + max).orElse("")
                    + range.step().map(step -> ", in steps of " + step).orElse("");
        }
        return policy.validValues().stream().map(Quantity::toString).collect(Collectors.joining(", "));
    }
}
