package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The existing claims by UID. */
final class ClaimIndex implements RowIndex {
    private final Map<String, ObjectKey> keys = new LinkedHashMap<>();

    @Override
    public void add(Row row) {
        if (row instanceof ObservedRow.ObjectRow object
                && object.content().orElse(null) instanceof ResourceClaim claim) {
            keys.put(claim.meta().uid(), claim.key());
        }
    }

    @Override
    public void remove(Row row) {
        if (row instanceof ObservedRow.ObjectRow object
                && object.content().orElse(null) instanceof ResourceClaim claim) {
            keys.remove(claim.meta().uid(), claim.key());
        }
    }

    /** The key of the existing claim with this UID. */
    Optional<ObjectKey> withUid(String uid) {
        return Optional.ofNullable(keys.get(uid));
    }
}
