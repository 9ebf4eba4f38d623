package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.junit.jupiter.api.Test;

/** Time of the next commit for outputs of new inputs and of a backlog. */
class CommitSchedulerTest {
    private final CommitScheduler.ThreadTransaction transaction = new CommitScheduler.ThreadTransaction();
    private final MockProcessorContext<String, String> context = new MockProcessorContext<>();
    private long now = 1_000_000;
    private final CommitScheduler commits = new CommitScheduler(() -> Instant.ofEpochMilli(now));
    private final CommitScheduler.TaskCommits taskCommits = commits.register(context);

    private void completeCommit(long millis) {
        transaction.markRequested(0);
        transaction.markEnded(millis);
    }

    @Test
    void isNotDueWithoutOutput() {
        assertThat(transaction.isDue(1_000_000)).isFalse();
    }

    @Test
    void isDueAtOnceForOutputOfNewInput() {
        transaction.addOutput(1_000);
        assertThat(transaction.isDue(1_009)).isTrue();
        transaction.markRequested(1_009);
        assertThat(transaction.isDue(1_009)).as("committed").isFalse();
    }

    @Test
    void isDueAfterDelayForOutputOfBacklog() {
        transaction.addOutput(1_000);
        assertThat(transaction.isDue(5_000)).isFalse();
        transaction.addOutput(1_001);
        assertThat(transaction.isDue(5_019)).isFalse();
        assertThat(transaction.isDue(5_020)).isTrue();
        transaction.markRequested(5_020);
        transaction.addOutput(1_002);
        assertThat(transaction.isDue(5_020)).as("a new while").isFalse();
    }

    @Test
    void doublesCommitTimeAsDelayWhenCommitsAreSlow() {
        completeCommit(40);
        transaction.addOutput(1_000);
        assertThat(transaction.isDue(5_000)).isFalse();
        assertThat(transaction.isDue(5_079)).isFalse();
        assertThat(transaction.isDue(5_080)).isTrue();
        completeCommit(1);
        transaction.addOutput(1_000);
        assertThat(transaction.isDue(5_000)).isFalse();
        assertThat(transaction.isDue(5_020)).as("fast again").isTrue();
    }

    @Test
    void treatsInputReceivedDuringSlowCommitAsNew() {
        completeCommit(40);
        transaction.addOutput(1_000);
        assertThat(transaction.isDue(1_049)).isTrue();
        assertThat(transaction.isDue(1_050)).isFalse();
    }

    /** A cell with a backlog does not delay a new input of another cell in the same thread. */
    @Test
    void newestOutputOfSeveralCellsDecides() {
        transaction.addOutput(5_000);
        transaction.addOutput(1_000);
        assertThat(transaction.isDue(5_001)).isTrue();
    }

    /** Outputs before the end of a transaction are committed with it, here by the commit interval. */
    @Test
    void isNotDueAfterTransactionEnds() {
        transaction.addOutput(1_000);
        transaction.markEnded(1_001);
        assertThat(transaction.isDue(1_002)).isFalse();
    }

    @Test
    void checksAtOnceAfterPauseThenEveryFiveMillis() {
        assertThat(transaction.isCheckDue(1_000)).isTrue();
        assertThat(transaction.isDue(1_000)).isFalse();
        assertThat(transaction.isCheckDue(1_004)).isFalse();
        assertThat(transaction.nextCheck()).isEqualTo(1_005);
        assertThat(transaction.isCheckDue(1_005)).isTrue();
        assertThat(transaction.isCheckDue(900)).as("the clock was set back").isTrue();
    }

    @Test
    void commitsOutputOfNewInputWithoutTimer() {
        taskCommits.addOutput(now - 1);
        assertThat(context.committed()).isTrue();
        assertThat(countActiveTimers()).isZero();
    }

    @Test
    void runsOneTimerWhileBacklogOutputsArePending() {
        assertThat(countActiveTimers()).isZero();
        taskCommits.addOutput(0);
        taskCommits.addOutput(1);
        assertThat(context.committed()).isFalse();
        assertThat(countActiveTimers()).isEqualTo(1);
        commits.markTransactionEnded();
        assertThat(countActiveTimers()).as("after the transaction").isZero();
    }

    @Test
    void timerCommitsBacklogAndEnds() {
        taskCommits.addOutput(0);
        for (int looks = 1; looks <= 4; looks++) {
            assertThat(context.committed()).isFalse();
            now += 5;
            runTimers();
        }
        assertThat(context.committed()).as("20 ms after the first look").isTrue();
        assertThat(countActiveTimers()).isZero();
    }

    @Test
    void endsTimerWhenTaskCloses() {
        taskCommits.addOutput(0);
        taskCommits.close();
        assertThat(countActiveTimers()).isZero();
    }

    private void runTimers() {
        context.scheduledPunctuators().stream()
                .filter(each -> !each.cancelled())
                .toList()
                .forEach(each -> each.getPunctuator().punctuate(now));
    }

    private long countActiveTimers() {
        return context.scheduledPunctuators().stream()
                .filter(each -> !each.cancelled())
                .count();
    }
}
