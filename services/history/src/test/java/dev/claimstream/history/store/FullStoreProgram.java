package dev.claimstream.history.store;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.history.AllocatedDevice;
import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.HistoryObservation.OtherInput;
import dev.claimstream.history.LedgerFact.AllocationFact;
import dev.claimstream.history.LedgerFact.ReleaseFact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Fills a small disk with a history, frees it, and continues. Prints {@code name=value} lines. */
final class FullStoreProgram {
    private static final String TOPIC = "cells.in";
    private static final long BEGIN = 1_767_225_600_000_000L;
    private static final int FLUSH_EVERY = 20_000;

    private FullStoreProgram() {}

    /**
     * Fills the disk.
     *
     * @param args the folder of the disk, and the MiB of it that are occupied until the history has failed
     */
    public static void main(String[] args) throws IOException {
        Path disk = Path.of(args[0]);
        Path filler = Files.write(disk.resolve("filler"), new byte[Integer.parseInt(args[1]) << 20]);
        HistoryStore store = open(disk);
        try {
            fill(store, Long.MAX_VALUE);
        } catch (HistoryException e) {
            print("problem", e.problem());
            print("message", String.valueOf(e.getMessage()));
            try {
                var rows = store.reader().who("gpu-1", Optional.empty(), AccessScope.ADMINISTRATOR);
                print("meanwhile", rows.rows().size());
            } catch (HistoryException answer) {
                print("meanwhile", answer.problem() + " " + String.valueOf(answer.getMessage()));
            }
        }
        store.close();
        store = open(disk);
        print(
                "full",
                store.reader()
                        .who("gpu-1", Optional.empty(), AccessScope.ADMINISTRATOR)
                        .rows()
                        .size());
        store.close();
        Files.delete(filler);
        store = open(disk);
        long stored = store.position(TOPIC, 0).orElse(0);
        print("stored", stored);
        fill(store, stored + FLUSH_EVERY);
        print("added", store.position(TOPIC, 0).orElse(0) - stored);
        print("intervals", store.figures().openIntervals() + store.figures().endedIntervals());
        store.close();
    }

    private static HistoryStore open(Path disk) {
        return HistoryStore.open(
                new StoreSettings(Optional.of(disk.resolve("history.db")), disk.resolve("exports"), "128MB", 1), 1);
    }

    /** Applies one allocation per offset; each ends the one before it on its device. */
    private static void fill(HistoryStore store, long end) {
        for (long next = store.position(TOPIC, 0).orElse(0); next < end; next++) {
            DeviceId device = new DeviceId("gpu.example.com", "node", "gpu-" + next % 8);
            String claim = "claim-" + Long.toHexString(next * 0x9E3779B97F4A7C15L);
            String before = "claim-" + Long.toHexString((next - 8) * 0x9E3779B97F4A7C15L);
            store.apply(new HistoryInput(
                    0,
                    BEGIN + next * 1000,
                    new OtherInput(),
                    List.of(
                            new ReleaseFact("uid-of-" + before, next),
                            new AllocationFact(
                                    "uid-of-" + claim,
                                    next + 1,
                                    "team",
                                    claim,
                                    "node",
                                    "pod-of-" + claim,
                                    List.of(AllocatedDevice.whole(device, "gpus")),
                                    List.of("pod-of-" + claim)))));
            if (next % FLUSH_EVERY == FLUSH_EVERY - 1) {
                store.position(TOPIC, 0, next + 1);
                store.flush();
            }
        }
    }

    private static void print(String name, Object value) {
        System.out.println(name + "=" + value);
    }
}
