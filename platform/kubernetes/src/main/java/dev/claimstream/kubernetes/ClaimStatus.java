package dev.claimstream.kubernetes;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.Optional;

/** Writes {@code ResourceClaim.status}. */
public interface ClaimStatus {
    /**
     * The claim as it stands.
     *
     * @throws ClusterFault where the cluster does not answer
     */
    Optional<Versioned> read(ObjectKey claim);

    /** Sets allocation and consumers in one write, if the claim is still the same object at that version. */
    Answer write(Change change);

    /**
     * A write.
     *
     * @param uid of the claim that was decided
     * @param version that the write was made for
     */
    record Change(
            ObjectKey claim, String uid, long version, Optional<Allocation> allocation, List<Consumer> reservedFor) {
        public Change {
            reservedFor = List.copyOf(reservedFor);
        }
    }

    /** What the cluster said. */
    sealed interface Answer {
        /** It is written. */
        record Written(long version) implements Answer {}

        /** The claim has changed since: read again. */
        record Changed() implements Answer {}

        /** There is no such claim any more. */
        record Missing() implements Answer {}

        /** The cluster does not take it, and will not take it later either. */
        record Refused(String why) implements Answer {}

        /** Nobody knows whether it was written: read before the next try. */
        record Unknown(String why) implements Answer {}
    }
}
