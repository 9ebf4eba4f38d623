package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A claim with its last decision, explanation and commit outcome.
 *
 * @param claim as the cluster contains it
 * @param source of the records of the claim
 * @param lastDecision last decision
 * @param explanation of the work item of the decision
 * @param time when the explanation was true
 * @param outcome commit outcome of the last decision
 * @param bindings bound pods among the consumers
 * @param unmanagedClasses the claim's classes if all of them are unmanaged, else empty
 * @param unevaluatedFields pod fields that may exclude nodes and that the decision does not evaluate
 */
public record ClaimView(
        ResourceClaim claim,
        Optional<String> source,
        Optional<TimedDecision> lastDecision,
        Optional<Explanation> explanation,
        Optional<ExplanationTime> time,
        Optional<ReportedOutcome> outcome,
        List<PodBindings.PodBinding> bindings,
        List<String> unmanagedClasses,
        List<String> unevaluatedFields) {
    /** Source of the records that the watcher publishes of the cluster's objects. */
    private static final String WATCHER = "watcher";

    public ClaimView {
        bindings = List.copyOf(bindings);
        unmanagedClasses = List.copyOf(unmanagedClasses);
        unevaluatedFields = List.copyOf(unevaluatedFields);
    }

    /**
     * A decision.
     *
     * @param at timestamp of the input that led to the decision
     */
    public record TimedDecision(Decision decision, Instant at) {}

    /**
     * The commit outcome of a decision, as the writer reports it.
     *
     * @param number of the decision
     * @param text {@code committed}, {@code rejected}, {@code superseded}, {@code conflict} or {@code deleted}
     * @param auditId id of the write in the audit log of the API server; empty if there is none
     * @param at time of the outcome
     */
    public record ReportedOutcome(long number, String text, String message, String auditId, Instant at) {}

    /** Returns namespace and name of the claim. */
    public ObjectKey key() {
        return claim.key();
    }

    /** Returns the state, as {@link ClaimStateText} describes it. */
    public String state() {
        return ClaimStateText.of(
                claim.meta().deleting(),
                allocation().isPresent(),
                !reservedFor().isEmpty());
    }

    /** Returns whether the claim has neither a decision nor an allocation, and is not being deleted. */
    boolean isUnprocessed() {
        return lastDecision.isEmpty() && allocation().isEmpty() && !claim.meta().deleting();
    }

    /** Returns the allocation: of the decision, else of the claim's status. */
    public Optional<Allocation> allocation() {
        return allocatedDecision()
                .map(Decision.DecisionResult.Allocated::allocation)
                .or(claim::allocation);
    }

    /** Returns whether the claim has an unmanaged allocation. */
    public boolean isUnmanagedAllocation() {
        return !unmanagedClasses.isEmpty() && allocation().isPresent();
    }

    /** Returns the consumers of the claim. */
    public List<ClaimConsumer> reservedFor() {
        return reservedFor(claim, lastDecision);
    }

    /** Returns the consumers of a claim: those of the decision that allocated it, else those of its status. */
    static List<ClaimConsumer> reservedFor(ResourceClaim claim, Optional<TimedDecision> lastDecision) {
        return result(lastDecision, Decision.DecisionResult.Allocated.class)
                .map(Decision.DecisionResult.Allocated::reservedFor)
                .orElse(claim.reservedFor());
    }

    /**
     * Returns the pods that the claim is reserved for: of the status if it has an allocation, else of the decision.
     * For a pending claim it returns the pod that the claim is pending for, if known. Other consumers have their resource before the
     * name.
     */
    public List<String> pods() {
        List<ClaimConsumer> consumers = isAllocatedInCluster() ? claim.reservedFor() : reservedFor();
        return consumers.isEmpty() && !isAllocatedInCluster()
                ? pendingPod().stream().toList()
                : consumers.stream().map(ClaimView::consumerText).toList();
    }

    private boolean isAllocatedInCluster() {
        return claim.allocation().isPresent();
    }

    private static String consumerText(ClaimConsumer consumer) {
        return consumer.resource().equals("pods") ? consumer.name() : consumer.resource() + "/" + consumer.name();
    }

    private Optional<String> pendingPod() {
        return lastDecision
                .filter(_ -> pendingDecision().isPresent())
                .map(each -> each.decision().item())
                .filter(item -> item.kind() == ItemId.ItemKind.POD)
                .map(item -> item.key().name())
                .or(() -> claim.meta().controller().filter(Owner::isPod).map(Owner::name));
    }

    /** Returns the decision that allocated the claim. */
    public Optional<Decision.DecisionResult.Allocated> allocatedDecision() {
        return result(lastDecision, Decision.DecisionResult.Allocated.class);
    }

    /** Returns the decision that left the claim pending. An allocation in the status is newer than such a decision. */
    public Optional<Decision.DecisionResult.Pending> pendingDecision() {
        return result(lastDecision, Decision.DecisionResult.Pending.class)
                .filter(_ -> claim.allocation().isEmpty())
                .map(pending -> ClaimResult.withCurrentMessage(pending, explanation));
    }

    /** Returns when the devices of the claim became free; empty if a later decision exists. */
    public Optional<Instant> releasedAt() {
        return lastDecision
                .filter(each -> each.decision().result() instanceof Decision.DecisionResult.Released)
                .map(TimedDecision::at);
    }

    private static <T extends Decision.DecisionResult> Optional<T> result(
            Optional<TimedDecision> decision, Class<T> type) {
        return decision.map(each -> each.decision().result())
                .filter(type::isInstance)
                .map(type::cast);
    }

    /** Returns whether the status contains the decided devices and consumers. */
    public boolean isCommitted() {
        return claim.allocation().isPresent()
                && allocatedDecision()
                        .map(allocated -> devices(allocated.allocation())
                                        .equals(devices(claim.allocation().orElseThrow()))
                                && claim.reservedFor().containsAll(allocated.reservedFor()))
                        .orElse(true);
    }

    private static List<?> devices(Allocation allocation) {
        return allocation.results().stream().map(result -> result.device()).toList();
    }

    /**
     * Returns whether another producer has published the claim, and the writer has not found it in the cluster.
     * Its allocation is only in the log. A claim of the watcher that the writer does not find is being deleted.
     */
    boolean isForeign() {
        return claim.allocation().isEmpty()
                && source.filter(WATCHER::equals).isEmpty()
                && outcome.filter(each -> each.text().equals("deleted")).isPresent();
    }

    /** Returns the input for an explanation: the claim as it was before Claimstream allocated it. */
    public ClaimResult result() {
        return new ClaimResult(
                allocatedDecision().isPresent()
                        ? new ResourceClaim(claim.meta(), claim.spec(), Optional.empty(), List.of())
                        : claim,
                lastDecision.map(TimedDecision::decision),
                explanation,
                pendingDecision().flatMap(_ -> time),
                unmanagedClasses,
                unevaluatedFields);
    }
}
