package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.WaitNotes;
import dev.claimstream.kubernetes.WaitNotes.About;
import dev.claimstream.kubernetes.WaitNotes.Note;
import dev.claimstream.writer.Commits.Outcome;
import dev.claimstream.writer.Commits.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which Kubernetes Events about pending pods and claims are due, and publishes them (ADR 13).
 *
 * <p>An Event is due once its reason has lasted for a delay, when the reason changes, and again at intervals, because
 * the API server expires Events. Names of Events are the same in every process, so a repeated Event replaces itself.
 * Time is a parameter. Safe for use by several threads: state changes are synchronized, calls to the API server are
 * not.
 */
final class Waiting {
    /** Delay of the first Event: most pending items are allocated before. */
    static final Duration TOLD_AFTER = Duration.ofSeconds(2);

    /** Delay of the Event for a decision that fails: one of the first retries usually succeeds. */
    static final Duration UNWRITTEN_TOLD_AFTER = Duration.ofSeconds(10);

    /** Minimum time between two Events with the same reason and a changed text. */
    static final Duration CHANGED_TOLD_AFTER = Duration.ofMinutes(5);

    /**
     * Minimum time between two Events about one claim with different reasons; pods that share the claim share its
     * Events.
     */
    static final Duration CLAIM_TOLD_AFTER = Duration.ofSeconds(10);

    /** Interval at which an unchanged Event is repeated; API servers keep Events for one hour by default. */
    static final Duration TOLD_AGAIN_AFTER = Duration.ofMinutes(30);

    /** Reason of the Event for a decision that cannot be committed. */
    static final String NOT_WRITTEN = "NotWritten";

    /** Reason of the Event for an allocated device that its driver no longer publishes. */
    static final String DEVICE_LOST = "DeviceLost";

    private static final int DEVICES_NAMED_MAX = 4;
    private static final int CLAIMS_TOLD_MAX = 10_000;
    private static final Duration TRIED_AGAIN_AFTER = Duration.ofSeconds(10);

    private final Map<ItemId, Stand> stands = new HashMap<>();

    /** By uid of the claim. */
    private final Map<String, Stand> unwritten = new HashMap<>();

    /** By key of the record. */
    private final Map<String, Alarm> alarms = new HashMap<>();

    /** By claim that has lost devices. */
    private final Map<ObjectKey, Stand> lost = new HashMap<>();

    private final Map<ObjectKey, ClaimNote> claims = new HashMap<>();

    private boolean isHeard = true;

    /** The latest Event about a claim that a pod waits for. */
    private record ClaimNote(String reason, Instant at) {
        boolean allows(String other, Instant now) {
            return !now.isBefore(at.plus(reason.equals(other) ? CHANGED_TOLD_AFTER : CLAIM_TOLD_AFTER));
        }

        boolean isOld(Instant now) {
            return !now.isBefore(at.plus(CHANGED_TOLD_AFTER));
        }
    }

    private static final class Stand {
        private final String id;
        private final Instant since;
        private final List<ObjectKey> claims;
        private Note newest;
        private Optional<String> told = Optional.empty();
        private Instant toldAt = Instant.EPOCH;
        private Instant due;
        private boolean over;

        /** @param claims pending claims of the pod, which get an Event as well */
        private Stand(Note first, List<ObjectKey> claims, Instant since, Instant due) {
            this.id = first.id();
            this.claims = claims;
            this.since = since;
            this.newest = first;
            this.due = due;
        }

        /**
         * Returns the Event to publish now.
         *
         * <p>A repeated Event has a new name, which depends only on the age of the condition. Every process computes
         * the same name.
         */
        private Note note(Instant now) {
            Duration age = Duration.between(since, now);
            long times = age.dividedBy(TOLD_AGAIN_AFTER);
            String name = times > 0 ? "%s again %d".formatted(id, times) : id;
            return newest.named(isChanged() ? "%s changed %d".formatted(id, age.dividedBy(CHANGED_TOLD_AFTER)) : name);
        }

        private boolean isChanged() {
            return told.filter(each -> !each.equals(newest.message())).isPresent();
        }

        /** Sets a changed text of the same reason; its Event is due once the previous one is old enough. */
        private void renew(Note note) {
            newest = note;
            if (told.isPresent()) {
                due = toldAt.plus(isChanged() ? CHANGED_TOLD_AFTER : TOLD_AGAIN_AFTER);
            }
        }

        private void tell(String message, Instant now) {
            told = Optional.of(message);
            toldAt = now;
            renew(newest);
        }
    }

    /**
     * Starts a restore: all explanations come again. No Event is published before {@link #go}, since many may be
     * obsolete.
     */
    synchronized void begin() {
        stands.values().forEach(each -> each.over = true);
        stands.clear();
        lost.values().forEach(each -> each.over = true);
        lost.clear();
        alarms.clear();
        isHeard = false;
    }

    /** Ends a restore: all explanations have come. */
    synchronized void go() {
        isHeard = true;
    }

    /** Sets why an item is pending, or that it is allocated. */
    synchronized void see(String id, Instant since, Explanation explanation, Instant now) {
        switch (explanation.because()) {
            case Explanation.Because.Waits waits ->
                stand(
                        stands,
                        explanation.item(),
                        new Stand(
                                note(id, explanation, waits.diagnosis()),
                                explanation.item().sort() == ItemId.Sort.POD ? explanation.claims() : List.of(),
                                since,
                                now.plus(TOLD_AFTER)));
            case Explanation.Because.Granted _ -> end(stands, explanation.item());
        }
    }

    /** Removes a deleted item. */
    synchronized void gone(ItemId item) {
        end(stands, item);
    }

    /**
     * Records that a decision failed and will be retried. Overload and missing responses of the API server are ignored.
     */
    synchronized void failed(Decision decision, Outcome outcome, Instant now) {
        if (outcome.result() == Result.FAILED) {
            stand(
                    unwritten,
                    decision.claimUid(),
                    new Stand(note(decision, outcome), List.of(), now, now.plus(UNWRITTEN_TOLD_AFTER)));
        }
    }

    /** Records that a decision is committed or dropped. */
    synchronized void ended(Decision decision) {
        end(unwritten, decision.claimUid());
    }

    private static <K> void stand(Map<K, Stand> stands, K key, Stand stand) {
        Stand there = stands.get(key);
        if (there != null && there.newest.reason().equals(stand.newest.reason())) {
            there.renew(stand.newest);
        } else {
            end(stands, key);
            stands.put(key, stand);
        }
    }

    /** Sets an alarm about an allocated device. */
    synchronized void alarmed(String key, Instant since, Alarm alarm, Instant now) {
        Alarm before = alarms.put(key, alarm);
        tellLost(before, since, now);
        tellLost(alarm, since, now);
    }

    /** Removes an alarm. */
    synchronized void alarmOver(String key, Instant now) {
        tellLost(alarms.remove(key), now, now);
    }

    private void tellLost(@Nullable Alarm changed, Instant since, Instant now) {
        if (changed != null && changed.sort() == Alarm.Sort.DEVICE_LOST) {
            for (ObjectKey claim : changed.claims()) {
                List<DeviceId> devices = alarms.values().stream()
                        .filter(each -> each.sort() == Alarm.Sort.DEVICE_LOST
                                && each.claims().contains(claim))
                        .map(Alarm::device)
                        .sorted()
                        .toList();
                if (devices.isEmpty()) {
                    end(lost, claim);
                } else {
                    stand(
                            lost,
                            claim,
                            new Stand(lostNote(claim, devices, since), List.of(), since, now.plus(TOLD_AFTER)));
                }
            }
        }
    }

    private static Note lostNote(ObjectKey claim, List<DeviceId> devices, Instant since) {
        String names = devices.stream()
                .limit(DEVICES_NAMED_MAX)
                .map(DeviceId::toString)
                .collect(Collectors.joining(", "));
        int more = devices.size() - DEVICES_NAMED_MAX;
        return new Note(
                "%s %s %s".formatted(claim, DEVICE_LOST, since),
                About.CLAIM_AND_PODS,
                claim,
                Optional.of(claim),
                DEVICE_LOST,
                "claim %s holds what its driver does not publish any more: %s%s; it stays allocated until the claim is released"
                        .formatted(claim.name(), names, more > 0 ? " and %d more".formatted(more) : ""));
    }

    private static <K> void end(Map<K, Stand> stands, K key) {
        Stand ended = stands.remove(key);
        if (ended != null) {
            ended.over = true;
        }
    }

    private static Note note(String id, Explanation explanation, Plan.Diagnosis diagnosis) {
        ItemId item = explanation.item();
        boolean isPod = item.sort() == ItemId.Sort.POD;
        List<ObjectKey> claims = explanation.claims();
        return new Note(
                "%s %s %s".formatted(item, diagnosis.reason(), id),
                isPod ? About.POD : About.CLAIM,
                item.key(),
                isPod ? claims.stream().findFirst() : Optional.of(item.key()),
                diagnosis.reason().name(),
                message(claims, diagnosis.message()));
    }

    /** Prefixes the sentence with the claim, if there is exactly one and the sentence does not name it. */
    private static String message(List<ObjectKey> claims, String sentence) {
        return claims.size() == 1 && !sentence.contains("claim " + claims.getFirst())
                ? "claim %s: %s".formatted(claims.getFirst().name(), sentence)
                : sentence;
    }

    private static Note note(Decision decision, Outcome outcome) {
        ItemId item = decision.item();
        return new Note(
                "%s %s %s %d".formatted(item, NOT_WRITTEN, decision.claimUid(), decision.number()),
                item.sort() == ItemId.Sort.POD ? About.POD : About.CLAIM,
                item.key(),
                Optional.of(decision.claim()),
                NOT_WRITTEN,
                "claim %s: what was decided is not carried out yet: %s"
                        .formatted(decision.claim().name(), outcome.message()));
    }

    /**
     * Publishes the due Events, longest due first. Stops at the first Event that the API server does not acknowledge.
     */
    void tell(WaitNotes notes, Instant now) {
        for (Stand each : due(now)) {
            Optional<Note> note = begin(each, now);
            if (note.isPresent()) {
                if (!notes.tell(note.get()) || !tellClaims(notes, each, note.get(), now)) {
                    return;
                }
                told(each, note.get(), now);
            }
        }
    }

    /** Publishes the Events about the claims of a pending pod, each once for all pods that wait for the claim. */
    private boolean tellClaims(WaitNotes notes, Stand stand, Note pod, Instant now) {
        for (ObjectKey claim : stand.claims) {
            if (isClaimDue(claim, pod.reason(), now)) {
                var note = new Note(
                        "%s of %s".formatted(pod.id(), claim),
                        About.CLAIM,
                        claim,
                        Optional.of(claim),
                        pod.reason(),
                        "pod %s: %s".formatted(pod.key().name(), pod.message()));
                if (!notes.tell(note)) {
                    return false;
                }
                toldOfClaim(claim, pod.reason(), now);
            }
        }
        return true;
    }

    private synchronized boolean isClaimDue(ObjectKey claim, String reason, Instant now) {
        ClaimNote last = claims.get(claim);
        return last == null || last.allows(reason, now);
    }

    private synchronized void toldOfClaim(ObjectKey claim, String reason, Instant now) {
        if (claims.size() >= CLAIMS_TOLD_MAX) {
            claims.values().removeIf(each -> each.isOld(now));
        }
        claims.put(claim, new ClaimNote(reason, now));
    }

    private synchronized List<Stand> due(Instant now) {
        if (!isHeard) {
            return List.of();
        }
        return Stream.of(stands, unwritten, lost)
                .flatMap(each -> each.values().stream())
                .filter(each -> !now.isBefore(each.due))
                .sorted(Comparator.comparing((Stand each) -> each.due))
                .toList();
    }

    /**
     * Returns the Event to publish, unless its condition has ended, and schedules a retry behind the other due Events.
     */
    private synchronized Optional<Note> begin(Stand stand, Instant now) {
        stand.due = now.plus(TRIED_AGAIN_AFTER);
        return stand.over ? Optional.empty() : Optional.of(stand.note(now));
    }

    private synchronized void told(Stand stand, Note note, Instant now) {
        stand.tell(note.message(), now);
    }
}
