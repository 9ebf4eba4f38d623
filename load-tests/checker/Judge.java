import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/** The state of the topics and their violations. It assumes only what their schemas document. */
final class Judge {
    static final String HEAD =
            "%-8s %9s %7s %9s %8s %8s %8s %8s %8s %8s %6s".formatted("time", "records", "claims", "allocated", "pending", "allocs", "pends", "releases", "devices", "ledger", "wrong");

    /** Tolerance for clocks of one machine, and for a record in flight during a decision. */
    private static final long ON_ITS_WAY_MS = 10_000;

    private static final int FAULTS_MAX = 1000;
    private static final Word NO_WORD = new Word(-1, Long.MIN_VALUE, "nothing");

    private final Duration patience;
    private final List<String> faults = new ArrayList<>();
    private int faultCount;

    private final PublishedInventory inventory = new PublishedInventory();
    private final ExistingClaims existing = new ExistingClaims();
    private final Map<Integer, Chain> chains = new HashMap<>();

    /** The holders of each device by decisions, and by the status of claims. More than one is a violation. */
    private final Map<String, Set<String>> holders = new HashMap<>();

    private final Map<String, Set<String>> committed = new HashMap<>();

    /** By uid of the claim. */
    private final Map<String, ClaimDecision> answers = new HashMap<>();

    private final Map<String, Word> ledgerSays = new HashMap<>();
    private final List<UncheckedAllocation> unchecked = new ArrayList<>();

    /** Possible violations, which count only if they persist, with the time of their first sign. */
    private final Map<String, Long> lasting = new LinkedHashMap<>();

    private final Set<String> told = new HashSet<>();
    private long grants;
    private long waits;
    private long releases;
    private long events;

    Judge(Duration patience) {
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
     * @param what kind and number of the decision
     * @param devices devices that the claim has by the decisions
     * @param question item and claim version of the allocation; empty without an allocation
     */
    private record ClaimDecision(String name, String what, Set<String> devices, Set<String> users, String question) {
        boolean isHolding() {
            return !devices.isEmpty();
        }

        boolean isWaiting() {
            return what.startsWith("pending");
        }
    }

    /** The last decision of a claim in the ledger. Each cell has a partition, and partitions are consumed in any order: the number says which decision is later. */
    private record Word(int partition, long number, String what) {
        Word or(Word next) {
            return next.partition == partition || next.number >= number ? next : this;
        }
    }

    /** An allocation whose devices and node are not yet compared with the inventory. */
    private record UncheckedAllocation(TopicPosition place, String claim, String node, Set<String> devices, long atMs) {}

    // ---- records

    void inventory(TopicPosition place, String key, GenericRecord record) {
        inventory.take(place, key, record);
    }

    void claim(TopicPosition place, String key, GenericRecord record) {
        existing.take(place, key, record, System.currentTimeMillis()).forEach(change -> status(place, change));
    }

    private void status(TopicPosition place, ExistingClaims.DeviceChange change) {
        for (String device : change.before()) {
            committed.getOrDefault(device, Set.of()).remove(change.uid());
        }
        for (String device : change.after()) {
            hold(committed, device, change.uid(), place, "is in the status of claim " + change.name());
        }
    }

    void tombstone(TopicPosition place, String key) {
        switch (place.topic()) {
            case "decisions.v1" -> {
                ClaimDecision last = answers.remove(key);
                ledgerSays.remove(key);
                if (last != null && last.isHolding()) {
                    wrong("%s: claim %s has a tombstone while it has %s".formatted(place, last.name, last.devices));
                }
            }
            case "inventory.v1" -> inventory.forget(place, key);
            case "claims.v1" -> existing.forget(key).forEach(change -> status(place, change));
            default -> wrong("%s: unexpected tombstone".formatted(place));
        }
    }

    void unreadable(TopicPosition place) {
        wrong("%s cannot be read".formatted(place));
    }

    void ledger(TopicPosition place, byte[] bytes, GenericRecord event) {
        events++;
        chains.computeIfAbsent(place.partition(), _ -> new Chain()).next(place.offset(), bytes, event).ifPresent(why -> wrong(place + ": " + why));
        if (event.get("decision") instanceof GenericRecord decision) {
            ledgerSays.merge(text(decision, "claimUid"), new Word(place.partition(), (long) decision.get("number"), what(decision)), Word::or);
        }
    }

    void decision(TopicPosition place, GenericRecord decision) {
        String uid = text(decision, "claimUid");
        String name = text(decision, "namespace") + "/" + text(decision, "name") + " (" + uid + ")";
        ClaimDecision last = answers.getOrDefault(uid, new ClaimDecision(name, "", Set.of(), Set.of(), ""));
        String what = what(decision);
        if (decision.get("allocated") instanceof GenericRecord allocated) {
            allocated(place, decision, uid, last, allocated);
        } else if (decision.get("revoked") instanceof GenericRecord) {
            if (!last.isHolding()) {
                wrong("%s: %s of claim %s, which has no allocation".formatted(place, what, name));
            }
            answers.put(uid, new ClaimDecision(name, what, last.devices, last.users, last.question));
        } else if (decision.get("deallocation") instanceof GenericRecord) {
            answers.put(uid, new ClaimDecision(name, last.what, last.devices, last.users, last.question)); // its devices stay allocated until the release
        } else if (Boolean.TRUE.equals(decision.get("released"))) {
            released(place, uid, last, what);
        } else {
            waits++;
            if (last.isHolding()) {
                wrong("%s: claim %s is pending, and has %s since %s".formatted(place, name, last.devices, last.what));
            }
            answers.put(uid, new ClaimDecision(name, what, Set.of(), Set.of(), ""));
        }
    }

    private void allocated(TopicPosition place, GenericRecord decision, String uid, ClaimDecision last, GenericRecord granted) {
        grants++;
        String what = what(decision);
        Set<String> devices = devices((GenericRecord) granted.get("allocation"));
        Set<String> users = users(granted);
        String question = decision.get("item") + " " + granted.get("claimVersion");
        if (last.isHolding()) {
            if (!last.devices.equals(devices)) {
                wrong("%s: claim %s is allocated %s, and has %s since %s, without a release".formatted(place, last.name, devices, last.devices, last.what));
            } else if (last.users.equals(users) && last.question.equals(question)) {
                wrong("%s: claim %s has two equal decisions: %s after %s".formatted(place, last.name, what, last.what));
            }
            last.devices.forEach(device -> holders.get(device).remove(uid));
        }
        for (String device : devices) {
            hold(holders, device, uid, place, "is allocated to claim " + last.name);
        }
        answers.put(uid, new ClaimDecision(last.name, what, devices, users, question));
        unchecked.add(new UncheckedAllocation(place, last.name, text(granted, "node"), devices, (long) decision.get("at") / 1000));
    }

    private void released(TopicPosition place, String uid, ClaimDecision last, String what) {
        releases++;
        if (!last.isHolding()) {
            wrong("%s: %s of claim %s, which has no allocation".formatted(place, what, last.name));
        } else if (!number(last.what).equals(number(what))) {
            wrong("%s: claim %s is released by decision %s, and has that of %s".formatted(place, last.name, number(what), last.what));
        }
        last.devices.forEach(device -> holders.get(device).remove(uid));
        answers.put(uid, new ClaimDecision(last.name, what, Set.of(), Set.of(), ""));
    }

    private void hold(Map<String, Set<String>> by, String device, String uid, TopicPosition place, String sentence) {
        Set<String> all = by.computeIfAbsent(device, _ -> new TreeSet<>());
        all.add(uid);
        if (all.size() > 1) {
            wrong("%s: device %s %s while another has it: %s".formatted(place, device, sentence, all));
        }
    }

    // ---- delayed checks

    /** Checks after the end of the topics was reached. A missing record is a violation if it stays missing. */
    void look(long nowMs) {
        look(nowMs, patience);
    }

    /** The same for topics without further records: a missing record is a violation at once. */
    void lookAtRest(long nowMs) {
        look(nowMs, Duration.ZERO);
    }

    private void look(long nowMs, Duration patience) {
        unchecked.forEach(this::check);
        unchecked.clear();
        Map<String, Boolean> now = new LinkedHashMap<>();
        existing.each(claim -> lookAt(claim, now));
        answers.forEach((uid, answer) -> {
            if (answer.isHolding() && !existing.exists(uid)) {
                now.put("claim %s is gone, and holds %s".formatted(answer.name, answer.devices), true);
            }
            String said = ledgerSays.getOrDefault(uid, NO_WORD).what;
            if (!answer.what.equals(said)) {
                now.put("the ledger's last word on claim %s is %s, that of the decisions %s".formatted(answer.name, said, answer.what), true);
            }
        });
        lasting.keySet().retainAll(now.keySet());
        now.keySet().forEach(sentence -> {
            long since = lasting.computeIfAbsent(sentence, _ -> nowMs);
            if (nowMs - since >= patience.toMillis() && told.add(sentence)) {
                wrong("for %d s: %s".formatted((nowMs - since) / 1000, sentence));
            }
        });
    }

    private void lookAt(ExistingClaims.Claim claim, Map<String, Boolean> now) {
        ClaimDecision answer = answers.get(claim.uid());
        if (answer == null) {
            if (claim.devices().isEmpty() && !claim.isDeleting()) {
                now.put("claim %s has no answer".formatted(claim), true);
            }
            return; // an allocation by another allocator needs no event
        }
        if (!answer.devices.equals(claim.devices()) && !answer.what.startsWith("revoked")) {
            now.put("claim %s: its status has %s, decided is %s %s".formatted(claim, claim.devices(), answer.what, answer.devices), true);
        }
    }

    private void check(UncheckedAllocation grant) {
        for (String device : grant.devices) {
            inventory.whyNotDevice(device, grant.atMs - ON_ITS_WAY_MS).ifPresent(why -> wrong("%s: claim %s is allocated device %s, which %s".formatted(grant.place, grant.claim, device, why)));
        }
        if (!grant.node.isEmpty()) {
            inventory.whyNotNode(grant.node, grant.atMs - ON_ITS_WAY_MS).ifPresent(why -> wrong("%s: claim %s is allocated on node %s, which %s".formatted(grant.place, grant.claim, grant.node, why)));
        }
    }

    /** The topics end here. */
    void end() {
        if (!unchecked.isEmpty()) {
            unchecked.forEach(this::check);
        }
    }

    // ---- findings

    private void wrong(String sentence) {
        faultCount++;
        if (faults.size() < FAULTS_MAX) {
            faults.add(sentence);
        }
    }

    /** The first findings. */
    List<String> faults() {
        return Collections.unmodifiableList(faults);
    }

    int faultCount() {
        return faultCount;
    }

    String figures(String time, long records) {
        long holding = answers.values().stream().filter(ClaimDecision::isHolding).count();
        long waiting = answers.values().stream().filter(ClaimDecision::isWaiting).count();
        return "%-8s %9d %7d %9d %8d %8d %8d %8d %8d %8d %6d"
                .formatted(time, records, existing.count(), holding, waiting, grants, waits, releases, inventory.deviceCount(), events, faultCount);
    }

    // ---- fields of the schemas

    static String text(GenericRecord record, String field) {
        return String.valueOf(record.get(field));
    }

    private static String number(String what) {
        return what.substring(what.indexOf('#'));
    }

    /** Kind and number of a decision: {@code allocated #7}. */
    private static String what(GenericRecord decision) {
        String kind = decision.get("allocated") != null
                ? "allocated"
                : decision.get("revoked") != null ? "revoked" : decision.get("deallocation") != null ? "deallocation" : Boolean.TRUE.equals(decision.get("released")) ? "released" : "pending";
        return "%s #%s.%s".formatted(kind, decision.get("cell"), decision.get("number"));
    }

    /** The devices that an allocation holds: admin access holds none, and a share not the whole. */
    static Set<String> devices(GenericRecord allocation) {
        Set<String> devices = new TreeSet<>();
        for (Object each : (List<?>) allocation.get("results")) {
            var result = (GenericRecord) each;
            if (!Boolean.TRUE.equals(result.get("adminAccess")) && result.get("shareId") == null) {
                var id = (GenericRecord) result.get("device");
                devices.add("%s/%s/%s".formatted(id.get("driver"), id.get("pool"), id.get("device")));
            }
        }
        return devices;
    }

    private static Set<String> users(GenericRecord granted) {
        Set<String> users = new TreeSet<>();
        ((List<?>) granted.get("reservedFor")).forEach(each -> users.add(text((GenericRecord) each, "uid")));
        return users;
    }
}
