package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Epochs of partitions that are assigned, revoked and assigned again. */
final class AssignmentEpochsTest {
    private final AssignmentEpochs<String> tenures = new AssignmentEpochs<>();

    @Test
    void aTimeIsOverOnceThePartitionWasTakenAwayAlsoWhereItComesBack() {
        tenures.begin("p");
        tenures.begin("q");
        long first = tenures.epoch("p");
        assertThat(tenures.isCurrent("p", first)).isTrue();
        assertThat(tenures.isCurrent("q", first)).isFalse();
        tenures.end("p");
        assertThat(tenures.isCurrent("p", first)).isFalse();
        assertThat(tenures.isCurrent("p", tenures.epoch("p"))).as("nobody's").isFalse();
        tenures.begin("p");
        assertThat(tenures.isCurrent("p", first)).isFalse();
        assertThat(tenures.isCurrent("p", tenures.epoch("p"))).isTrue();
        assertThat(tenures.isCurrent("q", tenures.epoch("q"))).isTrue();
    }
}
