package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.util.List;
import java.util.Optional;

/** Checks that a device may be allocated for a request, and that its result has the right fields. */
final class DeviceChecks {
    private final FeatureGates features;
    private final PublishedPools published;
    private final RequestChecks requests;
    private final ViolationCollector findings;

    DeviceChecks(FeatureGates features, PublishedPools published, RequestChecks requests, ViolationCollector findings) {
        this.features = features;
        this.published = published;
        this.requests = requests;
        this.findings = findings;
    }

    void check(DeviceResult result, ClaimWithAllocation.NamedRequest wish, ReachablePool.Offer offer) {
        expect(published.reach().isReachedBy(offer.slice(), offer.device()), Rule.NODE_REACHED, result, "another node");
        expect(
                requests.matchesClass(wish, offer),
                Rule.CLASS_SELECTOR,
                result,
                wish.spec().deviceClassName());
        expect(requests.matches(wish.spec().selectors(), offer), Rule.REQUEST_SELECTOR, result, wish.name());
        expect(result.adminAccess() == wish.isAdmin(), Rule.ADMIN_ACCESS, result, result.adminAccess());
        expect(result.tolerations().equals(wish.spec().tolerations()), Rule.TOLERATIONS, result, result.tolerations());
        checkTaints(result, wish, offer);
        checkBindingConditions(result, offer);
        checkNodeOperations(result, offer);
    }

    private void expect(boolean isKept, Rule rule, DeviceResult result, Object detail) {
        findings.expect(isKept, rule, result.request() + " " + result.device(), detail);
    }

    private void checkTaints(DeviceResult result, ClaimWithAllocation.NamedRequest wish, ReachablePool.Offer offer) {
        if (features.has(Feature.DEVICE_TAINTS)) {
            for (Taint taint : published.taints(offer)) {
                boolean keepsAway = List.of("NoSchedule", "NoExecute").contains(taint.effect());
                boolean isTolerated = wish.spec().tolerations().stream().anyMatch(each -> tolerates(each, taint));
                expect(!keepsAway || isTolerated, Rule.TAINTS, result, taint);
            }
        }
    }

    private static boolean tolerates(Toleration toleration, Taint taint) {
        boolean isMeant = isAny(toleration.effect(), taint.effect()) && isAny(toleration.key(), taint.key());
        boolean isEqual = List.of("", "Equal").contains(toleration.operator())
                && toleration.value().equals(taint.value());
        return isMeant && (toleration.operator().equals("Exists") || isEqual);
    }

    private static boolean isAny(String wanted, String actual) {
        return wanted.isEmpty() || wanted.equals(actual);
    }

    private void checkBindingConditions(DeviceResult result, ReachablePool.Offer offer) {
        boolean isOn =
                features.has(Feature.DEVICE_BINDING_CONDITIONS) && features.has(Feature.RESOURCE_CLAIM_DEVICE_STATUS);
        expect(requests.isBindable(offer.device()), Rule.FEATURE_GATE, result, "binding conditions");
        List<String> wanted = isOn ? offer.device().bindingConditions() : List.of();
        List<String> failing = isOn ? offer.device().bindingFailureConditions() : List.of();
        expect(result.bindingConditions().equals(wanted), Rule.BINDING_CONDITIONS, result, wanted);
        expect(result.bindingFailureConditions().equals(failing), Rule.BINDING_CONDITIONS, result, failing);
    }

    private void checkNodeOperations(DeviceResult result, ReachablePool.Offer offer) {
        List<String> left = offer.slice().skipNodeOperations();
        expect(result.skipNodeOperations().equals(left), Rule.NODE_OPERATIONS, result, left);
        boolean isPossible = features.has(Feature.OPTIONAL_NODE_OPERATIONS)
                && published.reach().declaresFeature(Feature.OPTIONAL_NODE_OPERATIONS.gate());
        expect(left.isEmpty() || isPossible, Rule.NODE_OPERATIONS, result, "the node cannot leave out " + left);
    }

    /** Returns the device of a result; reports a violation if it is not published. */
    Optional<ReachablePool.Offer> offer(DeviceResult result) {
        Optional<ReachablePool.Offer> offer = published.offer(result.device());
        expect(offer.isPresent(), Rule.DEVICE_PUBLISHED, result, "not in a usable pool of the node");
        return offer;
    }
}
