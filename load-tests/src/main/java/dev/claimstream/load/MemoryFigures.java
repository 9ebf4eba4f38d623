package dev.claimstream.load;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the memory and the decision time of a cell without Kafka. */
@Command(
        name = "load-tests/memory",
        mixinStandardHelpOptions = true,
        header = "Measures the heap and the decision time of one cell, by the size of its fleet.",
        description = {
            "",
            "Publish nodes with 8 GPUs to a cell, fill it with claims, then create and delete claims. Heap is the memory in use after a full"
                    + " collection: of the cell's state, and of the rows of that state in the allocator's store.",
            ""
        })
public final class MemoryFigures implements Callable<Integer> {
    static final int DEVICES_PER_NODE = 8;

    private static final List<Double> PERCENTILES = List.of(50.0, 99.0, 99.9, 100.0);

    @Option(
            names = "--devices",
            split = ",",
            paramLabel = "N",
            defaultValue = "10000,100000,1000000",
            description = "Devices of the fleet, comma-separated. Default: ${DEFAULT-VALUE}.")
    private List<Integer> devices = List.of();

    @Option(
            names = "--full",
            paramLabel = "PERCENT",
            defaultValue = "70",
            description = "Allocated part of the fleet. Default: ${DEFAULT-VALUE}.")
    private int full;

    @Option(
            names = "--claims",
            paramLabel = "N",
            defaultValue = "50000",
            description = "Claims created and deleted while measuring; as many before. Default: ${DEFAULT-VALUE}.")
    private int claims;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,2,1,4,1,8",
            description = "Devices of the claims, in turn. Default: ${DEFAULT-VALUE}.")
    private List<Integer> sizes = List.of();

    @Mixin
    private ResultFolderOption results = new ResultFolderOption();

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private MemoryFigures() {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new MemoryFigures()).execute(args);
    }

    @Override
    public Integer call() throws IOException {
        List<String> table = new ArrayList<>(List.of(head()));
        List<LatencyPicture.LatencyCurve> lines = new ArrayList<>();
        System.out.println(head());
        for (int size : devices) {
            var measured = new LoadedCell(new GpuFleet(size / DEVICES_PER_NODE, DEVICES_PER_NODE), sizes)
                    .measure(full, claims);
            table.add(row(measured));
            System.out.println(table.getLast());
            lines.add(line(measured));
        }
        results.write("memory.txt", table);
        String title = "One cell, %d %% full: time of a decision inside the cell, by devices".formatted(full);
        results.write("memory.svg", LatencyPicture.of(title, 0.01, lines));
        return 0;
    }

    private static LatencyPicture.LatencyCurve line(LoadedCell.CellMeasurement measured) {
        Histogram decisions = measured.decisions();
        return new LatencyPicture.LatencyCurve(
                "%,d".formatted(measured.devices()),
                decisions.getTotalCount(),
                percentile -> decisions.getValueAtPercentile(percentile) / 1e6);
    }

    private static String head() {
        return String.format(
                Locale.ROOT,
                "%10s %10s %8s %12s %10s %10s %9s %30s %30s %6s",
                "devices",
                "allocated",
                "rows",
                "inventory MB",
                "claims MB",
                "rows MB",
                "whole MB",
                "decision µs 50/99/99.9/max",
                "release µs 50/99/99.9/max",
                "load");
    }

    private static String row(LoadedCell.CellMeasurement measured) {
        return String.format(
                Locale.ROOT,
                "%10d %10d %8d %12.0f %10.0f %10.0f %9.0f %30s %30s %6.1f",
                measured.devices(),
                measured.allocated(),
                measured.rows(),
                megabytes(measured.inventoryBytes()),
                megabytes(measured.grantBytes()),
                megabytes(measured.rowBytes()),
                megabytes(measured.inventoryBytes() + measured.grantBytes() + measured.rowBytes()),
                micros(measured.decisions()),
                micros(measured.releases()),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static double megabytes(long bytes) {
        return bytes / 1e6;
    }

    private static String micros(Histogram nanos) {
        return String.join(
                "/",
                PERCENTILES.stream()
                        .map(each -> String.format(Locale.ROOT, "%.0f", nanos.getValueAtPercentile(each) / 1e3))
                        .toList());
    }
}
