package dev.claimstream.kubernetes;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ObjectKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Writes {@code ResourceClaim.status}. */
public interface ClaimStatus {
    /** The field manager of our writes. */
    String WRITER = "claimstream-writer";

    /**
     * The claim as it stands, with who allocated it, where there is an API server that says so.
     *
     * @throws ClusterFault where the cluster does not answer
     */
    Optional<Versioned> read(ObjectKey claim);

    /**
     * The claim of this uid as it stood a moment ago, if that is known; else whatever stands there. Enough for a write, which names its
     * version; what was written once, or has changed, is not recalled again.
     *
     * @throws ClusterFault where the cluster does not answer
     */
    default Optional<Versioned> recall(ObjectKey claim, String uid) {
        return read(claim);
    }

    /**
     * The annotation of a claim that a writer is about to deallocate: the log of the decision, the uid of the claim and the number of the
     * decision. While it stands, no writer takes the gate from a pod that uses the claim. Any write of the claim, its removal as well, keeps
     * that writer from clearing the claim.
     */
    String DEALLOCATION = "claimstream.dev/deallocation";

    /**
     * Sets or removes {@link #DEALLOCATION} in one write, if the claim is still the same object at that version.
     *
     * @param text of the annotation; absent: the annotation is removed
     */
    default Answer mark(Versioned claim, Optional<String> text) {
        return new Answer.Written(claim.version());
    }

    /** The log whose decisions are written: numbers of decisions are compared within one log. {@code -} if it has no identity. */
    default String log() {
        return "-";
    }

    /** Sets what a change names in one write, if the claim is still the same object at that version. */
    Answer write(Change change);

    /**
     * A write.
     *
     * @param uid of the claim that was decided
     * @param version that the write was made for
     * @param allocation that the claim is to have
     * @param reservedFor all that the claim is to have
     */
    record Change(
            ObjectKey claim,
            String uid,
            long version,
            Part part,
            Optional<Allocation> allocation,
            List<Consumer> reservedFor) {
        public Change {
            reservedFor = List.copyOf(reservedFor);
        }

        /** All of it. */
        public Change(
                ObjectKey claim,
                String uid,
                long version,
                Optional<Allocation> allocation,
                List<Consumer> reservedFor) {
            this(claim, uid, version, Part.ALL, allocation, reservedFor);
        }

        /** A claim without devices is given these, and its consumers. */
        public static Change allocate(
                ObjectKey claim, String uid, long version, Allocation allocation, List<Consumer> reservedFor) {
            return new Change(claim, uid, version, Part.ALL, Optional.of(allocation), reservedFor);
        }

        /** A claim that has these devices is given consumers. */
        public static Change reserve(
                ObjectKey claim, String uid, long version, Allocation there, List<Consumer> reservedFor) {
            return new Change(claim, uid, version, Part.CONSUMERS, Optional.of(there), reservedFor);
        }

        /** A claim is to have neither devices nor consumers. */
        public static Change clear(ObjectKey claim, String uid, long version) {
            return new Change(claim, uid, version, Part.ALL, Optional.empty(), List.of());
        }

        /** What was decided for this version of a claim without devices is not to be written any more, by whomever. */
        public static Change outdate(ObjectKey claim, String uid, long version) {
            return new Change(claim, uid, version, Part.VERSION, Optional.empty(), List.of());
        }
    }

    /** What of the status is written. */
    enum Part {
        /** Allocation and consumers. */
        ALL,
        /** The consumers; the allocation stays as it stands, with all that may be in it. */
        CONSUMERS,
        /** Nothing; the claim gets another version. */
        VERSION
    }

    /** What the cluster said. */
    sealed interface Answer {
        /** It is written. */
        record Written(long version) implements Answer {}

        /**
         * It is written, but not as it was asked for: a server leaves out what a feature gate is off for, and a webhook may change what
         * it likes.
         */
        record Altered(long version, List<Difference> differences) implements Answer {
            public Altered {
                differences = List.copyOf(differences);
            }
        }

        /** The claim has changed since: read again. */
        record Changed() implements Answer {}

        /** There is no such claim any more. */
        record Missing() implements Answer {}

        /** The cluster does not take it, and will not take it later either. */
        record Refused(String why) implements Answer {}

        /** We are not allowed to: nothing is wrong with what was decided, and an operator has to do something. */
        record NotAllowed(String why, String remedy) implements Answer {}

        /** The cluster has too much to do. */
        record SlowDown(String why, Duration pause) implements Answer {}

        /** Nobody knows whether it was written: read before the next try. */
        record Unknown(String why) implements Answer {}
    }
}
