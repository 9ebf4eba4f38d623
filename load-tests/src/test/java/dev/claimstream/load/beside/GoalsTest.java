package dev.claimstream.load.beside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class GoalsTest {
    @Test
    void aGoalThatIsReachedSaysByHowMuch() {
        assertThat(Goals.lines(
                        List.of(Runs.of(Row.PLAIN_ALL, Who.STOCK, 80), Runs.of(Row.PLAIN_ALL, Who.CLAIMSTREAM, 100))))
                .contains("  reached  plain claims, every gate: pods/s beside stock: 1.25 x, wanted 1.10 x: +14 %");
    }

    @Test
    void aGoalThatIsMissedSaysByHowMuchAndWhatTheApiServerTakes() {
        assertThat(Goals.lines(List.of(
                        Runs.of(Row.PLAIN_DEFAULT, Who.NEXT_FREE, 100),
                        Runs.of(Row.PLAIN_DEFAULT, Who.CLAIMSTREAM, 81))))
                .contains(
                        "  MISSED   plain claims, default gates: pods/s beside next-free: 0.81 x, wanted 0.90 x: -10 %; the API server takes 60 % of the machine, with next-free 60 %");
    }

    @Test
    void stockThatWasCutIsComparedByWhatItBound() {
        assertThat(Goals.lines(List.of(
                        Runs.of(Row.PARTITIONS_500, Who.STOCK, 0.45, 68),
                        Runs.of(Row.PARTITIONS_500, Who.CLAIMSTREAM, 90))))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("  reached  partitions, 500 nodes")
                        .contains("200 x, wanted 100 x: +100 %; stock was cut at 68 of 500 pods"));
    }

    @Test
    void whoDidNotBindAllReachesNothing() {
        assertThat(Goals.lines(
                        List.of(Runs.of(Row.PAIRS, Who.STOCK, 40), Runs.of(Row.PAIRS, Who.CLAIMSTREAM, 100, 1_999))))
                .anySatisfy(line -> assertThat(line).startsWith("  MISSED   matchAttribute"));
    }

    @Test
    void atARateBothTimesCount() {
        assertThat(Goals.lines(List.of(Runs.of(Row.RATE, Who.CLAIMSTREAM, 30))))
                .contains(
                        "  reached  30 pods a second: p50: 30 ms, wanted at most 35 ms: -14 %",
                        "  MISSED   30 pods a second: p99: 250 ms, wanted at most 200 ms: +25 %");
    }

    @Test
    void whatWasNotMeasuredIsNeitherReachedNorMissed() {
        var failed = new Run(Runs.row(Row.PAIRS), Who.STOCK, new Run.Failed("etcd ended"));
        assertThat(Goals.lines(List.of(failed)))
                .contains("  -        matchAttribute: pods/s beside stock: not measured (--rows pairs)")
                .allSatisfy(line -> assertThat(line).startsWith("  -"));
    }

    @Test
    void otherSizesAreSaid() {
        Row small = Runs.row(Row.PAIRS).small();
        assertThat(Goals.lines(List.of(
                        new Run(small, Who.STOCK, Runs.measured(small, 40, 100, 0)),
                        new Run(small, Who.CLAIMSTREAM, Runs.measured(small, 80, 100, 0)))))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("  reached  matchAttribute")
                        .endsWith("(at other sizes than the goal is meant for)"));
    }

    @Test
    void whatTheProcessTakesIsToldBesideWhatTheSchedulerIsSpared() {
        assertThat(Goals.lines(List.of(
                        Runs.of(Row.PLAIN_ALL, Who.STOCK, 80, 1_000), Runs.of(Row.PLAIN_ALL, Who.CLAIMSTREAM, 100))))
                .contains(
                        "  told     plain-all: 1.25 x as many pods/s as stock; our process takes 3.0 ms of CPU a pod, 2.0 without its broker; the scheduler is spared 2.0 ms (2.0 instead of 4.0)");
    }
}
