package dev.claimstream.load.beside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void everyLineIsAsWideAsItsHead() {
        List<String> head = Table.head("plain-all", "what it is");
        String line = Table.line(Runs.of(Row.PLAIN_ALL, Who.CLAIMSTREAM, 104.25));
        assertThat(head).element(1).isEqualTo("plain-all: what it is");
        assertThat(head.subList(2, 4)).allSatisfy(each -> assertThat(each).hasSameSizeAs(line));
    }

    @Test
    void processorTimeIsThatOfAPodAndTheBrokersThreadsAreToldApart() {
        Run run = Runs.of(Row.PLAIN_ALL, Who.CLAIMSTREAM, 104.25);
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
    void aRunThatWasCutTellsHowManyWereBoundAndNoTimes() {
        assertThat(columns(Runs.of(Row.PARTITIONS_500, Who.STOCK, 0.45, 68)))
                .startsWith("stock", "68", "of", "500", "0.45", "-", "-");
    }

    @Test
    void aRunThatBrokeOffSaysWhyInOneLine() {
        var run = new Run(Runs.row(Row.PAIRS), Who.STOCK, new Run.Failed("etcd\nended"));
        assertThat(Table.line(run)).isEqualTo("  stock        failed: etcd ended");
    }

    @Test
    void aDeviceGivenOutTwiceIsSaid() {
        Row row = Runs.row(Row.PAIRS);
        var run = new Run(row, Who.CLAIMSTREAM, Runs.measured(row, 80, 2_000, 2));
        assertThat(Table.line(run)).endsWith("FAULTS: 2 devices or counters given out twice");
    }

    @Test
    void aRunIsReadAsItWasWritten() {
        Run run = Runs.of(Row.RATE, Who.NEXT_FREE, 29.9);
        assertThat(Run.read(run.line())).isEqualTo(run);
        var failed = new Run(Runs.row(Row.PAIRS), Who.STOCK, new Run.Failed("it \"ended\""));
        assertThat(Run.read(failed.line())).isEqualTo(failed);
    }

    private static String[] columns(Run run) {
        return Table.line(run).strip().split(" +", -1);
    }
}
