package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.EventRecorder;
import dev.claimstream.kubernetes.EventRecorder.EventTarget;
import dev.claimstream.kubernetes.EventRecorder.KubernetesEvent;
import dev.claimstream.kubernetes.EventTemplate;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
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
 * the API server expires Events. Names of Events are the same in every process, so a repeated Event exists already
 * and stays as it is. Time is a parameter. Safe for use by several threads: state changes are synchronized, calls to the API server are
 * not.
 */
final class EventSchedule {
    /** Delay of the first Event: most pending items are allocated before. */
    static final Duration FIRST_EVENT_DELAY = Duration.ofSeconds(2);

    /** Delay of the Event for a decision that fails: one of the first retries usually succeeds. */
    static final Duration UNCOMMITTED_EVENT_DELAY = Duration.ofSeconds(10);

    /** Minimum time between two Events with the same reason and a changed text. */
    static final Duration CHANGED_TEXT_INTERVAL = Duration.ofMinutes(5);

    /**
     * Minimum time between two Events about one claim with different reasons; pods that share the claim share its
     * Events.
     */
    static final Duration CLAIM_REASON_INTERVAL = Duration.ofSeconds(10);

    /** Interval at which an unchanged Event is repeated; API servers keep Events for one hour by default. */
    static final Duration REPEAT_INTERVAL = Duration.ofMinutes(30);

    private static final int DEVICES_LISTED_MAX = 4;
    private static final int CLAIMS_MAX = 10_000;
    private static final Duration RETRY_DELAY = Duration.ofSeconds(10);

    private final Map<ItemId, EventSeries> pending = new HashMap<>();

    /** By uid of the claim. */
    private final Map<String, EventSeries> uncommitted = new HashMap<>();

    /** By key of the record. */
    private final Map<String, Alarm> alarms = new HashMap<>();

    /** By claim that has lost devices. */
    private final Map<ObjectKey, EventSeries> lost = new HashMap<>();

    private final Map<ObjectKey, LastClaimEvent> claimEvents = new HashMap<>();

    private boolean isRestored = true;

    /** The latest Event about a claim that a pod waits for. */
    private record LastClaimEvent(String reason, Instant at) {
        boolean allows(String other, Instant now) {
            return !now.isBefore(at.plus(reason.equals(other) ? CHANGED_TEXT_INTERVAL : CLAIM_REASON_INTERVAL));
        }

        boolean isOld(Instant now) {
            return !now.isBefore(at.plus(CHANGED_TEXT_INTERVAL));
        }
    }

    private static final class EventSeries {
        private final String id;
        private final Instant since;
        private final List<ObjectKey> claims;
        private KubernetesEvent newest;
        private Optional<String> publishedText = Optional.empty();
        private Instant publishedAt = Instant.EPOCH;
        private Instant due;
        private boolean isEnded;

        /** @param claims pending claims of the pod, which get an Event as well */
        private EventSeries(KubernetesEvent first, List<ObjectKey> claims, Instant since, Instant due) {
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
        private KubernetesEvent event(Instant now) {
            Duration age = Duration.between(since, now);
            long times = age.dividedBy(REPEAT_INTERVAL);
            String name = times > 0 ? "%s again %d".formatted(id, times) : id;
            return newest.withId(
                    isChanged() ? "%s changed %d".formatted(id, age.dividedBy(CHANGED_TEXT_INTERVAL)) : name);
        }

        private boolean isChanged() {
            return publishedText.filter(each -> !each.equals(newest.message())).isPresent();
        }

        /** Sets a changed text of the same reason; its Event is due once the previous one is old enough. */
        private void update(KubernetesEvent note) {
            newest = note;
            if (publishedText.isPresent()) {
                due = publishedAt.plus(isChanged() ? CHANGED_TEXT_INTERVAL : REPEAT_INTERVAL);
            }
        }

        private void markPublished(String message, Instant now) {
            publishedText = Optional.of(message);
            publishedAt = now;
            update(newest);
        }
    }

    /**
     * Starts a restore: all explanations come again. No Event is published before {@link #completeRestore}, since many may be
     * obsolete.
     */
    synchronized void begin() {
        pending.values().forEach(each -> each.isEnded = true);
        pending.clear();
        lost.values().forEach(each -> each.isEnded = true);
        lost.clear();
        alarms.clear();
        isRestored = false;
    }

    /** Ends a restore: all explanations have come. */
    synchronized void completeRestore() {
        isRestored = true;
    }

    /** Sets why an item is pending, or that it is allocated. */
    synchronized void onExplanation(String id, Instant since, Explanation explanation, Instant now) {
        switch (explanation.detail()) {
            case Explanation.ExplanationDetail.Pending pendingDetail ->
                start(
                        pending,
                        explanation.item(),
                        new EventSeries(
                                event(id, explanation, pendingDetail.diagnosis()),
                                explanation.item().kind() == ItemId.ItemKind.POD ? explanation.claims() : List.of(),
                                since,
                                now.plus(FIRST_EVENT_DELAY)));
            case Explanation.ExplanationDetail.Allocated _ -> end(pending, explanation.item());
        }
    }

    /** Removes a deleted item. */
    synchronized void onItemDeleted(ItemId item) {
        end(pending, item);
    }

    /**
     * Records that a decision failed and will be retried. Overload and missing responses of the API server are ignored.
     */
    synchronized void onRetry(Decision decision, CommitResult outcome, Instant now) {
        if (outcome.status() == CommitStatus.FAILED) {
            start(
                    uncommitted,
                    decision.claimUid(),
                    new EventSeries(event(decision, outcome), List.of(), now, now.plus(UNCOMMITTED_EVENT_DELAY)));
        }
    }

    /** Records that a decision is committed or dropped. */
    synchronized void onEnd(Decision decision) {
        end(uncommitted, decision.claimUid());
    }

    private static <K> void start(Map<K, EventSeries> all, K key, EventSeries series) {
        EventSeries known = all.get(key);
        if (known != null && known.newest.reason().equals(series.newest.reason())) {
            known.update(series.newest);
        } else {
            end(all, key);
            all.put(key, series);
        }
    }

    /** Sets an alarm about an allocated device. */
    synchronized void onAlarm(String key, Instant since, Alarm alarm, Instant now) {
        Alarm before = alarms.put(key, alarm);
        updateLostDevices(before, since, now);
        updateLostDevices(alarm, since, now);
    }

    /** Removes an alarm. */
    synchronized void onAlarmCleared(String key, Instant now) {
        updateLostDevices(alarms.remove(key), now, now);
    }

    private void updateLostDevices(@Nullable Alarm changed, Instant since, Instant now) {
        if (changed != null && changed.type() == Alarm.AlarmType.DEVICE_LOST) {
            for (ObjectKey claim : changed.claims()) {
                List<DeviceId> devices = alarms.values().stream()
                        .filter(each -> each.type() == Alarm.AlarmType.DEVICE_LOST
                                && each.claims().contains(claim))
                        .map(Alarm::device)
                        .sorted()
                        .toList();
                if (devices.isEmpty()) {
                    end(lost, claim);
                } else {
                    start(
                            lost,
                            claim,
                            new EventSeries(
                                    lostDevicesEvent(claim, devices, since),
                                    List.of(),
                                    since,
                                    now.plus(FIRST_EVENT_DELAY)));
                }
            }
        }
    }

    private static KubernetesEvent lostDevicesEvent(ObjectKey claim, List<DeviceId> devices, Instant since) {
        String names = devices.stream()
                .limit(DEVICES_LISTED_MAX)
                .map(DeviceId::toString)
                .collect(Collectors.joining(", "));
        int more = devices.size() - DEVICES_LISTED_MAX;
        return new KubernetesEvent(
                "%s %s %s".formatted(claim, EventTemplate.DEVICE_LOST.reason(), since),
                EventTarget.CLAIM_AND_PODS,
                claim,
                Optional.of(claim),
                EventTemplate.DEVICE_LOST.reason(),
                "claim %s has devices that its driver does not publish any more: %s%s; they stay allocated until the claim is released"
                        .formatted(claim.name(), names, more > 0 ? " and %d more".formatted(more) : ""));
    }

    private static <K> void end(Map<K, EventSeries> all, K key) {
        EventSeries ended = all.remove(key);
        if (ended != null) {
            ended.isEnded = true;
        }
    }

    private static KubernetesEvent event(
            String id, Explanation explanation, AllocationPlan.PendingDiagnosis diagnosis) {
        ItemId item = explanation.item();
        boolean isPod = item.kind() == ItemId.ItemKind.POD;
        List<ObjectKey> claims = explanation.claims();
        return new KubernetesEvent(
                "%s %s %s".formatted(item, diagnosis.reason(), id),
                isPod ? EventTarget.POD : EventTarget.CLAIM,
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

    private static KubernetesEvent event(Decision decision, CommitResult outcome) {
        ItemId item = decision.item();
        return new KubernetesEvent(
                "%s %s %s %d"
                        .formatted(item, EventTemplate.NOT_WRITTEN.reason(), decision.claimUid(), decision.number()),
                item.kind() == ItemId.ItemKind.POD ? EventTarget.POD : EventTarget.CLAIM,
                item.key(),
                Optional.of(decision.claim()),
                EventTemplate.NOT_WRITTEN.reason(),
                "claim %s: the decision is not committed yet: %s"
                        .formatted(decision.claim().name(), outcome.message()));
    }

    /**
     * Publishes the due Events, longest due first. Stops at the first Event that the API server does not acknowledge.
     */
    void publishDue(EventRecorder notes, Instant now) {
        for (EventSeries each : due(now)) {
            Optional<KubernetesEvent> note = begin(each, now);
            if (note.isPresent()) {
                if (!notes.emit(note.get()) || !publishForClaims(notes, each, note.get(), now)) {
                    return;
                }
                markPublished(each, note.get(), now);
            }
        }
    }

    /** Publishes the Events about the claims of a pending pod, each once for all pods that wait for the claim. */
    private boolean publishForClaims(EventRecorder notes, EventSeries series, KubernetesEvent pod, Instant now) {
        for (ObjectKey claim : series.claims) {
            if (isClaimDue(claim, pod.reason(), now)) {
                var note = new KubernetesEvent(
                        "%s of %s".formatted(pod.id(), claim),
                        EventTarget.CLAIM,
                        claim,
                        Optional.of(claim),
                        pod.reason(),
                        "pod %s: %s".formatted(pod.key().name(), pod.message()));
                if (!notes.emit(note)) {
                    return false;
                }
                markClaimPublished(claim, pod.reason(), now);
            }
        }
        return true;
    }

    private synchronized boolean isClaimDue(ObjectKey claim, String reason, Instant now) {
        LastClaimEvent last = claimEvents.get(claim);
        return last == null || last.allows(reason, now);
    }

    private synchronized void markClaimPublished(ObjectKey claim, String reason, Instant now) {
        if (claimEvents.size() >= CLAIMS_MAX) {
            claimEvents.values().removeIf(each -> each.isOld(now));
        }
        claimEvents.put(claim, new LastClaimEvent(reason, now));
    }

    private synchronized List<EventSeries> due(Instant now) {
        if (!isRestored) {
            return List.of();
        }
        return Stream.of(pending, uncommitted, lost)
                .flatMap(each -> each.values().stream())
                .filter(each -> !now.isBefore(each.due))
                .sorted(Comparator.comparing((EventSeries each) -> each.due))
                .toList();
    }

    /**
     * Returns the Event to publish, unless its condition has ended, and schedules a retry behind the other due Events.
     */
    private synchronized Optional<KubernetesEvent> begin(EventSeries series, Instant now) {
        series.due = now.plus(RETRY_DELAY);
        return series.isEnded ? Optional.empty() : Optional.of(series.event(now));
    }

    private synchronized void markPublished(EventSeries series, KubernetesEvent note, Instant now) {
        series.markPublished(note.message(), now);
    }
}
