package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Features;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import dev.claimstream.dra.Toleration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A request, or one alternative of a request, prepared for the search.
 *
 * @param column index among the options of all claims
 * @param claim index of the claim in the problem
 * @param request the name of the request
 * @param resultName {@code request} or {@code request/alternative}
 * @param preference index of the alternative; 0 is preferred most
 * @param filters selectors of the class, followed by those of the request
 */
public record Want(
        int column,
        int claim,
        String request,
        String resultName,
        int preference,
        boolean admin,
        RequestSpec spec,
        DeviceClass deviceClass,
        List<Selector> filters) {
    static Want of(
            int column,
            int claim,
            String request,
            String resultName,
            int preference,
            boolean admin,
            RequestSpec spec,
            DeviceClass deviceClass,
            Selectors selectors) {
        List<Selector> filters = new ArrayList<>();
        deviceClass.selectors().forEach(text -> filters.add(selectors.compile(text)));
        spec.selectors().forEach(text -> filters.add(selectors.compile(text)));
        return new Want(column, claim, request, resultName, preference, admin, spec, deviceClass, List.copyOf(filters));
    }

    boolean all() {
        return spec.allocationMode().equals(AllocationMode.ALL);
    }

    /** Computes the eligibility of a device. */
    Verdict verdict(Question question, Slot slot) {
        return verdict(question, slot, answer(slot.driver(), slot.device()));
    }

    /** @param answer result of the selectors for the device */
    Verdict verdict(Question question, Slot slot, Selector.Match answer) {
        Device device = slot.device();
        Features features = question.features();
        if (!device.bindingConditions().isEmpty() && !hasBindingConditions(features)) {
            return Verdict.NO;
        }
        if (answer instanceof Selector.Match.Failed) {
            return Verdict.FAILED;
        }
        if (answer instanceof Selector.Match.No || !slot.reached()) {
            return Verdict.NO;
        }
        return features.has(Feature.CONSUMABLE_CAPACITY) && mindsCapacity(device)
                ? withCapacity(question, slot)
                : selected(features, slot);
    }

    private static boolean hasBindingConditions(Features features) {
        return features.has(Feature.DEVICE_BINDING_CONDITIONS) && features.has(Feature.RESOURCE_CLAIM_DEVICE_STATUS);
    }

    /**
     * Returns whether capacities matter for a device. They do not if the request names none, and the device has no
     * request policy and no negative capacity; the option then consumes the whole device.
     */
    private boolean mindsCapacity(Device device) {
        if (!spec.capacity().isEmpty()) {
            return true;
        }
        for (DeviceCapacity each : device.capacity().values()) {
            if (each.policy().isPresent() || each.value().signum() < 0) {
                return true;
            }
        }
        return false;
    }

    private Verdict withCapacity(Question question, Slot slot) {
        return switch (question.consumption(this, slot.device())) {
            case Consumption.Takes takes -> selected(question.features(), slot);
            case Consumption.Unfit unfit -> Verdict.NO;
            case Consumption.Unrepresentable failed -> Verdict.FAILED;
        };
    }

    private Verdict selected(Features features, Slot slot) {
        Device device = slot.device();
        if (!device.consumesCounters().isEmpty() && !features.has(Feature.PARTITIONABLE_DEVICES)) {
            return Verdict.BARRED;
        }
        if (!slot.slice().skipNodeOperations().isEmpty()
                && !(features.has(Feature.OPTIONAL_NODE_OPERATIONS) && slot.optionalOperations())) {
            return Verdict.BARRED;
        }
        return features.has(Feature.DEVICE_TAINTS)
                        && Toleration.firstUntolerated(device.taints(), spec.tolerations())
                                .isPresent()
                ? Verdict.TAINTED
                : Verdict.YES;
    }

    /** Returns the result of the first selector that the device does not pass, or yes. */
    Selector.Match answer(String driver, Device device) {
        for (Selector filter : filters) {
            Selector.Match match = filter.test(driver, device);
            if (!(match instanceof Selector.Match.Yes)) {
                return match;
            }
        }
        return Selector.Match.YES;
    }

    /** Returns the number of leading selectors that the device passes. */
    int passed(String driver, Device device) {
        int passed = 0;
        while (passed < filters.size() && filters.get(passed).test(driver, device) instanceof Selector.Match.Yes) {
            passed++;
        }
        return passed;
    }

    /** Returns upstream's message if a selector or the capacity arithmetic failed on the device. */
    Optional<String> failure(Question question, Slot slot) {
        int passed = passed(slot.driver(), slot.device());
        String device = slot.holding().device().toString();
        if (passed == filters.size()) {
            return question.consumption(this, slot.device()) instanceof Consumption.Unrepresentable failed
                    ? Optional.of("request %s: checking capacity for device %s: %s"
                            .formatted(resultName, device, failed.message()))
                    : Optional.empty();
        }
        if (!(filters.get(passed).test(slot.driver(), slot.device()) instanceof Selector.Match.Failed failed)) {
            return Optional.empty();
        }
        int ofClass = deviceClass.selectors().size();
        return Optional.of(
                passed < ofClass
                        ? "class %s: selector #%d on device %s: %s"
                                .formatted(deviceClass.meta().name(), passed, device, failed.message())
                        : "request %s: selector #%d on device %s: %s"
                                .formatted(resultName, passed - ofClass, device, failed.message()));
    }
}
