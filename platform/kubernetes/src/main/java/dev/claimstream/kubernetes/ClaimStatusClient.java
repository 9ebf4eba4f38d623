package dev.claimstream.kubernetes;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.status.Difference;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reads ResourceClaims and writes {@code ResourceClaim.status}.
 *
 * <p>Implementations are {@code ApiCluster} (an API server) and {@code MiniatureCluster}. They are safe for use by several threads. No
 * method retries; the caller decides on retries.
 */
public interface ClaimStatusClient {
    /** Field manager of all writes of Claimstream. */
    String WRITER = "claimstream-writer";

    /**
     * Reads a claim and the field manager of its allocation, if the API server reports one.
     *
     * @return absent if there is no claim of this name
     * @throws ClusterFault if the cluster does not respond
     */
    Optional<VersionedObject> read(ObjectKey claim);

    /**
     * Returns the claim with this uid from the watch cache, otherwise the claim from the server.
     *
     * <p>A cached claim may be stale. It is sufficient for a write, because the write names its version. A claim leaves the cache when it
     * is written or changes.
     *
     * @return absent if there is no claim of this name; without a cached claim it may have another uid
     * @throws ClusterFault if the cluster does not respond
     */
    default Optional<VersionedObject> readCached(ObjectKey claim, String uid) {
        return read(claim);
    }

    /**
     * Reads a device class.
     *
     * @return absent if there is no class of this name
     * @throws ClusterFault if the cluster does not respond, or denies access
     */
    Optional<VersionedObject> readClass(String name);

    /**
     * Annotation of a claim that a writer is about to deallocate.
     *
     * <p>The value contains the id of the decision log, the uid of the claim and the number of the decision. While the annotation is set,
     * no writer removes the scheduling gate from a pod that uses the claim. Any write to the claim in between, including the removal of the
     * annotation, makes the deallocation of that writer fail with a conflict.
     */
    String DEALLOCATION_ANNOTATION = "claimstream.dev/deallocation";

    /**
     * Sets or removes {@link #DEALLOCATION_ANNOTATION} in one write, conditional on the uid and version of the claim.
     *
     * @param text value of the annotation; absent: the annotation is removed
     */
    default WriteResult setDeallocationMark(VersionedObject claim, Optional<String> text) {
        return new WriteResult.Success(claim.version());
    }

    /**
     * Returns the id of the decision log, or {@code -} if the log has no id.
     *
     * <p>Decision numbers are comparable within one log only.
     */
    default String logId() {
        return "-";
    }

    /** Returns whether nothing can be written yet, because the lease of the log is not acquired. */
    default boolean isLeasePending() {
        return false;
    }

    /** Returns a resourceVersion that an object of the cluster has had, from which a restore of the cluster can be seen; 0 if unknown. */
    default long knownVersion() {
        return 0;
    }

    /** Writes a change in one request, conditional on the uid and version of the claim. */
    WriteResult write(StatusChange change);

    /**
     * A conditional write of {@code ResourceClaim.status}.
     *
     * @param uid of the claim for which the decision was made
     * @param version {@code resourceVersion} of the claim as it was read; the write fails if the claim has another one
     * @param scope fields that are written
     * @param allocation new value of {@code status.allocation}; absent: no allocation
     * @param reservedFor complete new value of {@code status.reservedFor}
     */
    record StatusChange(
            ObjectKey claim,
            String uid,
            long version,
            WriteScope scope,
            Optional<Allocation> allocation,
            List<ClaimConsumer> reservedFor) {
        public StatusChange {
            reservedFor = List.copyOf(reservedFor);
        }

        /** Creates a change of allocation and consumers. */
        public StatusChange(
                ObjectKey claim,
                String uid,
                long version,
                Optional<Allocation> allocation,
                List<ClaimConsumer> reservedFor) {
            this(claim, uid, version, WriteScope.ALL, allocation, reservedFor);
        }

        /** Allocates devices to a pending claim and reserves the claim for its consumers. */
        public static StatusChange allocate(
                ObjectKey claim, String uid, long version, Allocation allocation, List<ClaimConsumer> reservedFor) {
            return new StatusChange(claim, uid, version, WriteScope.ALL, Optional.of(allocation), reservedFor);
        }

        /** Reserves an allocated claim for consumers and keeps its allocation. */
        public static StatusChange reserve(
                ObjectKey claim, String uid, long version, Allocation there, List<ClaimConsumer> reservedFor) {
            return new StatusChange(claim, uid, version, WriteScope.CONSUMERS, Optional.of(there), reservedFor);
        }

        /** Deallocates a claim: removes its allocation and all its consumers. */
        public static StatusChange deallocate(ObjectKey claim, String uid, long version) {
            return new StatusChange(claim, uid, version, WriteScope.ALL, Optional.empty(), List.of());
        }

        /** Advances the version of a pending claim, so that no writer can commit a decision for the old version. */
        public static StatusChange invalidateDecisions(ObjectKey claim, String uid, long version) {
            return new StatusChange(claim, uid, version, WriteScope.VERSION, Optional.empty(), List.of());
        }
    }

    /** Fields of the status that a change writes. */
    enum WriteScope {
        /** Allocation and consumers. */
        ALL,
        /** Consumers only; the stored allocation stays unchanged, including fields that Claimstream does not know. */
        CONSUMERS,
        /** No field of the status; only the {@code resourceVersion} of the claim advances. */
        VERSION
    }

    /** Result of a write; one case means no response. */
    sealed interface WriteResult {
        /**
         * The write is stored as requested.
         *
         * @param version new {@code resourceVersion}
         * @param auditId id of the request in the audit log of the API server; empty if the server sent none
         */
        record Success(long version, String auditId) implements WriteResult {
            /** Creates a result without an id. */
            public Success(long version) {
                this(version, "");
            }
        }

        /**
         * The write is stored, but some fields differ from the request.
         *
         * <p>An API server drops the fields of a disabled feature gate, and a mutating webhook can change any field.
         */
        record SuccessWithDifferences(long version, List<Difference> differences) implements WriteResult {
            public SuccessWithDifferences {
                differences = List.copyOf(differences);
            }
        }

        /** The object has another version, or the claim is allocated already. Read it again before the next write. */
        record Conflict() implements WriteResult {}

        /** The claim does not exist, or a claim of the same name has another uid. */
        record NotFound() implements WriteResult {}

        /** The cluster rejects the write for good, for example by validation. */
        record Rejected(String message) implements WriteResult {}

        /**
         * The identity of the writer lacks a permission, or a policy forbids the write.
         *
         * <p>The decision itself is valid. An operator has to follow the remedy.
         */
        record Forbidden(String message, String remedy) implements WriteResult {}

        /**
         * The cluster throttles the client.
         *
         * @param retryAfter time to wait before the next request
         */
        record TooManyRequests(String message, Duration retryAfter) implements WriteResult {}

        /** The outcome is not known, for example after a timeout. Read the claim before the next write. */
        record Unknown(String message) implements WriteResult {}
    }
}
