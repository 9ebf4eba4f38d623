package dev.claimstream.kubernetes;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ObjectKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reads ResourceClaims and writes {@code ResourceClaim.status}.
 *
 * <p>Implementations are {@code ApiCluster} (an API server) and {@code MiniatureCluster}. They are safe for use by several threads. No
 * method retries; the caller decides on retries.
 */
public interface ClaimStatus {
    /** Field manager of all writes of Claimstream. */
    String WRITER = "claimstream-writer";

    /**
     * Reads a claim and the field manager of its allocation, if the API server reports one.
     *
     * @return absent if there is no claim of this name
     * @throws ClusterFault if the cluster does not answer
     */
    Optional<Versioned> read(ObjectKey claim);

    /**
     * Returns the claim with this uid from the watch cache, otherwise the claim from the server.
     *
     * <p>A cached claim may be stale. It is sufficient for a write, because the write names its version. A claim leaves the cache when it
     * is written or changes.
     *
     * @return absent if there is no claim of this name; without a cached claim it may have another uid
     * @throws ClusterFault if the cluster does not answer
     */
    default Optional<Versioned> recall(ObjectKey claim, String uid) {
        return read(claim);
    }

    /**
     * Annotation of a claim that a writer is about to deallocate.
     *
     * <p>The value contains the id of the decision log, the uid of the claim and the number of the decision. While the annotation is set,
     * no writer removes the scheduling gate from a pod that uses the claim. Any write to the claim in between, including the removal of the
     * annotation, makes the deallocation of that writer fail with a conflict.
     */
    String DEALLOCATION = "claimstream.dev/deallocation";

    /**
     * Sets or removes {@link #DEALLOCATION} in one write, conditional on the uid and version of the claim.
     *
     * @param text value of the annotation; absent: the annotation is removed
     */
    default Answer mark(Versioned claim, Optional<String> text) {
        return new Answer.Written(claim.version());
    }

    /**
     * Returns the id of the decision log, or {@code -} if the log has no id.
     *
     * <p>Decision numbers are comparable within one log only.
     */
    default String log() {
        return "-";
    }

    /** Writes a change in one request, conditional on the uid and version of the claim. */
    Answer write(Change change);

    /**
     * A conditional write of {@code ResourceClaim.status}.
     *
     * @param uid of the claim for which the decision was made
     * @param version {@code resourceVersion} for which the decision was made
     * @param part fields that are written
     * @param allocation new value of {@code status.allocation}; absent: no allocation
     * @param reservedFor complete new value of {@code status.reservedFor}
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

        /** Creates a change of allocation and consumers. */
        public Change(
                ObjectKey claim,
                String uid,
                long version,
                Optional<Allocation> allocation,
                List<Consumer> reservedFor) {
            this(claim, uid, version, Part.ALL, allocation, reservedFor);
        }

        /** Allocates devices to a pending claim and reserves the claim for its consumers. */
        public static Change allocate(
                ObjectKey claim, String uid, long version, Allocation allocation, List<Consumer> reservedFor) {
            return new Change(claim, uid, version, Part.ALL, Optional.of(allocation), reservedFor);
        }

        /** Reserves an allocated claim for consumers and keeps its allocation. */
        public static Change reserve(
                ObjectKey claim, String uid, long version, Allocation there, List<Consumer> reservedFor) {
            return new Change(claim, uid, version, Part.CONSUMERS, Optional.of(there), reservedFor);
        }

        /** Deallocates a claim: removes its allocation and all its consumers. */
        public static Change clear(ObjectKey claim, String uid, long version) {
            return new Change(claim, uid, version, Part.ALL, Optional.empty(), List.of());
        }

        /** Advances the version of a pending claim, so that no writer can commit a decision for the old version. */
        public static Change outdate(ObjectKey claim, String uid, long version) {
            return new Change(claim, uid, version, Part.VERSION, Optional.empty(), List.of());
        }
    }

    /** Fields of the status that a change writes. */
    enum Part {
        /** Allocation and consumers. */
        ALL,
        /** Consumers only; the stored allocation stays unchanged, including fields that Claimstream does not know. */
        CONSUMERS,
        /** No field of the status; only the {@code resourceVersion} of the claim advances. */
        VERSION
    }

    /** Result of a write. */
    sealed interface Answer {
        /**
         * The write is stored as requested.
         *
         * @param version new {@code resourceVersion}
         */
        record Written(long version) implements Answer {}

        /**
         * The write is stored, but some fields differ from the request.
         *
         * <p>An API server drops the fields of a disabled feature gate, and a mutating webhook can change any field.
         */
        record Altered(long version, List<Difference> differences) implements Answer {
            public Altered {
                differences = List.copyOf(differences);
            }
        }

        /** Conflict: the claim has another version. Read it again before the next decision. */
        record Changed() implements Answer {}

        /** The claim does not exist, or a claim of the same name has another uid. */
        record Missing() implements Answer {}

        /** The cluster rejects the write for good, for example by validation. */
        record Refused(String why) implements Answer {}

        /**
         * The identity of the writer lacks a permission, or a policy forbids the write.
         *
         * <p>The decision itself is valid. An operator has to follow the remedy.
         */
        record NotAllowed(String why, String remedy) implements Answer {}

        /**
         * The cluster throttles the client.
         *
         * @param pause time to wait before the next request
         */
        record SlowDown(String why, Duration pause) implements Answer {}

        /** The outcome is not known, for example after a timeout. Read the claim before the next write. */
        record Unknown(String why) implements Answer {}
    }
}
