package dev.claimstream.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Comparison;
import dev.claimstream.allocation.cell.Comparison.ComparedAllocation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that records of {@code comparisons.v1} keep a comparison and name its result. */
class ComparisonCodecTest {
    private static final ObjectKey CLAIM = new ObjectKey("team", "a");
    private static final Instant AT = Instant.parse("2026-01-01T00:00:05Z");
    private static final Optional<ComparedAllocation> NONE = Optional.empty();

    record ComparisonCase(
            String result,
            Optional<ComparedAllocation> decided,
            Optional<Reason> pending,
            Optional<ComparedAllocation> actual) {}

    private static Optional<ComparedAllocation> on(String node, String... devices) {
        var all = new TreeSet<DeviceId>();
        for (String device : devices) {
            all.add(new DeviceId("gpu.example.com", "pool", device));
        }
        return Optional.of(new ComparedAllocation(node, all, AT));
    }

    private static List<ComparisonCase> cases() {
        Optional<Reason> no = Optional.empty();
        return List.of(
                new ComparisonCase("same", on("n", "a", "b"), no, on("n", "b", "a")),
                new ComparisonCase("same", on("n", "a"), no, on("", "a")),
                new ComparisonCase("other-devices", on("n", "a"), no, on("n", "b")),
                new ComparisonCase("other-devices", on("n", "a"), no, on("", "b")),
                new ComparisonCase("other-node", on("n", "a"), no, on("m", "b")),
                new ComparisonCase("only-kube-scheduler", NONE, Optional.of(Reason.NodeFull), on("n", "a")),
                new ComparisonCase("not-compared", NONE, no, on("n", "a")),
                new ComparisonCase("only-claimstream", on("n", "a"), no, NONE),
                new ComparisonCase("both-pending", NONE, no, NONE));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void recordKeepsComparison(ComparisonCase each) {
        var comparison = new Comparison(
                CLAIM,
                "uid",
                ItemId.pod(new ObjectKey("team", "p")),
                Optional.of(AT.minusSeconds(3)),
                each.decided(),
                each.pending(),
                each.actual());
        var record = ComparisonCodec.to(comparison, 0, AT);
        assertThat(record.getResult()).isEqualTo(each.result());
        assertThat(ComparisonCodec.from(record)).isEqualTo(comparison);
    }
}
