package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.dra.Selectors;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/** Checks that each request has the devices that it asks for. */
final class RequestChecks {
    private static final int RESULTS_MAX = 32;

    private final FeatureGates features;
    private final PublishedPools published;
    private final Map<String, DeviceClass> classes;
    private final Selectors selectors;
    private final ViolationCollector findings;

    RequestChecks(
            FeatureGates features,
            PublishedPools published,
            Map<String, DeviceClass> classes,
            Selectors selectors,
            ViolationCollector findings) {
        this.features = features;
        this.published = published;
        this.classes = classes;
        this.selectors = selectors;
        this.findings = findings;
    }

    /**
     * Checks the whole claim. {@code couldServe} selects the devices of requests with allocation mode {@code All} by
     * capacity.
     */
    void check(ClaimWithAllocation answered, BiPredicate<RequestSpec, ReachablePool.Offer> couldServe) {
        findings.expect(
                answered.results().size() <= RESULTS_MAX,
                Rule.RESULTS_MAX,
                answered.claim().key(),
                answered.results().size());
        answered.requests().forEach(request -> checkGates(answered, request));
        answered.requests().forEach(request -> checkAlternatives(answered, request));
        for (DeviceRequest request : answered.requests()) {
            ClaimWithAllocation.namedRequests(request)
                    .filter(wish -> request instanceof DeviceRequest.Exactly
                            || !answered.resultsOf(wish).isEmpty())
                    .forEach(wish -> checkCount(answered, wish, couldServe));
        }
    }

    private void checkGates(ClaimWithAllocation answered, DeviceRequest request) {
        boolean isList = request instanceof DeviceRequest.FirstAvailable;
        boolean asks = request instanceof DeviceRequest.Exactly one
                && one.adminAccess().isPresent();
        checkGate(answered, Feature.PRIORITIZED_LIST, isList);
        checkGate(answered, Feature.ADMIN_ACCESS, asks);
        ClaimWithAllocation.namedRequests(request).forEach(wish -> {
            checkGate(
                    answered,
                    Feature.CONSUMABLE_CAPACITY,
                    !wish.spec().capacity().isEmpty());
            checkGate(
                    answered,
                    Feature.DERIVED_ATTRIBUTES,
                    !wish.spec().derivedAttributes().isEmpty());
        });
    }

    private void checkGate(ClaimWithAllocation answered, Feature feature, boolean isUsed) {
        findings.expect(
                !isUsed || features.has(feature),
                Rule.FEATURE_GATE,
                answered.claim().key(),
                feature.gate());
    }

    private void checkAlternatives(ClaimWithAllocation answered, DeviceRequest request) {
        if (request instanceof DeviceRequest.FirstAvailable) {
            long chosen = ClaimWithAllocation.namedRequests(request)
                    .filter(wish -> !answered.resultsOf(wish).isEmpty())
                    .count();
            findings.expect(chosen == 1, Rule.ALTERNATIVE, request.name(), chosen + " alternatives");
        }
    }

    private void checkCount(
            ClaimWithAllocation answered,
            ClaimWithAllocation.NamedRequest wish,
            BiPredicate<RequestSpec, ReachablePool.Offer> couldServe) {
        List<DeviceResult> given = answered.resultsOf(wish);
        if (wish.spec().allocationMode().equals(AllocationMode.ALL)) {
            checkAllMode(wish, given, couldServe);
        } else {
            boolean isExact = wish.spec().allocationMode().equals(AllocationMode.EXACT_COUNT)
                    && given.size() == wish.spec().count();
            findings.expect(
                    isExact,
                    Rule.COUNT,
                    wish.name(),
                    "%d of %d".formatted(given.size(), wish.spec().count()));
        }
        Set<DeviceId> devices = given.stream().map(DeviceResult::device).collect(Collectors.toSet());
        findings.expect(devices.size() == given.size(), Rule.ALLOCATED_TWICE, wish.name(), "within one request");
    }

    private void checkAllMode(
            ClaimWithAllocation.NamedRequest wish,
            List<DeviceResult> given,
            BiPredicate<RequestSpec, ReachablePool.Offer> couldServe) {
        findings.expect(
                published.pools().stream().allMatch(ReachablePool::isUsable),
                Rule.ALL_DEVICES,
                wish.name(),
                "a pool is broken");
        Set<DeviceId> wanted = published.pools().stream()
                .flatMap(pool -> pool.offers().stream())
                .filter(offer -> isSelected(wish, offer) && couldServe.test(wish.spec(), offer))
                .map(ReachablePool.Offer::id)
                .collect(Collectors.toSet());
        Set<DeviceId> devices = new HashSet<>();
        given.forEach(result -> devices.add(result.device()));
        findings.expect(!devices.isEmpty() && devices.equals(wanted), Rule.ALL_DEVICES, wish.name(), wanted);
    }

    private boolean isSelected(ClaimWithAllocation.NamedRequest wish, ReachablePool.Offer offer) {
        return isBindable(offer.device())
                && matchesClass(wish, offer)
                && matches(wish.spec().selectors(), offer)
                && published.reach().isReachedBy(offer.slice(), offer.device());
    }

    /** Returns whether the cluster supports the binding conditions of a device. */
    boolean isBindable(Device device) {
        return device.bindingConditions().isEmpty()
                || (features.has(Feature.DEVICE_BINDING_CONDITIONS)
                        && features.has(Feature.RESOURCE_CLAIM_DEVICE_STATUS));
    }

    boolean matchesClass(ClaimWithAllocation.NamedRequest wish, ReachablePool.Offer offer) {
        DeviceClass found = classes.get(wish.spec().deviceClassName());
        return found != null && matches(found.selectors(), offer);
    }

    boolean matches(List<String> expressions, ReachablePool.Offer offer) {
        return expressions.stream()
                .allMatch(expression ->
                        selectors.compile(expression).test(offer.slice().driver(), offer.device())
                                instanceof Match.SelectorMatch);
    }
}
