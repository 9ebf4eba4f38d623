package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks share IDs and consumed capacities. */
final class CapacityChecks {
    private final PublishedPools published;
    private final AllocatedDevices allocated;
    private final ViolationCollector findings;
    private final boolean isOn;
    private final ConsumedAmounts amounts;
    private final Set<String> shareIds = new HashSet<>();
    /** The capacity that the new allocations consume, by device and capacity name. */
    private final Map<DeviceId, Map<String, BigDecimal>> consumed = new HashMap<>();

    CapacityChecks(
            FeatureGates features, PublishedPools published, AllocatedDevices allocated, ViolationCollector findings) {
        this.published = published;
        this.allocated = allocated;
        this.findings = findings;
        this.isOn = features.has(Feature.CONSUMABLE_CAPACITY);
        this.amounts = new ConsumedAmounts(features.has(Feature.FRACTIONAL_CAPACITY_RANGE));
    }

    void check(DeviceResult result, RequestSpec spec, ReachablePool.Offer offer) {
        boolean isShare = published.isShareable(offer.device());
        checkShareId(result, isShare);
        if (!isOn) {
            findings.expect(
                    result.consumedCapacity().isEmpty(), Rule.CONSUMED_CAPACITY, result.device(), "gate is off");
            return;
        }
        Set<String> asked = spec.capacity().keySet();
        boolean hasAll = offer.device().capacity().keySet().containsAll(asked);
        findings.expect(hasAll, Rule.CAPACITY, result.device(), "has not all of " + asked);
        if (!isShare) {
            findings.expect(
                    result.consumedCapacity().isEmpty(), Rule.CONSUMED_CAPACITY, result.device(), "is not shared");
        }
        Set<String> listed = result.consumedCapacity().keySet();
        findings.expect(
                !isShare || offer.device().capacity().keySet().containsAll(listed),
                Rule.CONSUMED_CAPACITY,
                result.device(),
                "lists more than its capacities: " + listed);
        offer.device().capacity().forEach((name, capacity) -> {
            Optional<Quantity> requested = Optional.ofNullable(spec.capacity().get(name));
            Optional<BigDecimal> amount = amounts.consumed(requested, capacity);
            boolean isAllowed = amount.filter(each -> amounts.isAllowed(requested, each, capacity))
                    .isPresent();
            findings.expect(isAllowed, Rule.REQUEST_POLICY, result.device() + " " + name, amount);
            amount.ifPresent(each -> checkCapacity(result, name, capacity, each, isShare));
        });
    }

    private void checkShareId(DeviceResult result, boolean isShare) {
        findings.expect(
                result.shareId().isPresent() == isShare, Rule.SHARE_ID, result.device(), "shareID " + result.shareId());
        result.shareId()
                .ifPresent(id -> findings.expect(
                        shareIds.add(result.device() + " " + id)
                                && !allocated.shares(result.device()).contains(id),
                        Rule.SHARE_ID,
                        result.device(),
                        "is there twice: " + id));
    }

    private void checkCapacity(
            DeviceResult result, String name, DeviceCapacity capacity, BigDecimal amount, boolean isShare) {
        String where = result.device() + " " + name;
        BigDecimal others =
                isShare ? allocated.amount(result.device(), name) : BigDecimal.ZERO; // else allocated as a whole
        BigDecimal here = isShare ? sum(result.device(), name, amount) : amount;
        findings.expect(
                others.add(here).compareTo(capacity.value().amount()) <= 0,
                Rule.CAPACITY,
                where,
                "%s and %s are more than %s".formatted(others, here, capacity.value()));
        Quantity listed = result.consumedCapacity().get(name);
        findings.expect(
                !isShare || (listed != null && listed.amount().compareTo(amount) == 0),
                Rule.CONSUMED_CAPACITY,
                where,
                "%s instead of %s".formatted(listed, amount));
    }

    private BigDecimal sum(DeviceId device, String name, BigDecimal amount) {
        return consumed.computeIfAbsent(device, _ -> new HashMap<>()).merge(name, amount, BigDecimal::add);
    }

    /**
     * Returns whether a completely free device could serve a request.
     *
     * @param spec a request with allocation mode {@code All}
     */
    boolean couldServe(RequestSpec spec, ReachablePool.Offer offer) {
        if (!isOn) {
            return true;
        }
        var capacities = offer.device().capacity();
        return capacities.keySet().containsAll(spec.capacity().keySet())
                && capacities.entrySet().stream().allMatch(each -> {
                    Optional<Quantity> requested =
                            Optional.ofNullable(spec.capacity().get(each.getKey()));
                    DeviceCapacity capacity = each.getValue();
                    return amounts.consumed(requested, capacity)
                            .filter(amount -> amounts.isAllowed(requested, amount, capacity)
                                    && amount.compareTo(capacity.value().amount()) <= 0)
                            .isPresent();
                });
    }
}
