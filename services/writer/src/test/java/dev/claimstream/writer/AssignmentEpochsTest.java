package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Epochs of partitions that are assigned, revoked and assigned again. */
final class AssignmentEpochsTest {
    private final AssignmentEpochs<String> epochs = new AssignmentEpochs<>();

    @Test
    void epochEndsWithRevocationEvenAfterReassignment() {
        epochs.begin("p");
        epochs.begin("q");
        long first = epochs.epoch("p");
        assertThat(epochs.isCurrent("p", first)).isTrue();
        assertThat(epochs.isCurrent("q", first)).isFalse();
        epochs.end("p");
        assertThat(epochs.isCurrent("p", first)).isFalse();
        assertThat(epochs.isCurrent("p", epochs.epoch("p"))).as("unassigned").isFalse();
        epochs.begin("p");
        assertThat(epochs.isCurrent("p", first)).isFalse();
        assertThat(epochs.isCurrent("p", epochs.epoch("p"))).isTrue();
        assertThat(epochs.isCurrent("q", epochs.epoch("q"))).isTrue();
    }
}
