package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
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
public record RequestOption(
        int column,
        int claim,
        String request,
        String resultName,
        int preference,
        boolean hasAdminAccess,
        RequestSpec spec,
        DeviceClass deviceClass,
        List<Selector> filters) {
    static RequestOption of(
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
        return new RequestOption(
                column, claim, request, resultName, preference, admin, spec, deviceClass, List.copyOf(filters));
    }

    boolean isAllDevices() {
        return spec.allocationMode().equals(AllocationMode.ALL);
    }

    /** Describes the requested devices, such as {@code 2 gpu}. */
    String requestedText() {
        String name = deviceClass.meta().name();
        return isAllDevices() ? "all " + name : spec.count() + " " + name;
    }

    /** Computes the eligibility of a device. */
    DeviceEligibility eligibility(AllocationProblem problem, DeviceCandidate candidate) {
        return eligibility(problem, candidate, match(candidate.driver(), candidate.device()));
    }

    /** @param answer result of the selectors for the device */
    DeviceEligibility eligibility(AllocationProblem problem, DeviceCandidate candidate, Selector.Match answer) {
        Device device = candidate.device();
        FeatureGates features = problem.features();
        if (!device.bindingConditions().isEmpty() && !hasBindingConditions(features)) {
            return DeviceEligibility.NO;
        }
        if (answer instanceof Selector.Match.SelectorError) {
            return DeviceEligibility.FAILED;
        }
        if (answer instanceof Selector.Match.SelectorMismatch || !candidate.isReachable()) {
            return DeviceEligibility.NO;
        }
        return features.has(Feature.CONSUMABLE_CAPACITY) && isCapacityRelevant(device)
                ? capacityEligibility(problem, candidate)
                : featureEligibility(features, candidate);
    }

    private static boolean hasBindingConditions(FeatureGates features) {
        return features.has(Feature.DEVICE_BINDING_CONDITIONS) && features.has(Feature.RESOURCE_CLAIM_DEVICE_STATUS);
    }

    /**
     * Returns whether capacities matter for a device. They do not if the request names none, and the device has no
     * request policy and no negative capacity; the option then consumes the whole device.
     */
    private boolean isCapacityRelevant(Device device) {
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

    private DeviceEligibility capacityEligibility(AllocationProblem problem, DeviceCandidate candidate) {
        return switch (problem.consumption(this, candidate.device())) {
            case CapacityConsumption.CapacityAmounts consumed -> featureEligibility(problem.features(), candidate);
            case CapacityConsumption.UnsatisfiableCapacity unfit -> DeviceEligibility.NO;
            case CapacityConsumption.UnrepresentableAmount failed -> DeviceEligibility.FAILED;
        };
    }

    private DeviceEligibility featureEligibility(FeatureGates features, DeviceCandidate candidate) {
        Device device = candidate.device();
        if (!device.consumesCounters().isEmpty() && !features.has(Feature.PARTITIONABLE_DEVICES)) {
            return DeviceEligibility.FEATURE_DISABLED;
        }
        if (!candidate.slice().skipNodeOperations().isEmpty()
                && !(features.has(Feature.OPTIONAL_NODE_OPERATIONS) && candidate.optionalOperations())) {
            return DeviceEligibility.FEATURE_DISABLED;
        }
        return features.has(Feature.DEVICE_TAINTS)
                        && Toleration.firstUntolerated(device.taints(), spec.tolerations())
                                .isPresent()
                ? DeviceEligibility.TAINTED
                : DeviceEligibility.YES;
    }

    /** Returns the result of the first selector that the device does not pass, or yes. */
    Selector.Match match(String driver, Device device) {
        for (Selector filter : filters) {
            Selector.Match match = filter.test(driver, device);
            if (!(match instanceof Selector.Match.SelectorMatch)) {
                return match;
            }
        }
        return Selector.Match.MATCH;
    }

    /** Returns the number of leading selectors that the device passes. */
    int passedFilters(String driver, Device device) {
        int passed = 0;
        while (passed < filters.size()
                && filters.get(passed).test(driver, device) instanceof Selector.Match.SelectorMatch) {
            passed++;
        }
        return passed;
    }

    /** Returns upstream's message if a selector or the capacity arithmetic failed on the device. */
    Optional<String> failure(AllocationProblem problem, DeviceCandidate candidate) {
        int passed = passedFilters(candidate.driver(), candidate.device());
        String device = candidate.usage().device().toString();
        if (passed == filters.size()) {
            return problem.consumption(this, candidate.device())
                            instanceof CapacityConsumption.UnrepresentableAmount failed
                    ? Optional.of("request %s: checking capacity for device %s: %s"
                            .formatted(resultName, device, failed.message()))
                    : Optional.empty();
        }
        if (!(filters.get(passed).test(candidate.driver(), candidate.device())
                instanceof Selector.Match.SelectorError failed)) {
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
