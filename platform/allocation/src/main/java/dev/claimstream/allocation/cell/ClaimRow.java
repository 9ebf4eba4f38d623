package dev.claimstream.allocation.cell;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A row of a claim, by its UID: what the cell decided for it, and what the cluster rejected. */
public sealed interface ClaimRow extends Row {
    /**
     * An allocation that this cell decided for a claim. It counts while the claim's status has none.
     *
     * @param number of the decision, unique in the cell
     * @param node the node for which the devices were chosen
     * @param claimVersion version of the claim at the decision
     */
    record AllocationRow(
            ObjectKey claim,
            String claimUid,
            long number,
            ItemId item,
            String node,
            Allocation allocation,
            List<ClaimConsumer> reservedFor,
            long claimVersion,
            CommitState commitState)
            implements ClaimRow {
        static final RowRange<AllocationRow> ALL = new RowRange<>(AllocationRow.class, "allocation/");

        public AllocationRow {
            reservedFor = List.copyOf(reservedFor);
        }

        /** How far the writer has committed the allocation. Names are stored in the changelog. */
        public enum CommitState {
            /** Decided, not yet confirmed by the writer. */
            DECIDED,
            /** The writer has confirmed the allocation in the claim's status. */
            COMMITTED,
            /**
             * Decided in observe-only mode, never published. No writer commits it; the devices are free if the row is
             * dropped.
             */
            OBSERVED,
            /** Revoked. The devices are free once the writer confirms that the claim does not have them. */
            REVOKED
        }

        /** Whether the allocation was decided in observe-only mode. */
        boolean isObserved() {
            return commitState == CommitState.OBSERVED;
        }

        /** Whether the allocation is in effect and neither confirmed by the writer nor revoked. */
        boolean isUnconfirmed() {
            return commitState == CommitState.DECIDED || commitState == CommitState.OBSERVED;
        }

        /** Returns a builder of an allocation that was decided for no consumers, without a node and numbers. */
        public static AllocationRowBuilder builder(
                ObjectKey claim, String claimUid, ItemId item, Allocation allocation) {
            return new AllocationRowBuilder(claim, claimUid, item, allocation);
        }

        /** Returns a builder with the components of this record. */
        public AllocationRowBuilder toBuilder() {
            return builder(claim, claimUid, item, allocation)
                    .number(number)
                    .node(node)
                    .reservedFor(reservedFor)
                    .claimVersion(claimVersion)
                    .commitState(commitState);
        }

        AllocationRow with(CommitState other) {
            return toBuilder().commitState(other).build();
        }

        /** The same decision with the allocation that the claim has now. */
        AllocationRow with(Allocation other) {
            return toBuilder().allocation(other).build();
        }

        /** The same devices under a new decision for the current version of the claim. */
        AllocationRow withDecision(long newNumber, List<ClaimConsumer> consumers, long version) {
            return toBuilder()
                    .number(newNumber)
                    .reservedFor(consumers)
                    .claimVersion(version)
                    .build();
        }

        Decision.DecisionResult.Allocated result() {
            return new Decision.DecisionResult.Allocated(node, allocation, reservedFor, claimVersion);
        }

        static RowKey<AllocationRow> key(String claimUid) {
            return ALL.key(claimUid);
        }

        @Override
        public String key() {
            return key(claimUid).text();
        }
    }

    /**
     * The cluster rejected the allocation of a claim. The claim stays pending until it is changed.
     *
     * @param claimVersion the rejection applies to versions up to this one, including the writer's own writes; 0 for
     *     unknown: any change ends the rejection
     */
    record RejectionRow(String claimUid, String message, long claimVersion) implements ClaimRow {
        static final RowRange<RejectionRow> ALL = new RowRange<>(RejectionRow.class, "rejection/");

        boolean appliesTo(long version) {
            return version <= claimVersion;
        }

        static RowKey<RejectionRow> key(String claimUid) {
            return ALL.key(claimUid);
        }

        @Override
        public String key() {
            return key(claimUid).text();
        }
    }

    /**
     * A decided deallocation: the writer is to clear a claim's allocation.
     *
     * <p>The allocation keeps the only pod that uses the claim from every node that the pod could run on.
     *
     * @param number of the decision
     * @param claimVersion version of the claim at the decision; of a rejection, the version up to which it applies, 0
     *     for until any change
     * @param item the pod
     * @param podUid UID of the pod
     * @param rejection why the writer did not clear the claim; absent while the writer is to do it
     */
    record DeallocationRow(
            ObjectKey claim,
            String claimUid,
            long number,
            long claimVersion,
            ItemId item,
            String podUid,
            Optional<String> rejection)
            implements ClaimRow {
        static final RowRange<DeallocationRow> ALL = new RowRange<>(DeallocationRow.class, "deallocation/");

        /** Whether the writer still has to clear the claim. */
        boolean isActive() {
            return rejection.isEmpty();
        }

        DeallocationRow withRejection(String reason, long upTo) {
            return new DeallocationRow(claim, claimUid, number, upTo, item, podUid, Optional.of(reason));
        }

        static RowKey<DeallocationRow> key(String claimUid) {
            return ALL.key(claimUid);
        }

        @Override
        public String key() {
            return key(claimUid).text();
        }
    }

    /**
     * Quarantine of the devices of a force-deleted pod, whose containers may still run.
     *
     * <p>The devices are not allocated, even if the claim is cleared.
     *
     * @param until end of the quarantine
     */
    record QuarantineRow(ObjectKey claim, String claimUid, Allocation allocation, Instant until) implements ClaimRow {
        static final RowRange<QuarantineRow> ALL = new RowRange<>(QuarantineRow.class, "quarantine/");

        static RowKey<QuarantineRow> key(String claimUid) {
            return ALL.key(claimUid);
        }

        @Override
        public String key() {
            return key(claimUid).text();
        }
    }
}
