package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PromptCommitsTest {
    private final PromptCommits.Transaction transaction = new PromptCommits.Transaction();

    @Test
    void whereNothingWasSaidNothingIsDue() {
        assertThat(transaction.isDue(1_000_000)).isFalse();
    }

    @Test
    void whatIsSaidAboutAnInputThatHasJustComeIsDueAtOnce() {
        transaction.said(1_000);
        assertThat(transaction.isDue(1_009)).isTrue();
        transaction.ends();
        assertThat(transaction.isDue(1_009)).as("committed").isFalse();
    }

    @Test
    void inABacklogItIsDueAWhileAfterTheFirstLookAndNotLater() {
        transaction.said(1_000);
        assertThat(transaction.isDue(5_000)).isFalse();
        transaction.said(1_001);
        assertThat(transaction.isDue(5_019)).isFalse();
        assertThat(transaction.isDue(5_020)).isTrue();
        transaction.ends();
        transaction.said(1_002);
        assertThat(transaction.isDue(5_020)).as("a new while").isFalse();
    }

    @Test
    void whereCommitsAreSlowABacklogGetsTwiceTheirTime() {
        transaction.took(40);
        transaction.said(1_000);
        assertThat(transaction.isDue(5_000)).isFalse();
        assertThat(transaction.isDue(5_079)).isFalse();
        assertThat(transaction.isDue(5_080)).isTrue();
        transaction.took(1);
        assertThat(transaction.isDue(5_020)).as("fast again").isTrue();
    }

    @Test
    void whatCameDuringASlowCommitHasJustCome() {
        transaction.took(40);
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
}
