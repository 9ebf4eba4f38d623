package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Features;
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
public record Question(
        ItemShape shape,
        List<List<List<Want>>> requests,
        List<Want> wants,
        List<String> attributes,
        List<Source> sources,
        List<Bond> bonds,
        Features features) {
    /** Maximum number of devices of a claim. */
    public static final int DEVICES_MAX = 32;

    /** A valid problem, or why the claims are rejected. */
    public sealed interface Put {
        /** The problem can be solved. */
        record Ready(Question question) implements Put {}

        /** The claims are rejected on every node. */
        record Refused(Refusal refusal) implements Put {}
    }

    /** Formulates the problem of an item's claims. */
    public static Put of(ItemShape shape, Map<String, DeviceClass> classes, Selectors selectors, Features features) {
        var maker = new Maker(classes, selectors, features);
        try {
            for (int claim = 0; claim < shape.specs().size(); claim++) {
                maker.addClaim(claim, shape.specs().get(claim));
            }
        } catch (Maker.Refused e) {
            return new Put.Refused(e.refusal);
        }
        return new Put.Ready(new Question(
                shape,
                maker.requests,
                List.copyOf(maker.wants),
                maker.attributes,
                maker.sources,
                maker.bonds,
                features));
    }

    /** Returns whether several claims may share a device. */
    boolean isShareable(Device device) {
        return device.allowMultipleAllocations() && features.has(Feature.CONSUMABLE_CAPACITY);
    }

    /** Returns whether binding conditions of devices are enabled. */
    boolean hasBinding() {
        return features.has(Feature.DEVICE_BINDING_CONDITIONS) && features.has(Feature.RESOURCE_CLAIM_DEVICE_STATUS);
    }

    /** Computes what an option consumes of a device's capacities. */
    Consumption consumption(Want want, Device device) {
        return Consumption.of(want.spec().capacity(), device, features.has(Feature.FRACTIONAL_CAPACITY_RANGE));
    }

    /** Capacity that a result for the option has to report as consumed; empty if the device is not shareable. */
    SortedMap<String, Quantity> consumed(Want want, Device device) {
        return isShareable(device) && consumption(want, device) instanceof Consumption.Takes takes
                ? takes.amounts()
                : Collections.emptySortedMap();
    }

    boolean wantsAll() {
        return wants.stream().anyMatch(Want::all);
    }

    boolean wantsAdmin() {
        return wants.stream().anyMatch(Want::admin);
    }

    /** Returns the problem without the constraints at these indexes. */
    Question without(Set<Integer> constraints) {
        return constraints.isEmpty()
                ? this
                : new Question(
                        shape,
                        requests,
                        wants,
                        attributes,
                        sources,
                        IntStream.range(0, bonds.size())
                                .filter(each -> !constraints.contains(each))
                                .mapToObj(bonds::get)
                                .toList(),
                        features);
    }

    /**
     * Options for all devices under a constraint. The first obstacle that they meet determines whether the search fails
     * or finds no solution.
     */
    List<Want> boundForAll() {
        return wants.stream()
                .filter(want -> want.all() && bonds.stream().anyMatch(bond -> bond.binds(want.column())))
                .toList();
    }

    private static final class Maker {
        private final Map<String, DeviceClass> classes;
        private final Selectors selectors;
        private final Features features;
        private final List<List<List<Want>>> requests = new ArrayList<>();
        private final List<Want> wants = new ArrayList<>();
        private final List<String> attributes = new ArrayList<>();
        private final List<Source> sources = new ArrayList<>();
        private final List<Bond> bonds = new ArrayList<>();

        Maker(Map<String, DeviceClass> classes, Selectors selectors, Features features) {
            this.classes = classes;
            this.selectors = selectors;
            this.features = features;
        }

        /** Leaves the builder from any depth; callers never see it. */
        private static final class Refused extends RuntimeException {
            private static final long serialVersionUID = 1L;
            private final transient Refusal refusal;

            Refused(Reason reason, String message) {
                super(message, null, false, false);
                this.refusal = new Refusal(reason, message);
            }
        }

        void addClaim(int claim, ClaimSpec spec) {
            List<List<Want>> ofClaim = new ArrayList<>();
            spec.requests().forEach(request -> ofClaim.add(wantsOf(claim, request)));
            requests.add(ofClaim);
            long before = 0;
            for (int i = 0; i < ofClaim.size(); i++) {
                long fewest = fewest(ofClaim.get(i));
                if (fewest > DEVICES_MAX - before) {
                    throw new Refused(
                            Reason.LimitExceeded,
                            new Outcome.Failure.TooMany(spec.requests().get(i).name(), fewest, before).message());
                }
                before += fewest;
            }
            for (int i = 0; i < spec.constraints().size(); i++) {
                addBond(claim, i, spec.constraints().get(i));
            }
        }

        private static long fewest(List<Want> alternatives) {
            return alternatives.stream()
                    .mapToLong(want -> want.all() ? 0 : want.spec().count())
                    .min()
                    .orElse(0);
        }

        private List<Want> wantsOf(int claim, DeviceRequest request) {
            return switch (request) {
                case DeviceRequest.Exactly exactly
                when exactly.adminAccess().isPresent() && !features.has(Feature.ADMIN_ACCESS) ->
                    throw new Refused(
                            Reason.Unsupported,
                            "request %s: admin access is requested, but the feature is disabled"
                                    .formatted(exactly.name()));
                case DeviceRequest.Exactly exactly ->
                    List.of(want(claim, exactly.name(), exactly.name(), 0, exactly.admin(), exactly.spec()));
                case DeviceRequest.FirstAvailable first
                when first.alternatives().isEmpty() -> throw unknownType(request);
                case DeviceRequest.FirstAvailable first -> {
                    if (!features.has(Feature.PRIORITIZED_LIST)) {
                        throw new Refused(
                                Reason.Unsupported,
                                "request %s: has subrequests, but the DRAPrioritizedList feature is disabled"
                                        .formatted(first.name()));
                    }
                    yield alternatives(claim, first);
                }
                case DeviceRequest.Unsupported unsupported -> throw unknownType(unsupported);
            };
        }

        private static Refused unknownType(DeviceRequest request) {
            return new Refused(Reason.Unsupported, "request %s: unknown request type".formatted(request.name()));
        }

        private List<Want> alternatives(int claim, DeviceRequest.FirstAvailable first) {
            List<Want> made = new ArrayList<>();
            for (int i = 0; i < first.alternatives().size(); i++) {
                var alternative = first.alternatives().get(i);
                String resultName = first.name() + "/" + alternative.name();
                made.add(want(claim, first.name(), resultName, i, false, alternative.spec()));
            }
            return made;
        }

        private Want want(
                int claim, String request, String resultName, int preference, boolean admin, RequestSpec spec) {
            DeviceClass deviceClass = checked(resultName, spec);
            var want =
                    Want.of(wants.size(), claim, request, resultName, preference, admin, spec, deviceClass, selectors);
            wants.add(want);
            return want;
        }

        private DeviceClass checked(String request, RequestSpec spec) {
            if (!spec.capacity().isEmpty() && !features.has(Feature.CONSUMABLE_CAPACITY)) {
                throw new Refused(
                        Reason.Unsupported,
                        "request %s: has capacity requests, but the DRAConsumableCapacity feature is disabled"
                                .formatted(request));
            }
            if (!spec.derivedAttributes().isEmpty() && !features.has(Feature.DERIVED_ATTRIBUTES)) {
                throw new Refused(
                        Reason.Unsupported,
                        "request %s: cannot handle request with derived attributes, the feature is disabled"
                                .formatted(request));
            }
            if (spec.deviceClassName().isEmpty()) {
                throw new Refused(
                        Reason.Unsupported,
                        "request %s: missing device class name (unsupported request type?)".formatted(request));
            }
            DeviceClass deviceClass = classes.get(spec.deviceClassName());
            if (deviceClass == null) {
                throw new Refused(
                        Reason.ClassMissing,
                        "request %s: could not retrieve device class %s: it does not exist"
                                .formatted(request, spec.deviceClassName()));
            }
            if (spec.selectors().contains("") || deviceClass.selectors().contains("")) {
                throw new Refused(
                        Reason.Unsupported,
                        "request %s: CEL expression empty (unsupported selector type?)".formatted(request));
            }
            switch (spec.allocationMode().name()) {
                case "ExactCount", "All" -> {}
                default ->
                    throw new Refused(
                            Reason.Unsupported,
                            "request %s: unsupported count mode %s"
                                    .formatted(request, spec.allocationMode().name()));
            }
            return deviceClass;
        }

        private void addBond(int claim, int place, DeviceConstraint constraint) {
            switch (constraint) {
                case DeviceConstraint.MatchAttribute match -> bond(claim, match, match.attribute(), false);
                case DeviceConstraint.DistinctAttribute distinct -> bond(claim, distinct, distinct.attribute(), true);
                case DeviceConstraint.Unsupported unsupported ->
                    throw new Refused(
                            Reason.Unsupported,
                            "constraint #%d: empty constraint (unsupported constraint type?)".formatted(place));
            }
        }

        private void bond(int claim, DeviceConstraint constraint, String attribute, boolean distinct) {
            if (!attributes.contains(attribute)) {
                attributes.add(attribute);
            }
            int place = attributes.indexOf(attribute);
            int[] from = new int[wants.size()];
            for (Want want : wants) {
                boolean binds = want.claim() == claim
                        && (constraint.requests().isEmpty()
                                || constraint.requests().contains(want.request())
                                || constraint.requests().contains(want.resultName()));
                from[want.column()] = binds ? source(want, place, attribute) : Bond.NOT_BOUND;
            }
            bonds.add(new Bond(claim, place, distinct, from));
        }

        private int source(Want want, int place, String attribute) {
            Optional<String> expression = want.spec().derivedAttributes().stream()
                    .filter(each -> each.name().equals(attribute))
                    .map(DerivedAttribute::expression)
                    .reduce((first, last) -> last);
            for (int i = 0; i < sources.size(); i++) {
                Source known = sources.get(i);
                if (known.attribute() == place && known.expression().equals(expression)) {
                    return i;
                }
            }
            sources.add(new Source(place, attribute, expression, expression.map(selectors::derive)));
            return sources.size() - 1;
        }
    }
}
