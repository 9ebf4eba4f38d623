package dev.claimstream.agent.telemetry;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Table of the supported metrics, read from {@code metrics.txt}. The head of that file explains the columns. */
final class MetricTable {
    private static final String SHIPPED = "metrics.txt";
    private static final String AMD_PREFIX = "amd_";
    private static final int COLUMNS = 4;

    private final Map<String, MetricMapping> mappings;

    private MetricTable(Map<String, MetricMapping> mappings) {
        this.mappings = mappings;
    }

    /** What a metric measures. */
    enum MetricQuantity {
        UTILISATION("utilisation"),
        CORE_UTILISATION("core-utilisation"),
        MEMORY_USED("memory-used"),
        MEMORY_FREE("memory-free"),
        MEMORY_TOTAL("memory-total"),
        CORE_MEMORY("core-memory"),
        CORES_BY("cores-by"),
        POWER("power"),
        TEMPERATURE("temperature"),
        ERROR("error"),
        ERROR_BY("error-by"),
        XID("xid"),
        HEALTH_GOOD("health-good"),
        HEALTH_BAD("health-bad");

        private final String text;

        MetricQuantity(String text) {
            this.text = text;
        }

        static MetricQuantity of(String text) {
            return Arrays.stream(values())
                    .filter(each -> each.text.equals(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("%s: %s is not a quantity".formatted(SHIPPED, text)));
        }
    }

    /**
     * Row of the table.
     *
     * @param family device family that the metric belongs to
     * @param detail text after the colon: name of an error, label, or limit
     * @param factor factor to the unit of the metric in Claimstream
     */
    record MetricMapping(String family, MetricQuantity quantity, String detail, double factor) {
        boolean isPerCore() {
            return quantity == MetricQuantity.CORE_UTILISATION || quantity == MetricQuantity.CORE_MEMORY;
        }
    }

    static MetricTable builtIn() {
        try (InputStream in = MetricTable.class.getResourceAsStream(SHIPPED)) {
            if (in == null) {
                throw new IllegalStateException(SHIPPED + " is not on the class path");
            }
            Map<String, MetricMapping> mappings = new TreeMap<>();
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .forEach(line -> put(mappings, line));
            return new MetricTable(mappings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void put(Map<String, MetricMapping> mappings, String line) {
        String[] columns = line.split("\\s+", -1);
        if (columns.length != COLUMNS) {
            throw new IllegalStateException("%s: %s: expected %d columns".formatted(SHIPPED, line, COLUMNS));
        }
        int colon = columns[2].indexOf(':');
        String quantity = colon < 0 ? columns[2] : columns[2].substring(0, colon);
        String detail = colon < 0 ? "" : columns[2].substring(colon + 1);
        mappings.put(
                columns[0],
                new MetricMapping(columns[1], MetricQuantity.of(quantity), detail, Double.parseDouble(columns[3])));
    }

    /** Returns the row of a metric; empty if the metric is not supported. */
    Optional<MetricMapping> find(String metric) {
        String name = metric.startsWith(AMD_PREFIX) ? metric.substring(AMD_PREFIX.length()) : metric;
        return Optional.ofNullable(mappings.get(name));
    }
}
