import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/** The state of the topics and their violations. It assumes only what their schemas document. */
final class TopicConsistency {
    private static final String COLUMNS = "%-8s %9s %8s %10s %8s %10s %12s %9s %8s %8s %11s";

    static final String HEAD = COLUMNS.formatted(
            "time",
            "records",
            "claims",
            "allocated",
            "pending",
            "decisions",
            "allocations",
            "releases",
            "devices",
            "ledger",
            "violations");

    /** Tolerance for clocks of one machine, and for a record in flight during a decision. */
    private static final long CLOCK_TOLERANCE_MS = 10_000;

    private static final int TEXTS_MAX = 1000;
    private static final LedgerDecision MISSING = new LedgerDecision(-1, Long.MIN_VALUE, "missing");

    private final Duration patience;
    private final List<String> violations = new ArrayList<>();
    private int violationCount;

    private final PublishedInventory inventory = new PublishedInventory();
    private final ExistingClaims existing = new ExistingClaims();
    private final Map<Integer, Chain> chains = new HashMap<>();

    /** The claims of each device by decisions, and by the status of claims. More than one is a violation. */
    private final Map<String, Set<String>> decidedClaims = new HashMap<>();

    private final Map<String, Set<String>> committedClaims = new HashMap<>();

    /** By uid of the claim. */
    private final Map<String, ClaimDecision> decisions = new HashMap<>();

    private final Map<String, LedgerDecision> ledgerDecisions = new HashMap<>();
    private final List<UncheckedAllocation> unchecked = new ArrayList<>();

    /** Possible violations, which count only if they persist, with the time of their first check in ms. */
    private final Map<String, Long> pendingViolations = new LinkedHashMap<>();

    private final Set<String> reported = new HashSet<>();
    private long decisionCount;
    private long allocationCount;
    private long releaseCount;
    private long ledgerEventCount;

    /** @param patience maximum time until a delayed condition is met */
    TopicConsistency(Duration patience) {
        this.patience = patience;
    }

    record TopicPosition(String topic, int partition, long offset, long timestampMs) {
        @Override
        public String toString() {
            return "%s-%d@%d".formatted(topic, partition, offset);
        }
    }

    /**
     * The last decision of a claim.
     *
     * @param label kind and number of the decision
     * @param devices devices that are allocated to the claim
     * @param consumers uids of the consumers of the claim
     * @param request item and claim version of the allocation; empty without an allocation
     */
    private record ClaimDecision(
            String name, String label, Set<String> devices, Set<String> consumers, String request) {
        static ClaimDecision withoutDevices(String name, String label) {
            return new ClaimDecision(name, label, Set.of(), Set.of(), "");
        }

        ClaimDecision withLabel(String next) {
            return new ClaimDecision(name, next, devices, consumers, request);
        }

        boolean isAllocated() {
            return !devices.isEmpty();
        }

        boolean isPending() {
            return label.startsWith("pending");
        }

        String number() {
            return label.substring(label.indexOf('#'));
        }
    }

    /**
     * The last decision of a claim in the ledger. Each cell has a partition, and partitions are consumed in any order:
     * the number says which decision is later.
     */
    private record LedgerDecision(int partition, long number, String label) {
        LedgerDecision latest(LedgerDecision next) {
            return next.partition == partition || next.number >= number ? next : this;
        }
    }

    /** An allocation whose devices and node are not yet compared with the inventory. */
    private record UncheckedAllocation(
            TopicPosition position, String claim, String node, Set<String> devices, long atMs) {}

    // ---- records

    void addInventory(TopicPosition position, String key, GenericRecord record) {
        inventory.add(position, key, record);
    }

    void addClaim(TopicPosition position, String key, GenericRecord record) {
        existing.add(position, key, record).forEach(change -> changeStatus(position, change));
    }

    private void changeStatus(TopicPosition position, ExistingClaims.DeviceChange change) {
        for (String device : change.before()) {
            committedClaims.getOrDefault(device, Set.of()).remove(change.uid());
        }
        for (String device : change.after()) {
            Set<String> uids = addTo(committedClaims, device, change.uid());
            if (uids.size() > 1) {
                report("%s: device %s is in the status of claim %s and of another claim: %s"
                        .formatted(position, device, change.name(), uids));
            }
        }
    }

    private static Set<String> addTo(Map<String, Set<String>> claims, String device, String uid) {
        Set<String> uids = claims.computeIfAbsent(device, _ -> new TreeSet<>());
        uids.add(uid);
        return uids;
    }

    void addTombstone(TopicPosition position, String key) {
        switch (position.topic()) {
            case "decisions.v1" -> {
                ClaimDecision last = decisions.remove(key);
                ledgerDecisions.remove(key);
                if (last != null && last.isAllocated()) {
                    report("%s: tombstone of claim %s, which has devices %s"
                            .formatted(position, last.name, last.devices));
                }
            }
            case "inventory.v1" -> inventory.remove(position, key);
            case "claims.v1" -> existing.remove(key).forEach(change -> changeStatus(position, change));
            default -> report("%s: unexpected tombstone".formatted(position));
        }
    }

    void addUndecodable(TopicPosition position) {
        report("%s: record cannot be decoded".formatted(position));
    }

    void addLedgerEvent(TopicPosition position, byte[] bytes, GenericRecord event) {
        ledgerEventCount++;
        chains.computeIfAbsent(position.partition(), _ -> new Chain())
                .violation(position.offset(), bytes, event)
                .ifPresent(violation -> report(position + ": " + violation));
        if (event.get("decision") instanceof GenericRecord decision) {
            var latest = new LedgerDecision(
                    position.partition(), (long) decision.get("number"), AvroFields.decisionLabel(decision));
            ledgerDecisions.merge(AvroFields.text(decision, "claimUid"), latest, LedgerDecision::latest);
        }
    }

    void addDecision(TopicPosition position, GenericRecord decision) {
        decisionCount++;
        String uid = AvroFields.text(decision, "claimUid");
        String name = "%s/%s (%s)".formatted(decision.get("namespace"), decision.get("name"), uid);
        ClaimDecision last = decisions.getOrDefault(uid, ClaimDecision.withoutDevices(name, ""));
        String label = AvroFields.decisionLabel(decision);
        if (decision.get("allocated") instanceof GenericRecord allocated) {
            allocate(position, decision, uid, last, allocated);
        } else if (decision.get("revoked") instanceof GenericRecord) {
            if (!last.isAllocated()) {
                report("%s: %s of claim %s, which has no allocation".formatted(position, label, name));
            }
            decisions.put(uid, last.withLabel(label));
        } else if (decision.get("deallocation") instanceof GenericRecord) {
            decisions.put(uid, last); // the devices stay allocated until the release
        } else if (AvroFields.isTrue(decision, "released")) {
            release(position, uid, last, label);
        } else {
            if (last.isAllocated()) {
                report("%s: claim %s is pending, but has devices %s since %s, without a release"
                        .formatted(position, name, last.devices, last.label));
            }
            decisions.put(uid, ClaimDecision.withoutDevices(name, label));
        }
    }

    private void allocate(
            TopicPosition position, GenericRecord decision, String uid, ClaimDecision last, GenericRecord allocated) {
        allocationCount++;
        Set<String> devices = AvroFields.devices((GenericRecord) allocated.get("allocation"));
        var next = new ClaimDecision(
                last.name,
                AvroFields.decisionLabel(decision),
                devices,
                AvroFields.consumers(allocated),
                decision.get("item") + " " + allocated.get("claimVersion"));
        if (last.isAllocated()) {
            reportRepeatedAllocation(position, last, next);
            last.devices.forEach(device -> decidedClaims.get(device).remove(uid));
        }
        for (String device : devices) {
            Set<String> uids = addTo(decidedClaims, device, uid);
            if (uids.size() > 1) {
                report("%s: device %s is allocated to claim %s and to another claim: %s"
                        .formatted(position, device, last.name, uids));
            }
        }
        decisions.put(uid, next);
        unchecked.add(new UncheckedAllocation(
                position, last.name, AvroFields.text(allocated, "node"), devices, (long) decision.get("at") / 1000));
    }

    private void reportRepeatedAllocation(TopicPosition position, ClaimDecision last, ClaimDecision next) {
        if (!last.devices.equals(next.devices)) {
            report("%s: claim %s is allocated %s, but has devices %s since %s, without a release"
                    .formatted(position, last.name, next.devices, last.devices, last.label));
        } else if (last.consumers.equals(next.consumers) && last.request.equals(next.request)) {
            report("%s: claim %s has two equal decisions: %s after %s"
                    .formatted(position, last.name, next.label, last.label));
        }
    }

    private void release(TopicPosition position, String uid, ClaimDecision last, String label) {
        releaseCount++;
        ClaimDecision next = ClaimDecision.withoutDevices(last.name, label);
        if (!last.isAllocated()) {
            report("%s: %s of claim %s, which has no allocation".formatted(position, label, last.name));
        } else if (!last.number().equals(next.number())) {
            report("%s: release %s of claim %s, whose last decision is %s"
                    .formatted(position, next.number(), last.name, last.label));
        }
        last.devices.forEach(device -> decidedClaims.get(device).remove(uid));
        decisions.put(uid, next);
    }

    // ---- delayed checks

    /** Checks after the end of the topics was reached. A missing record is a violation if it stays missing. */
    void check(long nowMs) {
        check(nowMs, patience);
    }

    /** The same for topics without further records: a missing record is a violation at once. */
    void checkAtRest(long nowMs) {
        check(nowMs, Duration.ZERO);
    }

    private void check(long nowMs, Duration patience) {
        checkAllocations();
        Set<String> now = new LinkedHashSet<>();
        existing.each(claim -> checkStatus(claim, now));
        decisions.forEach((uid, decision) -> checkDecision(uid, decision, now));
        pendingViolations.keySet().retainAll(now);
        now.forEach(sentence -> {
            long since = pendingViolations.computeIfAbsent(sentence, _ -> nowMs);
            if (nowMs - since >= patience.toMillis() && reported.add(sentence)) {
                report("for %d s: %s".formatted((nowMs - since) / 1000, sentence));
            }
        });
    }

    private void checkStatus(ExistingClaims.Claim claim, Set<String> now) {
        ClaimDecision decision = decisions.get(claim.uid());
        if (decision == null) {
            if (claim.devices().isEmpty() && !claim.isDeleting()) {
                now.add("claim %s has no decision".formatted(claim));
            }
            return; // an allocation by another allocator needs no event
        }
        if (!decision.devices.equals(claim.devices()) && !decision.label.startsWith("revoked")) {
            now.add("the status of claim %s has devices %s, but its last decision is %s %s"
                    .formatted(claim, claim.devices(), decision.label, decision.devices));
        }
    }

    private void checkDecision(String uid, ClaimDecision decision, Set<String> now) {
        if (decision.isAllocated() && !existing.exists(uid)) {
            now.add("claim %s is deleted, but has devices %s".formatted(decision.name, decision.devices));
        }
        String inLedger = ledgerDecisions.getOrDefault(uid, MISSING).label;
        if (!decision.label.equals(inLedger)) {
            now.add("the last ledger event of claim %s is %s, but its last decision is %s"
                    .formatted(decision.name, inLedger, decision.label));
        }
    }

    private void checkAllocations() {
        unchecked.forEach(this::checkAllocation);
        unchecked.clear();
    }

    private void checkAllocation(UncheckedAllocation allocation) {
        long atMs = allocation.atMs - CLOCK_TOLERANCE_MS;
        for (String device : allocation.devices) {
            inventory
                    .deviceProblem(device, atMs)
                    .ifPresent(problem -> report("%s: claim %s is allocated device %s, which %s"
                            .formatted(allocation.position, allocation.claim, device, problem)));
        }
        if (!allocation.node.isEmpty()) {
            inventory
                    .nodeProblem(allocation.node, atMs)
                    .ifPresent(problem -> report("%s: claim %s is allocated on node %s, which %s"
                            .formatted(allocation.position, allocation.claim, allocation.node, problem)));
        }
    }

    // ---- violations and figures

    private void report(String sentence) {
        violationCount++;
        if (violations.size() < TEXTS_MAX) {
            violations.add(sentence);
        }
    }

    /** The first violations. */
    List<String> violations() {
        return Collections.unmodifiableList(violations);
    }

    int violationCount() {
        return violationCount;
    }

    /** Returns the figures in the columns of {@link #HEAD}. */
    String figures(String time, long records) {
        return COLUMNS.formatted(
                time,
                records,
                existing.count(),
                decisions.values().stream().filter(ClaimDecision::isAllocated).count(),
                decisions.values().stream().filter(ClaimDecision::isPending).count(),
                decisionCount,
                allocationCount,
                releaseCount,
                inventory.deviceCount(),
                ledgerEventCount,
                violationCount);
    }
}
