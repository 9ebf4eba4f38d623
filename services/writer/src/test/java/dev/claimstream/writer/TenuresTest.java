package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TenuresTest {
    private final Tenures<String> tenures = new Tenures<>();

    @Test
    void aTimeIsOverOnceThePartitionWasTakenAwayAlsoWhereItComesBack() {
        tenures.begin("p");
        tenures.begin("q");
        long first = tenures.now("p");
        assertThat(tenures.lasts("p", first)).isTrue();
        assertThat(tenures.lasts("q", first)).isFalse();
        tenures.end("p");
        assertThat(tenures.lasts("p", first)).isFalse();
        assertThat(tenures.lasts("p", tenures.now("p"))).as("nobody's").isFalse();
        tenures.begin("p");
        assertThat(tenures.lasts("p", first)).isFalse();
        assertThat(tenures.lasts("p", tenures.now("p"))).isTrue();
        assertThat(tenures.lasts("q", tenures.now("q"))).isTrue();
    }
}
