package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.EventRecorder.KubernetesEvent;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Times, texts and repetitions of the Events about pending items, lost devices and failed commits. */
final class EventScheduleTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private static final ItemId POD = ItemId.pod(new ObjectKey("team", "p"));

    private final EventSchedule schedule = new EventSchedule();
    private final List<KubernetesEvent> published = new ArrayList<>();
    private long number;

    private void explainPending(int second, ItemId item, Reason reason, ObjectKey... claims) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(reason, "because", Optional.empty());
        explain(second, item, new Explanation.ExplanationDetail.Pending(diagnosis, List.of()), claims);
    }

    private void explain(int second, ItemId item, Explanation.ExplanationDetail because, ObjectKey... claims) {
        var explanation = new Explanation(item, List.of(claims), 0, because);
        Instant now = BEGIN.plusSeconds(second);
        schedule.onExplanation("0-" + ++number, now, explanation, now);
    }

    private List<String> publishAt(int second) {
        published.clear();
        schedule.publishDue(published::add, BEGIN.plusSeconds(second));
        return published.stream()
                .map(note -> note.target() + " " + note.key() + " " + note.reason())
                .toList();
    }

    @Test
    void publishesUnchangedReasonOnce() {
        explainPending(0, ItemId.claim(DecisionSamples.CLAIM), Reason.DevicesInUse);
        assertThat(publishAt(1)).isEmpty();
        assertThat(publishAt(2)).containsExactly("CLAIM team/a DevicesInUse");
        explainPending(3, ItemId.claim(DecisionSamples.CLAIM), Reason.DevicesInUse);
        assertThat(publishAt(9)).isEmpty();
    }

    @Test
    void publishesChangedReasonAgain() {
        explainPending(0, ItemId.claim(DecisionSamples.CLAIM), Reason.ClassMissing);
        assertThat(publishAt(2)).hasSize(1);
        explainPending(3, ItemId.claim(DecisionSamples.CLAIM), Reason.DevicesInUse);
        assertThat(publishAt(5)).containsExactly("CLAIM team/a DevicesInUse");
    }

    @Test
    void doesNotPublishReasonOfClaimAllocatedSoon() {
        explainPending(0, ItemId.claim(DecisionSamples.CLAIM), Reason.SourcesNotSynced);
        explain(
                1,
                ItemId.claim(DecisionSamples.CLAIM),
                new Explanation.ExplanationDetail.Allocated(
                        "node-1",
                        new AllocationPlan.NodeChoice(PlacementPolicy.BEST_FIT, 1, "fits", Optional.empty(), "")));
        assertThat(publishAt(9)).isEmpty();
    }

    @Test
    void publishesOnePodEventForSeveralClaims() {
        explainPending(0, POD, Reason.DevicesInUse, DecisionSamples.CLAIM, new ObjectKey("team", "b"));
        assertThat(publishAt(2))
                .containsExactly("POD team/p DevicesInUse", "CLAIM team/a DevicesInUse", "CLAIM team/b DevicesInUse");
        assertThat(published.getFirst().claim()).contains(DecisionSamples.CLAIM);
        assertThat(published.getFirst().message()).isEqualTo("because");
        assertThat(published.getLast().message()).isEqualTo("pod p: because");
    }

    @Test
    void namesClaimInMessageOfPodWithOneClaim() {
        explainPending(0, POD, Reason.DevicesInUse, DecisionSamples.CLAIM);
        explainPending(0, ItemId.claim(new ObjectKey("team", "b")), Reason.DevicesInUse, new ObjectKey("team", "b"));
        assertThat(publishAt(2)).hasSize(3);
        assertThat(published)
                .extracting(KubernetesEvent::message)
                .containsExactlyInAnyOrder("claim a: because", "pod p: claim a: because", "claim b: because");
    }

    @Test
    void namesClaimOnceInMessage() {
        var diagnosis = new AllocationPlan.PendingDiagnosis(
                Reason.ClaimMissing, "claim team/a does not exist", Optional.empty());
        explain(0, POD, new Explanation.ExplanationDetail.Pending(diagnosis, List.of()), DecisionSamples.CLAIM);
        assertThat(publishAt(2)).containsExactly("POD team/p ClaimMissing", "CLAIM team/a ClaimMissing");
        assertThat(published.getFirst().message()).isEqualTo("claim team/a does not exist");
    }

    @Test
    void publishesPodEventWhenEveryClaimHasDevices() {
        explainPending(0, POD, Reason.NoUsableNode);
        assertThat(publishAt(2)).containsExactly("POD team/p NoUsableNode");
        assertThat(published.getFirst().claim()).isEmpty();
    }

    @Test
    void doesNotPublishEventOfDeletedItem() {
        explainPending(0, POD, Reason.DevicesInUse, DecisionSamples.CLAIM);
        explainPending(0, ItemId.claim(DecisionSamples.CLAIM), Reason.DevicesInUse, DecisionSamples.CLAIM);
        schedule.onItemDeleted(POD);
        assertThat(publishAt(9)).containsExactly("CLAIM team/a DevicesInUse");
    }

    // ---- repetition

    private List<String> publishWithResult(int second, boolean isAnswered) {
        published.clear();
        schedule.publishDue(
                note -> {
                    published.add(note);
                    return isAnswered;
                },
                BEGIN.plusSeconds(second));
        return published.stream().map(note -> note.key() + " " + note.reason()).toList();
    }

    @Test
    void retriesFailedEventAfterOtherEvents() {
        explainPending(0, POD, Reason.DevicesInUse, DecisionSamples.CLAIM);
        explainPending(1, ItemId.claim(DecisionSamples.CLAIM), Reason.ClassMissing);
        assertThat(publishWithResult(5, false)).containsExactly("team/p DevicesInUse");
        assertThat(publishWithResult(6, true)).containsExactly("team/a ClassMissing");
        assertThat(publishWithResult(14, true)).isEmpty();
        assertThat(publishWithResult(15, true)).containsExactly("team/p DevicesInUse", "team/a DevicesInUse");
        assertThat(publishWithResult(60, true)).isEmpty();
    }

    @Test
    void republishesReasonBeforeEventExpires() {
        explainPending(0, POD, Reason.DevicesInUse, DecisionSamples.CLAIM);
        assertThat(publishAt(2)).hasSize(2);
        String first = published.getFirst().id();
        assertThat(publishAt(1801)).isEmpty();
        assertThat(publishAt(1802)).containsExactly("POD team/p DevicesInUse", "CLAIM team/a DevicesInUse");
        String second = published.getFirst().id();
        assertThat(publishAt(3602)).hasSize(2);
        assertThat(List.of(first, second, published.getFirst().id())).doesNotHaveDuplicates();
    }

    private void explainInUse(int second, String message) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(Reason.DevicesInUse, message, Optional.empty());
        explain(second, POD, new Explanation.ExplanationDetail.Pending(diagnosis, List.of()), DecisionSamples.CLAIM);
    }

    @Test
    void publishesChangedMessageOncePerFiveMinutes() {
        explainInUse(0, "one is in use");
        assertThat(publishAt(2)).hasSize(2);
        String first = published.getFirst().id();
        for (int second = 10; second < 302; second++) {
            explainInUse(second, second + " are in use");
            assertThat(publishAt(second)).isEmpty();
        }
        assertThat(publishAt(302)).containsExactly("POD team/p DevicesInUse", "CLAIM team/a DevicesInUse");
        assertThat(published.getFirst().message()).isEqualTo("claim a: 301 are in use");
        assertThat(published.getFirst().id()).isNotEqualTo(first);
        explainInUse(400, "2 are in use");
        explainInUse(500, "301 are in use");
        assertThat(publishAt(602)).as("the text that was told is true again").isEmpty();
        assertThat(publishAt(2102)).hasSize(2);
    }

    @Test
    void publishesOneClaimEventPerReasonOfManyPods() {
        for (int i = 0; i < 20; i++) {
            explainPending(0, ItemId.pod(new ObjectKey("team", "p" + i)), Reason.DevicesInUse, DecisionSamples.CLAIM);
        }
        assertThat(publishAt(2)).hasSize(21).containsOnlyOnce("CLAIM team/a DevicesInUse");
        explainPending(3, ItemId.pod(new ObjectKey("team", "p0")), Reason.NodeFull, DecisionSamples.CLAIM);
        assertThat(publishAt(5)).containsExactly("POD team/p0 NodeFull");
        explainPending(20, ItemId.pod(new ObjectKey("team", "p1")), Reason.NodeFull, DecisionSamples.CLAIM);
        assertThat(publishAt(22)).containsExactly("POD team/p1 NodeFull", "CLAIM team/a NodeFull");
    }

    // ---- lost devices

    private void raiseDeviceLost(int second, int device) {
        var id = new DeviceId("gpu.example.com", "node-1", "gpu-" + device);
        schedule.onAlarm(
                "alarm//" + device,
                BEGIN.plusSeconds(second),
                new Alarm(Alarm.AlarmType.DEVICE_LOST, id, List.of(DecisionSamples.CLAIM)),
                BEGIN.plusSeconds(second));
    }

    @Test
    void publishesOneEventForLostDevicesOfClaim() {
        for (int i = 0; i < 6; i++) {
            raiseDeviceLost(0, i);
        }
        assertThat(publishAt(1)).isEmpty();
        assertThat(publishAt(2)).containsExactly("CLAIM_AND_PODS team/a DeviceLost");
        assertThat(published.getFirst().message())
                .isEqualTo(
                        "claim a has devices that its driver does not publish any more: gpu.example.com/node-1/gpu-0,"
                                + " gpu.example.com/node-1/gpu-1, gpu.example.com/node-1/gpu-2, gpu.example.com/node-1/gpu-3"
                                + " and 2 more; they stay allocated until the claim is released");
        assertThat(publishAt(60)).isEmpty();
    }

    @Test
    void doesNotPublishLostDeviceThatReturnsSoon() {
        raiseDeviceLost(0, 0);
        schedule.onAlarmCleared("alarm//0", BEGIN.plusSeconds(1));
        assertThat(publishAt(9)).isEmpty();
    }

    private static void restoreExplanation(EventSchedule process, int second) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(Reason.DevicesInUse, "because", Optional.empty());
        var because = new Explanation.ExplanationDetail.Pending(diagnosis, List.of());
        process.onExplanation("0-7", BEGIN, new Explanation(POD, List.of(), 0, because), BEGIN.plusSeconds(second));
    }

    private static List<String> publishIds(EventSchedule process, int... seconds) {
        List<String> ids = new ArrayList<>();
        for (int second : seconds) {
            process.publishDue(note -> ids.add(note.id()), BEGIN.plusSeconds(second));
        }
        return ids;
    }

    /** An Event with this name may exist already. After its expiry the same name is created again. */
    @Test
    void laterProcessContinuesWithSameEventNames() {
        restoreExplanation(schedule, 0);
        List<String> names = publishIds(schedule, 2, 1802, 3602);
        assertThat(names).hasSize(3).doesNotHaveDuplicates();
        for (int start : new int[] {60, 2000, 5000}) {
            var later = new EventSchedule();
            restoreExplanation(later, start);
            assertThat(publishIds(later, start + 1)).isEmpty();
            assertThat(publishIds(later, start + 2)).containsExactly(names.get(start / 1800));
        }
    }

    @Test
    void publishesOnlyRestoredReasonsAfterRestore() {
        explainPending(0, POD, Reason.DevicesInUse, DecisionSamples.CLAIM);
        explainPending(0, ItemId.claim(DecisionSamples.CLAIM), Reason.DevicesInUse, DecisionSamples.CLAIM);
        schedule.begin();
        explainPending(1, POD, Reason.DevicesInUse, DecisionSamples.CLAIM);
        assertThat(publishAt(9)).isEmpty();
        schedule.completeRestore();
        assertThat(publishAt(9)).containsExactly("POD team/p DevicesInUse", "CLAIM team/a DevicesInUse");
    }

    @Test
    void doesNotPublishItemDeletedDuringPublication() {
        explainPending(0, POD, Reason.DevicesInUse);
        explainPending(1, ItemId.claim(DecisionSamples.CLAIM), Reason.DevicesInUse, DecisionSamples.CLAIM);
        schedule.publishDue(
                note -> {
                    schedule.onItemDeleted(ItemId.claim(DecisionSamples.CLAIM));
                    return published.add(note);
                },
                BEGIN.plusSeconds(9));
        assertThat(published).extracting(KubernetesEvent::key).containsExactly(POD.key());
    }

    // ---- failed commits

    private void retryCommit(int second, CommitResult outcome) {
        schedule.onRetry(
                DecisionSamples.allocatedDecision(1, "uid-a", DecisionSamples.P), outcome, BEGIN.plusSeconds(second));
    }

    @Test
    void publishesFailedCommitWithRemedy() {
        retryCommit(0, CommitResult.failed("User w cannot patch it: give this user the rights"));
        assertThat(publishAt(9)).isEmpty();
        retryCommit(9, CommitResult.failed("User w cannot patch it: give this user the rights"));
        assertThat(publishAt(10)).containsExactly("CLAIM team/a NotWritten");
        assertThat(published.getFirst().message())
                .contains("claim a", "User w cannot patch it: give this user the rights");
        retryCommit(11, CommitResult.failed("User w cannot patch it: give this user the rights"));
        assertThat(publishAt(60)).isEmpty();
        assertThat(publishAt(1810)).hasSize(1);
    }

    @Test
    void doesNotPublishOverloadedOrRecoveredCommit() {
        retryCommit(0, CommitResult.overloaded("HTTP 429", Duration.ZERO));
        assertThat(publishAt(20)).isEmpty();
        retryCommit(20, CommitResult.failed("no"));
        schedule.onEnd(DecisionSamples.allocatedDecision(1, "uid-a"));
        assertThat(publishAt(60)).isEmpty();
    }
}
