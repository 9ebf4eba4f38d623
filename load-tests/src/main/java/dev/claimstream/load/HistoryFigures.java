package dev.claimstream.load;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.history.AllocatedDevice;
import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.HistoryObservation;
import dev.claimstream.history.HistoryObservation.ClaimDeletion;
import dev.claimstream.history.HistoryObservation.ClaimState;
import dev.claimstream.history.HistoryObservation.CommitReport;
import dev.claimstream.history.HistoryObservation.Origin;
import dev.claimstream.history.HistoryObservation.PodState;
import dev.claimstream.history.HistoryObservation.SliceDevice;
import dev.claimstream.history.HistoryObservation.SliceState;
import dev.claimstream.history.LedgerFact;
import dev.claimstream.history.LedgerFact.AllocationFact;
import dev.claimstream.history.LedgerFact.ReleaseFact;
import dev.claimstream.history.store.AccessScope;
import dev.claimstream.history.store.HistoryKind;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.StoreSettings;
import dev.claimstream.history.store.TimeWindow;
import dev.claimstream.history.streams.LogFold;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the fold of the history with its store, and the time of questions. */
@Command(
        name = "load-tests/history",
        mixinStandardHelpOptions = true,
        header = "Measures inputs and ledger events per second of the history, its disk, and the time of questions.",
        description = {
            "",
            "Each claim has a pod, is decided, committed, shown and deleted: 7 events. They are made in memory, so that decoding and Kafka"
                    + " are not part of the figure; the store flushes every 500,000 events.",
            ""
        })
public final class HistoryFigures implements Callable<Integer> {
    private static final int DEVICES_PER_NODE = 8;
    private static final int FLUSH_EVERY = 500_000;
    private static final long BEGIN = 1_767_225_600_000_000L;

    @Option(names = "--events", paramLabel = "N", defaultValue = "10000000", description = "Default: ${DEFAULT-VALUE}.")
    private long events;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "1250", description = "Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(
            names = "--archive",
            paramLabel = "DIR",
            description =
                    "Fold this archive instead, reading and decoding included; load-tests/replay --archive writes one.")
    private Optional<Path> archive = Optional.empty();

    private HistoryStore store;
    private long at = BEGIN;
    private long count;
    private long unflushed;
    private long version;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private HistoryFigures() {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new HistoryFigures()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Path folder = Files.createTempDirectory("history-figures");
        try {
            Path file = folder.resolve("history.db");
            store = HistoryStore.open(new StoreSettings(Optional.of(file), folder.resolve("exports"), "1GB", 2), 1);
            if (archive.isPresent()) {
                fold(archive.get());
                return 0;
            }
            addNodes();
            double cpu = cpuSeconds();
            long begin = System.nanoTime();
            for (long claim = 0; count < events; claim++) {
                addClaim(claim);
            }
            store.flush();
            double seconds = (System.nanoTime() - begin) / 1e9;
            print("events/s", "%.0f".formatted(count / seconds));
            print("CPU per million events", "%.1f s".formatted((cpuSeconds() - cpu) / (count / 1e6)));
            ask(store.reader());
            store.close();
            print("disk per million events", "%.1f MB".formatted(Files.size(file) / 1e6 / (count / 1e6)));
            long opened = System.nanoTime();
            HistoryStore.open(new StoreSettings(Optional.of(file), folder.resolve("exports"), "1GB", 2), 1)
                    .close();
            print("open", "%.2f s".formatted((System.nanoTime() - opened) / 1e9));
            return 0;
        } finally {
            TemporaryFolders.delete(folder);
        }
    }

    private void fold(Path folder) {
        double cpu = cpuSeconds();
        long begin = System.nanoTime();
        try (var log = new ArchiveLog(folder)) {
            count = new LogFold(log, store, System.err::println).run(LogFold.end(log));
        }
        store.close();
        print("events", Long.toString(count));
        print("events/s with decoding", "%.0f".formatted(count / ((System.nanoTime() - begin) / 1e9)));
        print("CPU per million events", "%.1f s".formatted((cpuSeconds() - cpu) / (count / 1e6)));
    }

    /** CPU time of this process. */
    private static double cpuSeconds() {
        return ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toMillis()
                / 1e3;
    }

    private static void print(String what, String figure) {
        System.out.println("%-28s %s".formatted(what, figure));
    }

    private void ask(HistoryReader reader) {
        Instant middle = Instant.EPOCH.plus((BEGIN + at) / 2, ChronoUnit.MICROS);
        time("who at a time", () -> reader.who("node-7/gpu-3", Optional.of(middle), AccessScope.ADMINISTRATOR));
        time(
                "history of a claim",
                () -> reader.history(
                        HistoryKind.CLAIM, "team-1/claim-1001", TimeWindow.ALL, AccessScope.ADMINISTRATOR));
        time(
                "history of a device",
                () -> reader.history(HistoryKind.DEVICE, "node-7/gpu-3", TimeWindow.ALL, AccessScope.ADMINISTRATOR));
    }

    /** Prints the slowest of five. */
    private static void time(String what, Runnable question) {
        long slowest = 0;
        for (int i = 0; i < 5; i++) {
            long begin = System.nanoTime();
            question.run();
            slowest = Math.max(slowest, System.nanoTime() - begin);
        }
        print(what, String.format(Locale.ROOT, "%.0f ms", slowest / 1e6));
    }

    private void addNodes() {
        for (int node = 0; node < nodes; node++) {
            List<SliceDevice> devices = new ArrayList<>();
            for (int i = 0; i < DEVICES_PER_NODE; i++) {
                devices.add(new SliceDevice("gpu-" + i, false, Map.of("memory", "80Gi"), "H100"));
            }
            String name = "node-" + node;
            add(new SliceState(origin(), "slice-" + node, "gpu.example.com", name, name, devices));
        }
    }

    private Origin origin() {
        return new Origin("watcher", 1, ++version);
    }

    /** The claim gets the device of the claim that is deleted with it, a fleet of claims before. */
    private void addClaim(long number) {
        long device = number % ((long) nodes * DEVICES_PER_NODE);
        String node = "node-" + device / DEVICES_PER_NODE;
        var held = List.of(AllocatedDevice.whole(
                new DeviceId("gpu.example.com", node, "gpu-" + device % DEVICES_PER_NODE), "gpus"));
        String namespace = "team-" + number % 50;
        String claim = "claim-" + number;
        String uid = "uid-" + number;
        String pod = "pod-" + number;
        long before = number - (long) nodes * DEVICES_PER_NODE;
        if (before >= 0) {
            add(new ClaimDeletion("watcher", "uid-" + before), new ReleaseFact("uid-" + before, before + 1));
        }
        add(new PodState(origin(), namespace, pod, Map.of("app", "train")));
        add(
                state(uid, namespace, claim, Optional.empty(), List.of()),
                new AllocationFact(uid, number + 1, namespace, claim, node, pod, held, List.of(pod)));
        add(new CommitReport(uid, number + 1, "committed", at));
        add(state(uid, namespace, claim, Optional.of(held), List.of(pod)));
        if (before >= 0) {
            add(new HistoryObservation.PodDeletion("team-" + before % 50, "pod-" + before));
        }
    }

    private ClaimState state(
            String uid, String namespace, String claim, Optional<List<AllocatedDevice>> held, List<String> pods) {
        return new ClaimState(origin(), uid, namespace, claim, Map.of("gpus", "gpu"), Map.of(), held, pods);
    }

    private void add(HistoryObservation observation, LedgerFact... facts) {
        at += 10_000;
        store.apply(new HistoryInput(0, at, observation, Arrays.asList(facts)));
        count += 1 + facts.length;
        unflushed += 1 + facts.length;
        if (unflushed >= FLUSH_EVERY) {
            store.flushBehind();
            unflushed = 0;
        }
    }
}
