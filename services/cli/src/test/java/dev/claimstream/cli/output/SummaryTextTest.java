package dev.claimstream.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.console.ClaimResult;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests the counts and latencies of the summary of a run. */
class SummaryTextTest {
    private static final Optional<Decision> NONE = Optional.empty();

    private static ClaimResult allocated(String name) {
        return result(name, Optional.of(new Allocation(List.of(), List.of(), Optional.empty(), Optional.empty())));
    }

    private static ClaimResult pending(String name) {
        return result(name, Optional.empty());
    }

    private static ClaimResult result(String name, Optional<Allocation> allocation) {
        var spec = new ClaimSpec(List.of(), List.of(), List.of());
        var claim = new ResourceClaim(ObjectMeta.of("default", name, "uid-" + name), spec, allocation, List.of());
        return new ClaimResult(claim, NONE, Optional.empty());
    }

    @Test
    void countsOnlyStatesThatOccur() {
        assertThat(SummaryText.of(List.of(allocated("a"), pending("b"), allocated("c"))))
                .isEqualTo("2 allocated, 1 pending");
        assertThat(SummaryText.of(List.of(pending("b")))).isEqualTo("1 pending");
    }

    @Test
    void reportsNoClaims() {
        assertThat(SummaryText.of(List.of())).isEqualTo("no claims");
    }

    @Test
    void reportsNoLatencyWithoutDecision() {
        assertThat(SummaryText.latency(List.of())).isEqualTo("-");
    }

    @Test
    void reportsMeasuredPercentiles() {
        assertThat(SummaryText.latency(List.of(7L))).isEqualTo("p50 7 ms, p99 7 ms");
        List<Long> hundred = LongStream.rangeClosed(1, 1000).boxed().toList();
        assertThat(SummaryText.latency(hundred)).matches("p50 50[01] ms, p99 99[01] ms");
    }
}
