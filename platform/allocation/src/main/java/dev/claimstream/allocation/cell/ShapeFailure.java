package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Why a shape did not fit. Candidates are counted lazily, only for items that get the text. */
final class ShapeFailure {
    private final AllocationPlan.Pending unplaced;
    private final boolean isTransient;
    private Optional<PendingText> text = Optional.empty();
    private List<ObjectKey> textClaims = List.of();

    /** @param isTransient whether the shape waits for devices that an older offered item is about to get */
    ShapeFailure(AllocationPlan.Pending unplaced, boolean isTransient) {
        this.unplaced = unplaced;
        this.isTransient = isTransient;
    }

    /** The plan of the attempt that failed. */
    AllocationPlan.Pending plan() {
        return unplaced;
    }

    /** Whether an item with this reason needs no update. */
    boolean isReported(Optional<Reason> before) {
        return before.equals(Optional.of(unplaced.reason()))
                || (isTransient
                        && before.filter(Reason::isResolvedByDeallocation).isPresent());
    }

    /** @param claims claims of the item that gets the text. Texts of one shape differ only in claim names */
    PendingText text(List<ObjectKey> claims, Supplier<List<Funnel>> counted) {
        if (text.isEmpty()) {
            text = Optional.of(
                    PendingText.of(new Explanation.ExplanationDetail.Pending(unplaced.diagnosis(), counted.get())));
            textClaims = claims;
        }
        return text.get().forClaims(textClaims, claims);
    }
}
