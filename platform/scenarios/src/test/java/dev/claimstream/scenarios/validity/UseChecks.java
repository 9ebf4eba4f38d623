package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.DeviceResult;
import java.util.ArrayList;
import java.util.List;

/** Checks that devices are free, and allocated once. */
final class UseChecks {
    private final PublishedPools published;
    private final AllocatedDevices allocated;
    private final ViolationCollector findings;
    private final List<CheckedResult> before = new ArrayList<>();

    private record CheckedResult(int claim, DeviceResult result) {}

    UseChecks(PublishedPools published, AllocatedDevices allocated, ViolationCollector findings) {
        this.published = published;
        this.allocated = allocated;
        this.findings = findings;
    }

    /**
     * Checks the next result. A request with admin access may use devices of other claims, but none twice in one claim.
     */
    void check(int claim, DeviceResult result, ClaimWithAllocation.NamedRequest wish, ReachablePool.Offer offer) {
        boolean isShare = published.isShareable(offer.device());
        boolean isFree = !allocated.isDedicated(result.device())
                && (isShare || allocated.shares(result.device()).isEmpty());
        findings.expect(wish.isAdmin() || isFree, Rule.IN_USE, result.device(), "another claim has it");
        if (!isShare) {
            boolean isTwice = before.stream()
                    .filter(given -> given.result().device().equals(result.device()))
                    .anyMatch(given -> given.claim() == claim || !wish.isAdmin());
            findings.expect(!isTwice, Rule.ALLOCATED_TWICE, result.device(), result.request());
            before.add(new CheckedResult(claim, result));
        }
    }
}
