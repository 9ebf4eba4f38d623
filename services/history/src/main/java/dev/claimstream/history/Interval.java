package dev.claimstream.history;

import java.util.List;
import java.util.Map;

/**
 * The time in which a claim holds a device or a share of it. Times are microseconds since 1970; 0 stands for none.
 *
 * @param share the shareID; empty for a whole device
 * @param consumed consumed amount per capacity
 * @param weight part of the device, from 0 to 1; 1 for a whole device
 * @param node the node for which the device was chosen; empty if it is not known
 * @param pods names of the pods that the claim was reserved for, in the order of their first reservation
 * @param labels labels of the pod, or of a claim without pod, at the allocation
 * @param allocator {@link #CLAIMSTREAM}, or {@link #OBSERVED} for an allocation that was first seen in the status of the claim
 * @param decision number of the last decision; 0 for an observed allocation
 * @param inStatus whether the status of the claim has shown the allocation
 * @param order {@code revoked} or {@code deallocated} after such a decision; else empty
 * @param releasedMicros 0 while the claim holds the device
 * @param cause why the interval ended; empty while it has not
 */
public record Interval(
        String driver,
        String pool,
        String device,
        String share,
        boolean adminAccess,
        Map<String, String> consumed,
        double weight,
        String claimUid,
        String namespace,
        String claim,
        String request,
        String deviceClass,
        String node,
        List<String> pods,
        Map<String, String> labels,
        String allocator,
        int cell,
        long decision,
        boolean inStatus,
        String order,
        long allocatedMicros,
        long committedMicros,
        long releasedMicros,
        String cause) {
    /** Allocator of intervals that begin with a decision. */
    public static final String CLAIMSTREAM = "claimstream";

    /** Allocator of intervals that begin with an observed status. */
    public static final String OBSERVED = "observed";

    public Interval {
        consumed = Map.copyOf(consumed);
        pods = List.copyOf(pods);
        labels = Map.copyOf(labels);
    }

    /** The device as text: driver/pool/name. */
    public String deviceKey() {
        return driver + "/" + pool + "/" + device;
    }

    /** Whether this is the device and the share of an allocation. */
    boolean isOf(AllocatedDevice allocated) {
        return device.equals(allocated.device().device())
                && pool.equals(allocated.device().pool())
                && driver.equals(allocated.device().driver())
                && share.equals(allocated.share());
    }

    /** A text that no other open interval has: claim, device, share and request. */
    public String id() {
        return claimUid + "/" + deviceKey() + "/" + share + "/" + request;
    }

    /** Whether this is the other interval, perhaps in another state. */
    boolean hasIdOf(Interval other) {
        return claimUid.equals(other.claimUid)
                && device.equals(other.device)
                && pool.equals(other.pool)
                && driver.equals(other.driver)
                && share.equals(other.share)
                && request.equals(other.request);
    }

    Interval decided(long number, int newCell, String newNode, List<String> newPods) {
        return with(
                newNode.isEmpty() ? node : newNode,
                newPods,
                CLAIMSTREAM,
                newCell,
                number,
                inStatus,
                order,
                committedMicros,
                releasedMicros,
                cause);
    }

    Interval withPods(List<String> newPods) {
        return with(node, newPods, allocator, cell, decision, inStatus, order, committedMicros, releasedMicros, cause);
    }

    Interval shown(long atMicros) {
        return with(
                node,
                pods,
                allocator,
                cell,
                decision,
                true,
                order,
                committedMicros == 0 ? atMicros : committedMicros,
                releasedMicros,
                cause);
    }

    Interval committed(long atMicros) {
        return with(node, pods, allocator, cell, decision, inStatus, order, atMicros, releasedMicros, cause);
    }

    Interval ordered(String newOrder) {
        return with(node, pods, allocator, cell, decision, inStatus, newOrder, committedMicros, releasedMicros, cause);
    }

    Interval released(long atMicros, String reason) {
        return with(node, pods, allocator, cell, decision, inStatus, order, committedMicros, atMicros, reason);
    }

    private Interval with(
            String newNode,
            List<String> newPods,
            String newAllocator,
            int newCell,
            long newDecision,
            boolean nowShown,
            String newOrder,
            long committed,
            long released,
            String newCause) {
        return new Interval(
                driver,
                pool,
                device,
                share,
                adminAccess,
                consumed,
                weight,
                claimUid,
                namespace,
                claim,
                request,
                deviceClass,
                newNode,
                newPods,
                labels,
                newAllocator,
                newCell,
                newDecision,
                nowShown,
                newOrder,
                allocatedMicros,
                committed,
                released,
                newCause);
    }
}
