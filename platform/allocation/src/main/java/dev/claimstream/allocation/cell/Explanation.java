package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * Why an item is allocated or pending; written when that changes.
 *
 * @param claims all claims of the item, in its order
 * @param steps search steps
 */
public record Explanation(ItemId item, List<ObjectKey> claims, long steps, ExplanationDetail detail) {
    public Explanation {
        claims = List.copyOf(claims);
    }

    /** The two cases. */
    public sealed interface ExplanationDetail {
        /** All claims are allocated. */
        record Allocated(String node, AllocationPlan.NodeChoice choice) implements ExplanationDetail {}

        /** The item is pending. */
        record Pending(AllocationPlan.PendingDiagnosis diagnosis, List<Funnel> funnels) implements ExplanationDetail {
            public Pending {
                funnels = List.copyOf(funnels);
            }
        }
    }
}
