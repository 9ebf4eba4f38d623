package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * Why an item is allocated or pending; written when that changes.
 *
 * @param claims all claims of the item, in its order
 * @param steps search steps
 */
public record Explanation(ItemId item, List<ObjectKey> claims, long steps, Because because) {
    public Explanation {
        claims = List.copyOf(claims);
    }

    /** The two cases. */
    public sealed interface Because {
        /** All claims are allocated. */
        record Granted(String node, Plan.Choice choice) implements Because {}

        /** The item is pending. */
        record Waits(Plan.Diagnosis diagnosis, List<Funnel> funnels) implements Because {
            public Waits {
                funnels = List.copyOf(funnels);
            }
        }
    }
}
