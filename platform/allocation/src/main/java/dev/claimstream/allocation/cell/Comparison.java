package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What Claimstream decided for a claim in observe-only mode, beside the allocation by kube-scheduler.
 *
 * <p>The last comparison of a claim counts.
 *
 * @param item the work item that the claim belongs to
 * @param since creation time of the pod that uses the claim, else of the claim; the wait starts here
 * @param decided the allocation that Claimstream decided
 * @param pending why Claimstream left the claim pending; empty if it decided an allocation, or has decided nothing yet
 * @param actual the allocation by kube-scheduler
 */
public record Comparison(
        ObjectKey claim,
        String claimUid,
        ItemId item,
        Optional<Instant> since,
        Optional<ComparedAllocation> decided,
        Optional<Reason> pending,
        Optional<ComparedAllocation> actual) {
    /**
     * An allocation in a comparison.
     *
     * @param node the node of the devices; empty if they are not local to one node
     * @param at time of the input that decided or showed it, in whole seconds
     */
    public record ComparedAllocation(String node, SortedSet<DeviceId> devices, Instant at) {
        public ComparedAllocation {
            devices = Collections.unmodifiableSortedSet(new TreeSet<>(devices));
        }
    }

    /** The result of a comparison. Its text is in records, meters and the command line. */
    public enum ComparisonResult {
        /** Same node, same devices. */
        SAME("same"),
        /** Same node, other devices. */
        OTHER_DEVICES("other-devices"),
        /** Other node. */
        OTHER_NODE("other-node"),
        /** kube-scheduler allocated the claim, and Claimstream left it pending. */
        ONLY_KUBE_SCHEDULER("only-kube-scheduler"),
        /** Claimstream decided an allocation, and kube-scheduler has not allocated the claim. */
        ONLY_CLAIMSTREAM("only-claimstream"),
        /** kube-scheduler allocated the claim before Claimstream had evaluated it: no statement is possible. */
        NOT_COMPARED("not-compared"),
        /** Neither has allocated the claim. */
        BOTH_PENDING("both-pending");

        private final String text;

        ComparisonResult(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    public ComparisonResult result() {
        if (decided.isPresent() && actual.isPresent()) {
            return result(decided.get(), actual.get());
        }
        if (decided.isPresent()) {
            return ComparisonResult.ONLY_CLAIMSTREAM;
        }
        if (actual.isEmpty()) {
            return ComparisonResult.BOTH_PENDING;
        }
        return pending.isPresent() ? ComparisonResult.ONLY_KUBE_SCHEDULER : ComparisonResult.NOT_COMPARED;
    }

    private static ComparisonResult result(ComparedAllocation decided, ComparedAllocation actual) {
        if (decided.devices().equals(actual.devices())) {
            return ComparisonResult.SAME;
        }
        boolean isOtherNode = !actual.node().isEmpty() && !decided.node().equals(actual.node());
        return isOtherNode ? ComparisonResult.OTHER_NODE : ComparisonResult.OTHER_DEVICES;
    }
}
