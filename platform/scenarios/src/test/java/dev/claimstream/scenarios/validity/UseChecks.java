package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.DeviceResult;
import java.util.ArrayList;
import java.util.List;

/** Checks that devices are free, and allocated once. */
final class UseChecks {
    private final Published published;
    private final Held held;
    private final Findings findings;
    private final List<Given> before = new ArrayList<>();

    private record Given(int claim, DeviceResult result) {}

    UseChecks(Published published, Held held, Findings findings) {
        this.published = published;
        this.held = held;
        this.findings = findings;
    }

    /**
     * Checks the next result. A request with admin access may use devices of other claims, but none twice in one claim.
     */
    void check(int claim, DeviceResult result, Answered.Wish wish, Pool.Offer offer) {
        boolean isShare = published.isShareable(offer.device());
        boolean isFree = !held.isWhole(result.device())
                && (isShare || held.shares(result.device()).isEmpty());
        findings.expect(wish.isAdmin() || isFree, Rule.IN_USE, result.device(), "another claim has it");
        if (!isShare) {
            boolean isTwice = before.stream()
                    .filter(given -> given.result().device().equals(result.device()))
                    .anyMatch(given -> given.claim() == claim || !wish.isAdmin());
            findings.expect(!isTwice, Rule.GIVEN_TWICE, result.device(), result.request());
            before.add(new Given(claim, result));
        }
    }
}
