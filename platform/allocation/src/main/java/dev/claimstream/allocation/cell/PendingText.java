package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/** The explanation of a pending item, and its hash. */
record PendingText(Explanation.ExplanationDetail.Pending detail, long hash) {
    static PendingText of(Explanation.ExplanationDetail.Pending detail) {
        return new PendingText(detail, TextHash.of(detail));
    }

    static PendingText of(AllocationPlan.PendingDiagnosis diagnosis) {
        return of(new Explanation.ExplanationDetail.Pending(diagnosis, List.of()));
    }

    /** The same text for the claims of another item of the shape, in the same order. */
    PendingText forClaims(List<ObjectKey> before, List<ObjectKey> now) {
        if (before.equals(now)) {
            return this;
        }
        List<Funnel> funnels = detail.funnels().stream()
                .map(funnel -> funnel.withClaim(now.get(before.indexOf(funnel.claim()))))
                .toList();
        return new PendingText(new Explanation.ExplanationDetail.Pending(detail.diagnosis(), funnels), hash);
    }
}
