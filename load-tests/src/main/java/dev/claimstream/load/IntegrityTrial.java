package dev.claimstream.load;

import dev.claimstream.audit.Checkpoint;
import dev.claimstream.audit.Checkpoints;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.LogReplay;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.load.HistoryComparison.AnswerComparison;
import dev.claimstream.load.streams.HeapLog;
import dev.claimstream.load.streams.LogModification;
import dev.claimstream.load.streams.RandomLog;
import dev.claimstream.load.streams.RandomLog.RecordedHistory;
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Replays a random history, and looks for modifications of its ledger. */
@Command(
        name = "load-tests/integrity",
        mixinStandardHelpOptions = true,
        header =
                "Tests that replay and history agree with a random recording, and that verification finds every modification.",
        description = {
            "",
            "Record three cells and a router with kills, transfers of nodes and rebuilds. Verify the ledgers, and replay the inputs."
                    + " Fold the same log into a history whose service is stopped and killed, and compare its answers to random"
                    + " questions (who, history, usage) with a naive fold."
                    + " Then modify the ledger once at a random place, verify, and repeat. A modification is verified in a window of"
                    + " the ledger, as after retention; a truncated end is compared with a checkpoint of the window.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no divergence, no finding in the intact log, no different answer, and every modification was found",
            "1:an error",
            "2:wrong arguments",
            "3:otherwise"
        })
public final class IntegrityTrial implements Callable<Integer> {
    private static final int FAILED = 3;

    @Option(names = "--inputs", paramLabel = "N", defaultValue = "1000000", description = "Default: ${DEFAULT-VALUE}.")
    private long inputs;

    @Option(names = "--rebuilds", paramLabel = "N", defaultValue = "5", description = "Default: ${DEFAULT-VALUE}.")
    private int rebuilds;

    @Option(
            names = "--modifications",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Default: ${DEFAULT-VALUE}.")
    private int modifications;

    @Option(
            names = "--questions",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Number of random questions to the history. Default: ${DEFAULT-VALUE}.")
    private int questions;

    @Option(
            names = "--window",
            paramLabel = "EVENTS",
            defaultValue = "2000",
            description = "Default: ${DEFAULT-VALUE}.")
    private int window;

    @Option(names = "--seed", paramLabel = "N", description = "Default: a random one, which is printed.")
    private long seed = System.nanoTime();

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private IntegrityTrial() {}

    /** Prints the results. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new IntegrityTrial()).execute(args);
    }

    @Override
    public Integer call() throws NoSuchAlgorithmException, IOException {
        System.out.println("seed %d".formatted(seed));
        long begin = System.nanoTime();
        RecordedHistory history = RandomLog.of(seed, inputs, rebuilds);
        print(
                "record",
                begin,
                "%,d inputs, %d kills, %d transfers, %d rebuilds"
                        .formatted(history.inputs(), history.kills(), history.transfers(), history.rebuilds()));
        begin = System.nanoTime();
        LogVerifier.Report intact = LogVerifier.verify(history.log(), LogVerifier.TimeRange.ALL);
        print(
                "verify",
                begin,
                "%,d events, %d findings"
                        .formatted(intact.events(), intact.findings().size()));
        intact.findings().stream().limit(10).forEach(System.out::println);
        begin = System.nanoTime();
        ReplayReport replay = new LogReplay(history.log(), new CelSelectors()).run();
        print(
                "replay",
                begin,
                "%,d inputs, %s"
                        .formatted(
                                replay.inputs(),
                                replay.divergence().map(Object::toString).orElse("no divergence")));
        boolean isIntact = intact.findings().isEmpty() && replay.divergence().isEmpty();
        boolean isFoldedAlike = answersAlike(history);
        return isIntact && isFoldedAlike && findsModifications(history.log(), new Random(seed)) ? 0 : FAILED;
    }

    private boolean answersAlike(RecordedHistory history) throws IOException {
        long begin = System.nanoTime();
        Path folder = Files.createTempDirectory("integrity-history");
        try {
            AnswerComparison result =
                    new HistoryComparison(history.log(), history.holders(), new Random(seed), folder).run(questions);
            print(
                    "history",
                    begin,
                    "%,d intervals, %d kills of the history, %d of %,d answers differ"
                            .formatted(
                                    history.holders().size(),
                                    result.kills(),
                                    result.differences().size(),
                                    questions));
            result.differences().stream().limit(10).forEach(System.out::println);
            return result.differences().isEmpty();
        } finally {
            TemporaryFolders.delete(folder);
        }
    }

    private boolean findsModifications(HeapLog log, Random random) throws NoSuchAlgorithmException {
        KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        long begin = System.nanoTime();
        SortedMap<LogModification, Integer> tried = new TreeMap<>();
        SortedMap<LogModification, Integer> found = new TreeMap<>();
        int falseAlarms = 0;
        List<Integer> cells = List.copyOf(log.partitions(LogVerifier.LEDGER));
        List<LogModification> kinds = List.of(LogModification.values());
        for (int i = 0; i < modifications; i++) {
            LogModification modification = kinds.get(i % kinds.size());
            int cell = cells.get(random.nextInt(cells.size()));
            long end = log.end(LogVerifier.LEDGER, cell);
            long from = random.nextLong(Math.max(1, end - window));
            List<LogRecord> records = log.records(LogVerifier.LEDGER, cell, from, Math.min(end, from + window));
            HeapLog intact = log.only(LogVerifier.LEDGER, cell, from, records);
            Checkpoint checkpoint = Checkpoints.create(intact, Instant.EPOCH, keys.getPrivate());
            falseAlarms += isModified(intact, checkpoint) ? 1 : 0;
            HeapLog modified = log.only(LogVerifier.LEDGER, cell, from, modification.of(records, random));
            tried.merge(modification, 1, Integer::sum);
            found.merge(modification, isModified(modified, checkpoint) ? 1 : 0, Integer::sum);
        }
        print("modify", begin, "%d false alarms".formatted(falseAlarms));
        tried.forEach((modification, count) -> System.out.println(
                "  %-14s %d of %d found".formatted(modification, found.getOrDefault(modification, 0), count)));
        return falseAlarms == 0 && tried.equals(found);
    }

    private static boolean isModified(HeapLog log, Checkpoint checkpoint) {
        return !LogVerifier.verify(log, LogVerifier.TimeRange.ALL).findings().isEmpty()
                || !Checkpoints.compare(log, checkpoint).findings().isEmpty();
    }

    private static void print(String what, long begin, String result) {
        System.out.println(
                String.format(Locale.ROOT, "%-8s %7.1f s: %s", what, (System.nanoTime() - begin) / 1e9, result));
    }
}
