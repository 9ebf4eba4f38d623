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
 * What waits, and which of it is to be told: a reason that has stood for a while, again when it is another one, and again while it
 * stands, as what is told ages out of a cluster.
 */
final class Waiting {
    /** Most of what waits has its devices before anybody could read why. */
    static final Duration TOLD_AFTER = Duration.ofSeconds(2);

    /** What is decided and fails to be written is mostly written by one of the next tries. */
    static final Duration UNWRITTEN_TOLD_AFTER = Duration.ofSeconds(10);

    /** Minimum time between two Events with the same reason and a changed text. */
    static final Duration CHANGED_TOLD_AFTER = Duration.ofMinutes(5);

    /** Pods that wait for one claim are one note about the claim, and for other reasons another one after this time. */
    static final Duration CLAIM_TOLD_AFTER = Duration.ofSeconds(10);

    /** A cluster forgets an event after an hour, if nobody has said otherwise. */
    static final Duration TOLD_AGAIN_AFTER = Duration.ofMinutes(30);

    /** The reason of what is decided and cannot be written. */
    static final String NOT_WRITTEN = "NotWritten";

    /** The reason of an allocated device that its driver does not publish any more. */
    static final String DEVICE_LOST = "DeviceLost";

    private static final int DEVICES_NAMED_MAX = 4;
    private static final int CLAIMS_TOLD_MAX = 10_000;
    private static final Duration TRIED_AGAIN_AFTER = Duration.ofSeconds(10);

    private final Map<ItemId, Stand> stands = new HashMap<>();

    /** By the uid of the claim. */
    private final Map<String, Stand> unwritten = new HashMap<>();

    /** By the key of the record. */
    private final Map<String, Alarm> alarms = new HashMap<>();

    /** Claims that hold devices which are lost. */
    private final Map<ObjectKey, Stand> lost = new HashMap<>();

    private final Map<ObjectKey, ClaimNote> claims = new HashMap<>();

    private boolean isHeard = true;

    /** When a claim was told of last, as one that a pod waits for. */
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

        /** @param claims of a pod that get an Event as well */
        private Stand(Note first, List<ObjectKey> claims, Instant since, Instant due) {
            this.id = first.id();
            this.claims = claims;
            this.since = since;
            this.newest = first;
            this.due = due;
        }

        /** What is told again is new; the same in every process, so that it is told once. */
        private Note note(Instant now) {
            Duration age = Duration.between(since, now);
            long times = age.dividedBy(TOLD_AGAIN_AFTER);
            String name = times > 0 ? "%s again %d".formatted(id, times) : id;
            return newest.named(isChanged() ? "%s changed %d".formatted(id, age.dividedBy(CHANGED_TOLD_AFTER)) : name);
        }

        private boolean isChanged() {
            return told.filter(each -> !each.equals(newest.message())).isPresent();
        }

        /** Takes a changed text of the same reason. Its Event is due when the last one is old enough. */
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

    /** All that is explained comes again. Until it is through, nobody is told: much of it may be over. */
    synchronized void begin() {
        stands.values().forEach(each -> each.over = true);
        stands.clear();
        lost.values().forEach(each -> each.over = true);
        lost.clear();
        alarms.clear();
        isHeard = false;
    }

    /** All that was explained has come. */
    synchronized void go() {
        isHeard = true;
    }

    /** Why an item stands as it does, and since when. */
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

    /** An item is gone. */
    synchronized void gone(ItemId item) {
        end(stands, item);
    }

    /** What was decided has to be tried again. Where the cluster does not keep up or does not answer, that says nothing yet. */
    synchronized void failed(Decision decision, Outcome outcome, Instant now) {
        if (outcome.result() == Result.FAILED) {
            stand(
                    unwritten,
                    decision.claimUid(),
                    new Stand(note(decision, outcome), List.of(), now, now.plus(UNWRITTEN_TOLD_AFTER)));
        }
    }

    /** What was decided is carried out, or will not be. */
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

    /** Something is wrong with an allocated device. */
    synchronized void alarmed(String key, Instant since, Alarm alarm, Instant now) {
        Alarm before = alarms.put(key, alarm);
        tellLost(before, since, now);
        tellLost(alarm, since, now);
    }

    /** Nothing is wrong with a device any more. */
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

    /** Names the claim where there is one and the sentence does not. */
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

    /** Tells what is due, what waits longest first, up to the first that the cluster does not answer. */
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

    /** The claims that a pod waits for; one that many pods wait for is told of once. */
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

    /** Its note, if it still stands; where it is not answered, others are told before it is tried again. */
    private synchronized Optional<Note> begin(Stand stand, Instant now) {
        stand.due = now.plus(TRIED_AGAIN_AFTER);
        return stand.over ? Optional.empty() : Optional.of(stand.note(now));
    }

    private synchronized void told(Stand stand, Note note, Instant now) {
        stand.tell(note.message(), now);
    }
}
