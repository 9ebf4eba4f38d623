package dev.claimstream.load.beside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the lines of the comparison table for complete, truncated, failed and faulty runs. */
class ComparisonTableTest {
    @Test
    void alignsLinesWithHead() {
        List<String> head = ComparisonTable.head("plain-all", "what it is");
        String line =
                ComparisonTable.line(ComparisonRuns.of(ComparisonRow.PLAIN_ALL, MeasuredAllocator.CLAIMSTREAM, 104.25));
        assertThat(head).element(1).isEqualTo("plain-all: what it is");
        assertThat(head.subList(2, 4)).allSatisfy(each -> assertThat(each).hasSameSizeAs(line));
    }

    @Test
    void dividesCpuTimePerPodAndSeparatesBrokerThreads() {
        ComparisonRun run = ComparisonRuns.of(ComparisonRow.PLAIN_ALL, MeasuredAllocator.CLAIMSTREAM, 104.25);
        assertThat(columns(run))
                .containsExactly(
                        "claimstream",
                        "2000",
                        "104.3",
                        "30",
                        "250",
                        "8.3",
                        "|",
                        "6.0",
                        "2.0",
                        "0.00",
                        "0.00",
                        "3.0",
                        "1.0",
                        "|",
                        "60",
                        "3.5",
                        "0.50");
    }

    @Test
    void showsBoundPodsButNoLatencyOfTruncatedRun() {
        assertThat(columns(ComparisonRuns.of(ComparisonRow.PARTITIONS_500, MeasuredAllocator.KUBE_SCHEDULER, 0.45, 68)))
                .startsWith("kube-scheduler", "68", "of", "500", "0.45", "-", "-");
    }

    @Test
    void showsFailureOfRunInOneLine() {
        var run = new ComparisonRun(
                ComparisonRuns.row(ComparisonRow.PAIRS),
                MeasuredAllocator.KUBE_SCHEDULER,
                new ComparisonRun.FailedRun("etcd\nended"));
        assertThat(ComparisonTable.line(run)).isEqualTo("  kube-scheduler failed: etcd ended");
    }

    @Test
    void reportsDoubleAllocatedDevices() {
        ComparisonRow row = ComparisonRuns.row(ComparisonRow.PAIRS);
        var run = new ComparisonRun(row, MeasuredAllocator.CLAIMSTREAM, ComparisonRuns.measurement(row, 80, 2_000, 2));
        assertThat(ComparisonTable.line(run)).endsWith("FAULTS: 2 devices or counters allocated twice");
    }

    @Test
    void readsRunsAsWritten() {
        ComparisonRun run = ComparisonRuns.of(ComparisonRow.RATE, MeasuredAllocator.NEXT_FREE, 29.9);
        assertThat(ComparisonRun.read(run.line())).isEqualTo(run);
        var failed = new ComparisonRun(
                ComparisonRuns.row(ComparisonRow.PAIRS),
                MeasuredAllocator.KUBE_SCHEDULER,
                new ComparisonRun.FailedRun("it \"ended\""));
        assertThat(ComparisonRun.read(failed.line())).isEqualTo(failed);
    }

    private static String[] columns(ComparisonRun run) {
        return ComparisonTable.line(run).strip().split(" +", -1);
    }
}
