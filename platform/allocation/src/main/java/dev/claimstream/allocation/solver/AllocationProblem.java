package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.Selectors;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The allocation problem of a work item: all its claims, which one node has to satisfy together. Columns are
 * consecutive numbers of the options of all claims.
 *
 * @param requests per claim and request, its options in order of preference
 * @param attributes distinct attribute names of the constraints
 * @param sources distinct sources of attribute values
 * @param features enabled feature gates
 */
public record AllocationProblem(
        ItemShape shape,
        List<List<List<RequestOption>>> requests,
        List<RequestOption> options,
        List<String> attributes,
        List<AttributeSource> sources,
        List<AttributeConstraint> constraints,
        FeatureGates features) {
    /** Maximum number of devices of a claim. */
    public static final int DEVICES_MAX = 32;

    /** A valid problem, or why the claims are rejected. */
    public sealed interface Formulation {
        /** The problem can be solved. */
        record ValidProblem(AllocationProblem problem) implements Formulation {}

        /** The claims are rejected on every node. */
        record InvalidProblem(ProblemRejection rejection) implements Formulation {}
    }

    /** Formulates the problem of an item's claims. */
    public static Formulation of(
            ItemShape shape, Map<String, DeviceClass> classes, Selectors selectors, FeatureGates features) {
        var builder = new ProblemBuilder(classes, selectors, features);
        try {
            for (int claim = 0; claim < shape.specs().size(); claim++) {
                builder.addClaim(claim, shape.specs().get(claim));
            }
        } catch (ProblemBuilder.RejectionException e) {
            return new Formulation.InvalidProblem(e.rejection);
        }
        return new Formulation.ValidProblem(new AllocationProblem(
                shape,
                builder.requests,
                List.copyOf(builder.options),
                builder.attributes,
                builder.sources,
                builder.constraints,
                features));
    }

    /** Returns whether several claims may share a device. */
    boolean isShareable(Device device) {
        return device.allowMultipleAllocations() && features.has(Feature.CONSUMABLE_CAPACITY);
    }

    /** Returns whether binding conditions of devices are enabled. */
    boolean hasBindingConditions() {
        return features.has(Feature.DEVICE_BINDING_CONDITIONS) && features.has(Feature.RESOURCE_CLAIM_DEVICE_STATUS);
    }

    /** Computes what an option consumes of a device's capacities. */
    CapacityConsumption consumption(RequestOption option, Device device) {
        return CapacityConsumption.of(
                option.spec().capacity(), device, features.has(Feature.FRACTIONAL_CAPACITY_RANGE));
    }

    /** Capacity that a result for the option has to report as consumed; empty if the device is not shareable. */
    SortedMap<String, Quantity> consumed(RequestOption option, Device device) {
        return isShareable(device)
                        && consumption(option, device) instanceof CapacityConsumption.CapacityAmounts consumed
                ? consumed.amounts()
                : Collections.emptySortedMap();
    }

    /** Describes the requested devices, with the preferred option of each request. */
    String requestedText() {
        return requests.stream()
                .flatMap(List::stream)
                .map(options -> options.getFirst().requestedText())
                .collect(Collectors.joining(" + "));
    }

    boolean hasAllDevicesOption() {
        return options.stream().anyMatch(RequestOption::isAllDevices);
    }

    boolean hasAdminOption() {
        return options.stream().anyMatch(RequestOption::hasAdminAccess);
    }

    /** Returns the problem without the constraints at these indexes. */
    AllocationProblem withoutConstraints(Set<Integer> lifted) {
        return lifted.isEmpty()
                ? this
                : new AllocationProblem(
                        shape,
                        requests,
                        options,
                        attributes,
                        sources,
                        IntStream.range(0, constraints.size())
                                .filter(each -> !lifted.contains(each))
                                .mapToObj(constraints::get)
                                .toList(),
                        features);
    }

    /**
     * Options for all devices under a constraint. The first obstacle that they meet determines whether the search fails
     * or finds no solution.
     */
    List<RequestOption> constrainedAllOptions() {
        return options.stream()
                .filter(option -> option.isAllDevices()
                        && constraints.stream().anyMatch(constraint -> constraint.appliesTo(option.column())))
                .toList();
    }

    private static final class ProblemBuilder {
        private final Map<String, DeviceClass> classes;
        private final Selectors selectors;
        private final FeatureGates features;
        private final List<List<List<RequestOption>>> requests = new ArrayList<>();
        private final List<RequestOption> options = new ArrayList<>();
        private final List<String> attributes = new ArrayList<>();
        private final List<AttributeSource> sources = new ArrayList<>();
        private final List<AttributeConstraint> constraints = new ArrayList<>();

        ProblemBuilder(Map<String, DeviceClass> classes, Selectors selectors, FeatureGates features) {
            this.classes = classes;
            this.selectors = selectors;
            this.features = features;
        }

        /** Leaves the builder from any depth; callers never see it. */
        private static final class RejectionException extends RuntimeException {
            private static final long serialVersionUID = 1L;
            private final transient ProblemRejection rejection;

            RejectionException(Reason reason, String message) {
                super(message, null, false, false);
                this.rejection = new ProblemRejection(reason, message);
            }
        }

        void addClaim(int claim, ClaimSpec spec) {
            List<List<RequestOption>> ofClaim = new ArrayList<>();
            spec.requests().forEach(request -> ofClaim.add(optionsOf(claim, request)));
            requests.add(ofClaim);
            long before = 0;
            for (int i = 0; i < ofClaim.size(); i++) {
                long fewest = fewest(ofClaim.get(i));
                if (fewest > DEVICES_MAX - before) {
                    throw new RejectionException(
                            Reason.LimitExceeded,
                            new SearchOutcome.SearchFailure.TooManyDevices(
                                            spec.requests().get(i).name(), fewest, before)
                                    .message());
                }
                before += fewest;
            }
            for (int i = 0; i < spec.constraints().size(); i++) {
                addConstraint(claim, i, spec.constraints().get(i));
            }
        }

        private static long fewest(List<RequestOption> alternatives) {
            return alternatives.stream()
                    .mapToLong(
                            option -> option.isAllDevices() ? 0 : option.spec().count())
                    .min()
                    .orElse(0);
        }

        private List<RequestOption> optionsOf(int claim, DeviceRequest request) {
            return switch (request) {
                case DeviceRequest.Exactly exactly
                when exactly.adminAccess().isPresent() && !features.has(Feature.ADMIN_ACCESS) ->
                    throw new RejectionException(
                            Reason.Unsupported,
                            "request %s: admin access is requested, but the feature is disabled"
                                    .formatted(exactly.name()));
                case DeviceRequest.Exactly exactly ->
                    List.of(option(claim, exactly.name(), exactly.name(), 0, exactly.admin(), exactly.spec()));
                case DeviceRequest.FirstAvailable first
                when first.alternatives().isEmpty() -> throw unknownType(request);
                case DeviceRequest.FirstAvailable first -> {
                    if (!features.has(Feature.PRIORITIZED_LIST)) {
                        throw new RejectionException(
                                Reason.Unsupported,
                                "request %s: has subrequests, but the DRAPrioritizedList feature is disabled"
                                        .formatted(first.name()));
                    }
                    yield alternatives(claim, first);
                }
                case DeviceRequest.UnknownRequest unsupported -> throw unknownType(unsupported);
            };
        }

        private static RejectionException unknownType(DeviceRequest request) {
            return new RejectionException(
                    Reason.Unsupported, "request %s: unknown request type".formatted(request.name()));
        }

        private List<RequestOption> alternatives(int claim, DeviceRequest.FirstAvailable first) {
            List<RequestOption> options = new ArrayList<>();
            for (int i = 0; i < first.alternatives().size(); i++) {
                var alternative = first.alternatives().get(i);
                String resultName = first.name() + "/" + alternative.name();
                options.add(option(claim, first.name(), resultName, i, false, alternative.spec()));
            }
            return options;
        }

        private RequestOption option(
                int claim, String request, String resultName, int preference, boolean admin, RequestSpec spec) {
            DeviceClass deviceClass = checkedClass(resultName, spec);
            var option = RequestOption.of(
                    options.size(), claim, request, resultName, preference, admin, spec, deviceClass, selectors);
            options.add(option);
            return option;
        }

        private DeviceClass checkedClass(String request, RequestSpec spec) {
            if (!spec.capacity().isEmpty() && !features.has(Feature.CONSUMABLE_CAPACITY)) {
                throw new RejectionException(
                        Reason.Unsupported,
                        "request %s: has capacity requests, but the DRAConsumableCapacity feature is disabled"
                                .formatted(request));
            }
            if (!spec.derivedAttributes().isEmpty() && !features.has(Feature.DERIVED_ATTRIBUTES)) {
                throw new RejectionException(
                        Reason.Unsupported,
                        "request %s: cannot handle request with derived attributes, the feature is disabled"
                                .formatted(request));
            }
            if (spec.deviceClassName().isEmpty()) {
                throw new RejectionException(
                        Reason.Unsupported,
                        "request %s: missing device class name (unsupported request type?)".formatted(request));
            }
            DeviceClass deviceClass = classes.get(spec.deviceClassName());
            if (deviceClass == null) {
                throw new RejectionException(
                        Reason.ClassMissing,
                        "request %s: could not retrieve device class %s: it does not exist"
                                .formatted(request, spec.deviceClassName()));
            }
            if (spec.selectors().contains("") || deviceClass.selectors().contains("")) {
                throw new RejectionException(
                        Reason.Unsupported,
                        "request %s: CEL expression empty (unsupported selector type?)".formatted(request));
            }
            switch (spec.allocationMode().name()) {
                case "ExactCount", "All" -> {}
                default ->
                    throw new RejectionException(
                            Reason.Unsupported,
                            "request %s: unsupported count mode %s"
                                    .formatted(request, spec.allocationMode().name()));
            }
            return deviceClass;
        }

        private void addConstraint(int claim, int index, DeviceConstraint constraint) {
            switch (constraint) {
                case DeviceConstraint.MatchAttribute match ->
                    addAttributeConstraint(claim, match, match.attribute(), false);
                case DeviceConstraint.DistinctAttribute distinct ->
                    addAttributeConstraint(claim, distinct, distinct.attribute(), true);
                case DeviceConstraint.UnknownConstraint unsupported ->
                    throw new RejectionException(
                            Reason.Unsupported,
                            "constraint #%d: empty constraint (unsupported constraint type?)".formatted(index));
            }
        }

        private void addAttributeConstraint(
                int claim, DeviceConstraint constraint, String attribute, boolean distinct) {
            if (!attributes.contains(attribute)) {
                attributes.add(attribute);
            }
            int index = attributes.indexOf(attribute);
            int[] from = new int[options.size()];
            for (RequestOption option : options) {
                boolean binds = option.claim() == claim
                        && (constraint.requests().isEmpty()
                                || constraint.requests().contains(option.request())
                                || constraint.requests().contains(option.resultName()));
                from[option.column()] = binds ? source(option, index, attribute) : AttributeConstraint.NOT_APPLICABLE;
            }
            constraints.add(new AttributeConstraint(claim, index, distinct, from));
        }

        private int source(RequestOption option, int index, String attribute) {
            Optional<String> expression = option.spec().derivedAttributes().stream()
                    .filter(each -> each.name().equals(attribute))
                    .map(DerivedAttribute::expression)
                    .reduce((first, last) -> last);
            for (int i = 0; i < sources.size(); i++) {
                AttributeSource known = sources.get(i);
                if (known.attribute() == index && known.expression().equals(expression)) {
                    return i;
                }
            }
            sources.add(new AttributeSource(index, attribute, expression, expression.map(selectors::derive)));
            return sources.size() - 1;
        }
    }
}
