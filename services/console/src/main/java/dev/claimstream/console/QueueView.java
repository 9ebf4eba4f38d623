package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.WorkItems;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The pending items in queue order, and what is wrong with some of them.
 *
 * @param items all pending items
 * @param findings of all namespaces
 */
record QueueView(List<QueuedItem> items, List<QueueFinding> findings) {
    static final String REPEATEDLY_REJECTED = "repeatedly-rejected";
    static final String NEVER_ALLOCATED = "never-allocated";

    /** From this number of rejected allocations on, or of more allocations, without a commit, a claim is a finding. */
    static final int REPEATED_MIN = 3;

    /** A class is a finding if a claim of it has been pending for this time, and none is allocated. */
    static final Duration NEVER_AFTER = Duration.ofMinutes(10);

    /**
     * A pending item.
     *
     * @param position from 1, among the items of all namespaces
     * @param created creation time of the pod or claim
     * @param since the time from which on it was pending for this reason
     * @param retries decisions on its claims after the first one
     * @param rejections allocations of its claims that were rejected since their last commit
     * @param ahead the item directly before it
     */
    record QueuedItem(
            int position,
            Rank rank,
            AllocationPlan.PendingDiagnosis diagnosis,
            Optional<Instant> created,
            Optional<Instant> since,
            long retries,
            long rejections,
            Optional<ItemId> ahead) {}

    /**
     * A claim or class that needs attention.
     *
     * @param kind {@code repeatedly-rejected} or {@code never-allocated}
     * @param namespaces the namespaces of the affected claims
     * @param subject the claim or class
     * @param since begin of its history
     * @param history reasons and rejections, in words
     */
    record QueueFinding(
            String kind, SequencedSet<String> namespaces, String subject, Instant since, List<String> history) {}

    static QueueView of(ClusterView.Snapshot snapshot, Instant now) {
        SortedMap<Rank, Explanation> pending = new TreeMap<>();
        ClusterView.Snapshot all = snapshot.everything(); // positions count the items of all namespaces
        all.explanations()
                .filter(each -> each.detail() instanceof Explanation.ExplanationDetail.Pending)
                .forEach(each -> rank(all, each.item()).ifPresent(rank -> pending.put(rank, each)));
        List<QueuedItem> items = new ArrayList<>();
        Optional<ItemId> ahead = Optional.empty();
        for (Map.Entry<Rank, Explanation> each : pending.entrySet()) {
            if (each.getValue().detail() instanceof Explanation.ExplanationDetail.Pending pendingDetail) {
                items.add(
                        item(all, items.size() + 1, each.getKey(), each.getValue(), pendingDetail.diagnosis(), ahead));
                ahead = Optional.of(each.getKey().item());
            }
        }
        List<QueueFinding> findings = new ArrayList<>();
        snapshot.claims().flatMap(claim -> repeated(snapshot, claim).stream()).forEach(findings::add);
        findings.addAll(neverAllocated(snapshot, now));
        items.removeIf(each -> !snapshot.visible().sees(each.rank().item().key().namespace()));
        return new QueueView(List.copyOf(items), List.copyOf(findings));
    }

    /** The rank of an item whose object exists. */
    private static Optional<Rank> rank(ClusterView.Snapshot snapshot, ItemId item) {
        return switch (item.kind()) {
            case POD -> snapshot.find(Kind.POD, item.key()).map(pod -> WorkItems.rank((Pod) pod));
            case CLAIM ->
                snapshot.find(Kind.RESOURCE_CLAIM, item.key()).map(claim -> WorkItems.rank((ResourceClaim) claim));
        };
    }

    private static QueuedItem item(
            ClusterView.Snapshot snapshot,
            int position,
            Rank rank,
            Explanation explanation,
            AllocationPlan.PendingDiagnosis diagnosis,
            Optional<ItemId> ahead) {
        List<ClaimAttempts> attempts = explanation.claims().stream()
                .flatMap(key -> snapshot.find(Kind.RESOURCE_CLAIM, key).stream())
                .map(claim -> snapshot.attempts(claim.meta().uid()))
                .toList();
        return new QueuedItem(
                position,
                rank,
                diagnosis,
                Optional.of(rank.created()).filter(Instant.EPOCH::isBefore),
                attempts.stream().flatMap(each -> each.since().stream()).max(Instant::compareTo),
                attempts.stream()
                        .mapToLong(each -> Math.max(0, each.decisions() - 1))
                        .max()
                        .orElse(0),
                attempts.stream().mapToLong(ClaimAttempts::rejections).sum(),
                ahead);
    }

    // ---- findings
    // --------------------------------------------------------------------------------------------------------------

    private static Optional<QueueFinding> repeated(ClusterView.Snapshot snapshot, ClaimView claim) {
        ClaimAttempts attempts = snapshot.attempts(claim.claim().meta().uid());
        if (attempts.rejections() < REPEATED_MIN && attempts.allocations() <= REPEATED_MIN) {
            return Optional.empty();
        }
        List<String> history = new ArrayList<>();
        history.add("allocated %d times, rejected %d times".formatted(attempts.allocations(), attempts.rejections()));
        if (!attempts.lastMessage().isEmpty()) {
            history.add("last rejection: " + attempts.lastMessage());
        }
        attempts.reasons().forEach(each -> history.add("pending since %s: %s".formatted(each.since(), each.reason())));
        return Optional.of(new QueueFinding(
                REPEATEDLY_REJECTED,
                namespaces(Stream.of(claim.key())),
                "claim " + claim.key(),
                attempts.reasons().isEmpty()
                        ? claim.claim().meta().created().orElse(Instant.EPOCH)
                        : attempts.reasons().getFirst().since(),
                history));
    }

    /** Classes of pending claims of which no claim is allocated. */
    private static List<QueueFinding> neverAllocated(ClusterView.Snapshot snapshot, Instant now) {
        SortedMap<String, List<ClaimView>> pending = new TreeMap<>();
        SequencedSet<String> allocated = new LinkedHashSet<>();
        snapshot.everything()
                .claims()
                .forEach(claim -> classes(claim.claim()).forEach(name -> {
                    if (claim.allocation().isPresent()) {
                        allocated.add(name);
                    } else if (claim.pendingDecision().isPresent()
                            && snapshot.visible().sees(claim.key().namespace())) {
                        pending.computeIfAbsent(name, _ -> new ArrayList<>()).add(claim);
                    }
                }));
        pending.keySet().removeAll(allocated);
        List<QueueFinding> findings = new ArrayList<>();
        pending.forEach((name, claims) -> {
            Instant since = claims.stream()
                    .map(claim -> since(snapshot, claim).orElse(now))
                    .min(Instant::compareTo)
                    .orElse(now);
            if (!since.plus(NEVER_AFTER).isAfter(now)) {
                SortedMap<String, Long> reasons = new TreeMap<>();
                claims.forEach(claim -> claim.result()
                        .pendingDecision()
                        .ifPresent(pendingDetail ->
                                reasons.merge(pendingDetail.reason().toString(), 1L, Long::sum)));
                List<String> history = new ArrayList<>();
                history.add("%d claims pending, none allocated".formatted(claims.size()));
                reasons.forEach((reason, count) -> history.add("%d %s".formatted(count, reason)));
                findings.add(new QueueFinding(
                        NEVER_ALLOCATED,
                        namespaces(claims.stream().map(ClaimView::key)),
                        "class " + name,
                        since,
                        history));
            }
        });
        return findings;
    }

    private static Optional<Instant> since(ClusterView.Snapshot snapshot, ClaimView claim) {
        ClaimAttempts attempts = snapshot.attempts(claim.claim().meta().uid());
        return attempts.reasons().isEmpty()
                ? Optional.empty()
                : Optional.of(attempts.reasons().getFirst().since());
    }

    private static SequencedSet<String> namespaces(Stream<ObjectKey> claims) {
        SequencedSet<String> names = new LinkedHashSet<>();
        claims.map(ObjectKey::namespace).sorted().forEach(names::add);
        return names;
    }

    private static Stream<String> classes(ResourceClaim claim) {
        return claim.spec().requests().stream()
                .flatMap(request -> switch (request) {
                    case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec());
                    case DeviceRequest.FirstAvailable first ->
                        first.alternatives().stream().map(DeviceRequest.Alternative::spec);
                    case DeviceRequest.UnknownRequest _ -> Stream.empty();
                })
                .map(spec -> spec.deviceClassName())
                .distinct();
    }
}
