package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.junit.jupiter.api.Test;

class PromptCommitsTest {
    private final PromptCommits.Transaction transaction = new PromptCommits.Transaction();
    private final MockProcessorContext<String, String> context = new MockProcessorContext<>();
    private long now = 1_000_000;
    private final PromptCommits commits = new PromptCommits(() -> Instant.ofEpochMilli(now));
    private final PromptCommits.Attendance attendance = commits.attend(context);

    private void commitTakes(long millis) {
        transaction.asked(0);
        transaction.ended(millis);
    }

    @Test
    void whereNothingWasSaidNothingIsDue() {
        assertThat(transaction.isDue(1_000_000)).isFalse();
    }

    @Test
    void whatIsSaidAboutAnInputThatHasJustComeIsDueAtOnce() {
        transaction.said(1_000);
        assertThat(transaction.isDue(1_009)).isTrue();
        transaction.asked(1_009);
        assertThat(transaction.isDue(1_009)).as("committed").isFalse();
    }

    @Test
    void inABacklogItIsDueAWhileAfterTheFirstLookAndNotLater() {
        transaction.said(1_000);
        assertThat(transaction.isDue(5_000)).isFalse();
        transaction.said(1_001);
        assertThat(transaction.isDue(5_019)).isFalse();
        assertThat(transaction.isDue(5_020)).isTrue();
        transaction.asked(5_020);
        transaction.said(1_002);
        assertThat(transaction.isDue(5_020)).as("a new while").isFalse();
    }

    @Test
    void whereCommitsAreSlowABacklogGetsTwiceTheirTime() {
        commitTakes(40);
        transaction.said(1_000);
        assertThat(transaction.isDue(5_000)).isFalse();
        assertThat(transaction.isDue(5_079)).isFalse();
        assertThat(transaction.isDue(5_080)).isTrue();
        commitTakes(1);
        transaction.said(1_000);
        assertThat(transaction.isDue(5_000)).isFalse();
        assertThat(transaction.isDue(5_020)).as("fast again").isTrue();
    }

    @Test
    void whatCameDuringASlowCommitHasJustCome() {
        commitTakes(40);
        transaction.said(1_000);
        assertThat(transaction.isDue(1_049)).isTrue();
        assertThat(transaction.isDue(1_050)).isFalse();
    }

    /** A cell that works off a backlog does not hide that the other one of its thread was just asked. */
    @Test
    void ofWhatSeveralCellsSayTheNewestCounts() {
        transaction.said(5_000);
        transaction.said(1_000);
        assertThat(transaction.isDue(5_001)).isTrue();
    }

    /** What was said before the commit interval ended the transaction is committed with it. */
    @Test
    void asksForNothingAfterTransactionEnded() {
        transaction.said(1_000);
        transaction.ended(1_001);
        assertThat(transaction.isDue(1_002)).isFalse();
    }

    @Test
    void looksAtOnceAfterPauseAndThenEveryFiveMillis() {
        assertThat(transaction.isTimeToLook(1_000)).isTrue();
        assertThat(transaction.isDue(1_000)).isFalse();
        assertThat(transaction.isTimeToLook(1_004)).isFalse();
        assertThat(transaction.nextLook()).isEqualTo(1_005);
        assertThat(transaction.isTimeToLook(1_005)).isTrue();
        assertThat(transaction.isTimeToLook(900)).as("the clock was set back").isTrue();
    }

    @Test
    void commitsOutputOfNewInputWithoutTimer() {
        attendance.said(now - 1);
        assertThat(context.committed()).isTrue();
        assertThat(timersThatRun()).isZero();
    }

    @Test
    void runsOneTimerWhileOutputsOfBacklogWait() {
        assertThat(timersThatRun()).isZero();
        attendance.said(0);
        attendance.said(1);
        assertThat(context.committed()).isFalse();
        assertThat(timersThatRun()).isEqualTo(1);
        commits.ended();
        assertThat(timersThatRun()).as("after the transaction").isZero();
    }

    @Test
    void timerCommitsBacklogAndEnds() {
        attendance.said(0);
        for (int looks = 1; looks <= 4; looks++) {
            assertThat(context.committed()).isFalse();
            now += 5;
            runTimers();
        }
        assertThat(context.committed()).as("20 ms after the first look").isTrue();
        assertThat(timersThatRun()).isZero();
    }

    @Test
    void endsTimerWhenTaskCloses() {
        attendance.said(0);
        attendance.close();
        assertThat(timersThatRun()).isZero();
    }

    private void runTimers() {
        context.scheduledPunctuators().stream()
                .filter(each -> !each.cancelled())
                .toList()
                .forEach(each -> each.getPunctuator().punctuate(now));
    }

    private long timersThatRun() {
        return context.scheduledPunctuators().stream()
                .filter(each -> !each.cancelled())
                .count();
    }
}
