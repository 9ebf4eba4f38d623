package dev.claimstream.load.openb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The nodes and pods of the trace. */
record Trace(List<TraceNode> hosts, List<TracePod> tasks) {
    /** A node. */
    record TraceNode(String name, long cpuMilli, long memoryMib, int gpus, String model) {}

    /**
     * A pod.
     *
     * @param gpuMilli thousandths of each of its GPUs
     * @param models the usable models; empty for any
     */
    record TracePod(long cpuMilli, long memoryMib, int gpus, long gpuMilli, List<String> models) {
        long demandMilli() {
            return gpus * gpuMilli;
        }
    }

    /** Reads the tables. */
    static Trace read(Path nodes, Path pods) throws IOException {
        var nodeTable = new CsvTable(nodes);
        var podTable = new CsvTable(pods);
        List<TraceNode> hosts = nodeTable.rows().stream()
                .map(row -> new TraceNode(
                        nodeTable.text(row, "sn"),
                        nodeTable.number(row, "cpu_milli"),
                        nodeTable.number(row, "memory_mib"),
                        (int) nodeTable.number(row, "gpu"),
                        nodeTable.text(row, "model")))
                .toList();
        List<TracePod> tasks = podTable.rows().stream()
                .map(row -> new TracePod(
                        podTable.number(row, "cpu_milli"),
                        podTable.number(row, "memory_mib"),
                        (int) podTable.number(row, "num_gpu"),
                        podTable.number(row, "gpu_milli"),
                        models(podTable.text(row, "gpu_spec"))))
                .toList();
        return new Trace(hosts, tasks);
    }

    private static List<String> models(String text) {
        return Arrays.stream(text.split("\\|", -1))
                .filter(each -> !each.isEmpty())
                .toList();
    }

    long gpus() {
        return hosts.stream().mapToLong(TraceNode::gpus).sum();
    }

    /** A table with column names in the first line; missing columns are empty. */
    private static final class CsvTable {
        private final Path file;
        private final List<String> names;
        private final List<String[]> rows = new ArrayList<>();

        CsvTable(Path file) throws IOException {
            this.file = file;
            List<String> lines = Files.readAllLines(file);
            this.names = List.of(lines.getFirst().split(",", -1));
            lines.stream().skip(1).filter(line -> !line.isBlank()).forEach(line -> rows.add(line.split(",", -1)));
        }

        List<String[]> rows() {
            return rows;
        }

        String text(String[] row, String name) {
            int column = names.indexOf(name);
            return column < 0 || column >= row.length ? "" : row[column];
        }

        long number(String[] row, String name) {
            String text = text(row, name);
            try {
                return (long) Double.parseDouble(text);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "%s: %s is '%s', a number is expected".formatted(file, name, text), e);
            }
        }
    }
}
