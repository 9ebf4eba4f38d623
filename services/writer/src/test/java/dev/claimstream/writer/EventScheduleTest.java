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

    private final EventSchedule waiting = new EventSchedule();
    private final List<KubernetesEvent> told = new ArrayList<>();
    private long number;

    private void waits(int second, ItemId item, Reason reason, ObjectKey... claims) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(reason, "because", Optional.empty());
        says(second, item, new Explanation.ExplanationDetail.Pending(diagnosis, List.of()), claims);
    }

    private void says(int second, ItemId item, Explanation.ExplanationDetail because, ObjectKey... claims) {
        var explanation = new Explanation(item, List.of(claims), 0, because);
        Instant now = BEGIN.plusSeconds(second);
        waiting.onExplanation("0-" + ++number, now, explanation, now);
    }

    private List<String> toldAt(int second) {
        told.clear();
        waiting.publishDue(told::add, BEGIN.plusSeconds(second));
        return told.stream()
                .map(note -> note.target() + " " + note.key() + " " + note.reason())
                .toList();
    }

    @Test
    void aReasonThatStandsIsToldOnce() {
        waits(0, ItemId.claim(Sample.CLAIM), Reason.DevicesInUse);
        assertThat(toldAt(1)).isEmpty();
        assertThat(toldAt(2)).containsExactly("CLAIM team/a DevicesInUse");
        waits(3, ItemId.claim(Sample.CLAIM), Reason.DevicesInUse);
        assertThat(toldAt(9)).isEmpty();
    }

    @Test
    void anotherReasonIsToldAgain() {
        waits(0, ItemId.claim(Sample.CLAIM), Reason.ClassMissing);
        assertThat(toldAt(2)).hasSize(1);
        waits(3, ItemId.claim(Sample.CLAIM), Reason.DevicesInUse);
        assertThat(toldAt(5)).containsExactly("CLAIM team/a DevicesInUse");
    }

    @Test
    void whatHasItsDevicesSoonIsNotToldOf() {
        waits(0, ItemId.claim(Sample.CLAIM), Reason.SourcesNotListed);
        says(
                1,
                ItemId.claim(Sample.CLAIM),
                new Explanation.ExplanationDetail.Allocated(
                        "node-1",
                        new AllocationPlan.NodeChoice(PlacementPolicy.BEST_FIT, 1, "fits", Optional.empty(), "")));
        assertThat(toldAt(9)).isEmpty();
    }

    @Test
    void severalClaimsOfAPodAreOneNoteAboutThePod() {
        waits(0, POD, Reason.DevicesInUse, Sample.CLAIM, new ObjectKey("team", "b"));
        assertThat(toldAt(2))
                .containsExactly("POD team/p DevicesInUse", "CLAIM team/a DevicesInUse", "CLAIM team/b DevicesInUse");
        assertThat(told.getFirst().claim()).contains(Sample.CLAIM);
        assertThat(told.getFirst().message()).isEqualTo("because");
        assertThat(told.getLast().message()).isEqualTo("pod p: because");
    }

    @Test
    void theClaimIsNamedWhereThereIsOne() {
        waits(0, POD, Reason.DevicesInUse, Sample.CLAIM);
        waits(0, ItemId.claim(new ObjectKey("team", "b")), Reason.DevicesInUse, new ObjectKey("team", "b"));
        assertThat(toldAt(2)).hasSize(3);
        assertThat(told)
                .extracting(KubernetesEvent::message)
                .containsExactlyInAnyOrder("claim a: because", "pod p: claim a: because", "claim b: because");
    }

    @Test
    void theClaimIsNamedOnce() {
        var diagnosis = new AllocationPlan.PendingDiagnosis(
                Reason.ClaimMissing, "claim team/a does not exist", Optional.empty());
        says(0, POD, new Explanation.ExplanationDetail.Pending(diagnosis, List.of()), Sample.CLAIM);
        assertThat(toldAt(2)).containsExactly("POD team/p ClaimMissing", "CLAIM team/a ClaimMissing");
        assertThat(told.getFirst().message()).isEqualTo("claim team/a does not exist");
    }

    @Test
    void aPodOfWhichEveryClaimHasDevicesIsToldOf() {
        waits(0, POD, Reason.NoUsableNode);
        assertThat(toldAt(2)).containsExactly("POD team/p NoUsableNode");
        assertThat(told.getFirst().claim()).isEmpty();
    }

    @Test
    void whatIsGoneIsNotToldOf() {
        waits(0, POD, Reason.DevicesInUse, Sample.CLAIM);
        waits(0, ItemId.claim(Sample.CLAIM), Reason.DevicesInUse, Sample.CLAIM);
        waiting.onItemDeleted(POD);
        assertThat(toldAt(9)).containsExactly("CLAIM team/a DevicesInUse");
    }

    // ---- repetition

    private List<String> answeredAt(int second, boolean isAnswered) {
        told.clear();
        waiting.publishDue(
                note -> {
                    told.add(note);
                    return isAnswered;
                },
                BEGIN.plusSeconds(second));
        return told.stream().map(note -> note.key() + " " + note.reason()).toList();
    }

    @Test
    void whatTheClusterDoesNotAnswerIsToldAgainAndOthersBeforeIt() {
        waits(0, POD, Reason.DevicesInUse, Sample.CLAIM);
        waits(1, ItemId.claim(Sample.CLAIM), Reason.ClassMissing);
        assertThat(answeredAt(5, false)).containsExactly("team/p DevicesInUse");
        assertThat(answeredAt(6, true)).containsExactly("team/a ClassMissing");
        assertThat(answeredAt(14, true)).isEmpty();
        assertThat(answeredAt(15, true)).containsExactly("team/p DevicesInUse", "team/a DevicesInUse");
        assertThat(answeredAt(60, true)).isEmpty();
    }

    @Test
    void aReasonThatStandsOnIsToldAgainBeforeTheClusterForgetsItInItsNewestWords() {
        waits(0, POD, Reason.DevicesInUse, Sample.CLAIM);
        assertThat(toldAt(2)).hasSize(2);
        String first = told.getFirst().id();
        assertThat(toldAt(1801)).isEmpty();
        assertThat(toldAt(1802)).containsExactly("POD team/p DevicesInUse", "CLAIM team/a DevicesInUse");
        String second = told.getFirst().id();
        assertThat(toldAt(3602)).hasSize(2);
        assertThat(List.of(first, second, told.getFirst().id())).doesNotHaveDuplicates();
    }

    private void saysInUse(int second, String message) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(Reason.DevicesInUse, message, Optional.empty());
        says(second, POD, new Explanation.ExplanationDetail.Pending(diagnosis, List.of()), Sample.CLAIM);
    }

    @Test
    void changedTextIsToldOncePerFiveMinutes() {
        saysInUse(0, "one is in use");
        assertThat(toldAt(2)).hasSize(2);
        String first = told.getFirst().id();
        for (int second = 10; second < 302; second++) {
            saysInUse(second, second + " are in use");
            assertThat(toldAt(second)).isEmpty();
        }
        assertThat(toldAt(302)).containsExactly("POD team/p DevicesInUse", "CLAIM team/a DevicesInUse");
        assertThat(told.getFirst().message()).isEqualTo("claim a: 301 are in use");
        assertThat(told.getFirst().id()).isNotEqualTo(first);
        saysInUse(400, "2 are in use");
        saysInUse(500, "301 are in use");
        assertThat(toldAt(602)).as("the text that was told is true again").isEmpty();
        assertThat(toldAt(2102)).hasSize(2);
    }

    @Test
    void claimOfManyPodsGetsOneNotePerReason() {
        for (int i = 0; i < 20; i++) {
            waits(0, ItemId.pod(new ObjectKey("team", "p" + i)), Reason.DevicesInUse, Sample.CLAIM);
        }
        assertThat(toldAt(2)).hasSize(21).containsOnlyOnce("CLAIM team/a DevicesInUse");
        waits(3, ItemId.pod(new ObjectKey("team", "p0")), Reason.NodeFull, Sample.CLAIM);
        assertThat(toldAt(5)).containsExactly("POD team/p0 NodeFull");
        waits(20, ItemId.pod(new ObjectKey("team", "p1")), Reason.NodeFull, Sample.CLAIM);
        assertThat(toldAt(22)).containsExactly("POD team/p1 NodeFull", "CLAIM team/a NodeFull");
    }

    // ---- lost devices

    private void lost(int second, int device) {
        var id = new DeviceId("gpu.example.com", "node-1", "gpu-" + device);
        waiting.onAlarm(
                "alarm//" + device,
                BEGIN.plusSeconds(second),
                new Alarm(Alarm.AlarmType.DEVICE_LOST, id, List.of(Sample.CLAIM)),
                BEGIN.plusSeconds(second));
    }

    @Test
    void lostDevicesOfOneClaimAreOneNoteForClaimAndPods() {
        for (int i = 0; i < 6; i++) {
            lost(0, i);
        }
        assertThat(toldAt(1)).isEmpty();
        assertThat(toldAt(2)).containsExactly("CLAIM_AND_PODS team/a DeviceLost");
        assertThat(told.getFirst().message())
                .isEqualTo("claim a holds what its driver does not publish any more: gpu.example.com/node-1/gpu-0,"
                        + " gpu.example.com/node-1/gpu-1, gpu.example.com/node-1/gpu-2, gpu.example.com/node-1/gpu-3"
                        + " and 2 more; it stays allocated until the claim is released");
        assertThat(toldAt(60)).isEmpty();
    }

    @Test
    void deviceThatIsPublishedAgainSoonIsNotTold() {
        lost(0, 0);
        waiting.onAlarmCleared("alarm//0", BEGIN.plusSeconds(1));
        assertThat(toldAt(9)).isEmpty();
    }

    private static void hears(EventSchedule process, int second) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(Reason.DevicesInUse, "because", Optional.empty());
        var because = new Explanation.ExplanationDetail.Pending(diagnosis, List.of());
        process.onExplanation("0-7", BEGIN, new Explanation(POD, List.of(), 0, because), BEGIN.plusSeconds(second));
    }

    private static List<String> toldBy(EventSchedule process, int... seconds) {
        List<String> ids = new ArrayList<>();
        for (int second : seconds) {
            process.publishDue(note -> ids.add(note.id()), BEGIN.plusSeconds(second));
        }
        return ids;
    }

    /** An Event with this name may exist already. After its expiry the same name is created again. */
    @Test
    void aProcessThatComesLaterTellsByTheSameNamesFromWhereTheOtherOneWas() {
        hears(waiting, 0);
        List<String> names = toldBy(waiting, 2, 1802, 3602);
        assertThat(names).hasSize(3).doesNotHaveDuplicates();
        for (int start : new int[] {60, 2000, 5000}) {
            var later = new EventSchedule();
            hears(later, start);
            assertThat(toldBy(later, start + 1)).isEmpty();
            assertThat(toldBy(later, start + 2)).containsExactly(names.get(start / 1800));
        }
    }

    @Test
    void whatComesAgainIsToldWhenAllOfItIsThroughAndWhatDoesNotComeIsNot() {
        waits(0, POD, Reason.DevicesInUse, Sample.CLAIM);
        waits(0, ItemId.claim(Sample.CLAIM), Reason.DevicesInUse, Sample.CLAIM);
        waiting.begin();
        waits(1, POD, Reason.DevicesInUse, Sample.CLAIM);
        assertThat(toldAt(9)).isEmpty();
        waiting.completeRestore();
        assertThat(toldAt(9)).containsExactly("POD team/p DevicesInUse", "CLAIM team/a DevicesInUse");
    }

    @Test
    void whatIsOverWhileOthersAreToldIsNotTold() {
        waits(0, POD, Reason.DevicesInUse);
        waits(1, ItemId.claim(Sample.CLAIM), Reason.DevicesInUse, Sample.CLAIM);
        waiting.publishDue(
                note -> {
                    waiting.onItemDeleted(ItemId.claim(Sample.CLAIM));
                    return told.add(note);
                },
                BEGIN.plusSeconds(9));
        assertThat(told).extracting(KubernetesEvent::key).containsExactly(POD.key());
    }

    // ---- failed commits

    private void fails(int second, CommitResult outcome) {
        waiting.onRetry(Sample.granted(1, "uid-a", Sample.P), outcome, BEGIN.plusSeconds(second));
    }

    @Test
    void whatIsDecidedAndCannotBeWrittenIsToldWithWhatToDo() {
        fails(0, CommitResult.failed("User w cannot patch it: give this user the rights"));
        assertThat(toldAt(9)).isEmpty();
        fails(9, CommitResult.failed("User w cannot patch it: give this user the rights"));
        assertThat(toldAt(10)).containsExactly("CLAIM team/a NotWritten");
        assertThat(told.getFirst().message()).contains("claim a", "User w cannot patch it: give this user the rights");
        fails(11, CommitResult.failed("User w cannot patch it: give this user the rights"));
        assertThat(toldAt(60)).isEmpty();
        assertThat(toldAt(1810)).hasSize(1);
    }

    @Test
    void whatIsWrittenSoonOrWaitsForTheClusterIsNotToldOf() {
        fails(0, CommitResult.overloaded("HTTP 429", Duration.ZERO));
        assertThat(toldAt(20)).isEmpty();
        fails(20, CommitResult.failed("no"));
        waiting.onEnd(Sample.granted(1, "uid-a"));
        assertThat(toldAt(60)).isEmpty();
    }
}
