package dev.claimstream.load.beside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the verdict for each performance goal, from runs with fixed measurements. */
class PerformanceGoalsTest {
    @Test
    void reportsMarginOfReachedGoal() {
        assertThat(PerformanceGoals.lines(List.of(
                        ComparisonRuns.of(ComparisonRow.PLAIN_ALL, MeasuredAllocator.KUBE_SCHEDULER, 80),
                        ComparisonRuns.of(ComparisonRow.PLAIN_ALL, MeasuredAllocator.CLAIMSTREAM, 100))))
                .contains(
                        "  reached  plain claims, every gate: pods/s beside kube-scheduler: 1.25 x, wanted 1.10 x: +14 %");
    }

    @Test
    void reportsMarginAndApiServerShareOfMissedGoal() {
        assertThat(PerformanceGoals.lines(List.of(
                        ComparisonRuns.of(ComparisonRow.PLAIN_DEFAULT, MeasuredAllocator.NEXT_FREE, 100),
                        ComparisonRuns.of(ComparisonRow.PLAIN_DEFAULT, MeasuredAllocator.CLAIMSTREAM, 81))))
                .contains(
                        "  MISSED   plain claims, default gates: pods/s beside next-free: 0.81 x, wanted 0.90 x: -10 %; the API server takes 60 % of the machine, with next-free 60 %");
    }

    @Test
    void comparesTruncatedKubeSchedulerRunByBoundPods() {
        assertThat(PerformanceGoals.lines(List.of(
                        ComparisonRuns.of(ComparisonRow.PARTITIONS_500, MeasuredAllocator.KUBE_SCHEDULER, 0.45, 68),
                        ComparisonRuns.of(ComparisonRow.PARTITIONS_500, MeasuredAllocator.CLAIMSTREAM, 90))))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("  reached  partitions, 500 nodes")
                        .contains("200 x, wanted 100 x: +100 %; kube-scheduler was cut at 68 of 500 pods"));
    }

    @Test
    void missesGoalWhenNotAllPodsAreBound() {
        assertThat(PerformanceGoals.lines(List.of(
                        ComparisonRuns.of(ComparisonRow.PAIRS, MeasuredAllocator.KUBE_SCHEDULER, 40),
                        ComparisonRuns.of(ComparisonRow.PAIRS, MeasuredAllocator.CLAIMSTREAM, 100, 1_999))))
                .anySatisfy(line -> assertThat(line).startsWith("  MISSED   matchAttribute"));
    }

    @Test
    void checksBothPercentilesAtFixedRate() {
        assertThat(PerformanceGoals.lines(
                        List.of(ComparisonRuns.of(ComparisonRow.RATE, MeasuredAllocator.CLAIMSTREAM, 30))))
                .contains(
                        "  reached  30 pods a second: p50: 30 ms, wanted at most 35 ms: -14 %",
                        "  MISSED   30 pods a second: p99: 250 ms, wanted at most 200 ms: +25 %");
    }

    @Test
    void reportsGoalsWithoutMeasurement() {
        var failed = new ComparisonRun(
                ComparisonRuns.row(ComparisonRow.PAIRS),
                MeasuredAllocator.KUBE_SCHEDULER,
                new ComparisonRun.FailedRun("etcd ended"));
        assertThat(PerformanceGoals.lines(List.of(failed)))
                .contains("  -        matchAttribute: pods/s beside kube-scheduler: not measured (--rows pairs)")
                .allSatisfy(line -> assertThat(line).startsWith("  -"));
    }

    @Test
    void reportsGoalMeasuredAtOtherSizes() {
        ComparisonRow small = ComparisonRuns.row(ComparisonRow.PAIRS).small();
        assertThat(PerformanceGoals.lines(List.of(
                        new ComparisonRun(
                                small, MeasuredAllocator.KUBE_SCHEDULER, ComparisonRuns.measurement(small, 40, 100, 0)),
                        new ComparisonRun(
                                small, MeasuredAllocator.CLAIMSTREAM, ComparisonRuns.measurement(small, 80, 100, 0)))))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("  reached  matchAttribute")
                        .endsWith("(at other sizes than the goal is meant for)"));
    }

    @Test
    void reportsCpuOfProcessAndSavedSchedulerCpu() {
        assertThat(PerformanceGoals.lines(List.of(
                        ComparisonRuns.of(ComparisonRow.PLAIN_ALL, MeasuredAllocator.KUBE_SCHEDULER, 80, 1_000),
                        ComparisonRuns.of(ComparisonRow.PLAIN_ALL, MeasuredAllocator.CLAIMSTREAM, 100))))
                .contains(
                        "  info     plain-all: 1.25 x as many pods/s as kube-scheduler; claimstream takes 3.0 ms of CPU a pod, 2.0 without its broker; the scheduler takes 2.0 ms less (2.0 instead of 4.0)");
    }
}
