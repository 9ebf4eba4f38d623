package dev.claimstream.agent.devices;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Table of the PCI functions that are accelerators, read from {@code accelerators.txt}.
 *
 * <p>The head of that file explains the columns. The first matching row counts.
 */
public final class DeviceTable {
    private static final String SHIPPED = "accelerators.txt";
    private static final String NOT_A_DEVICE = "none";
    private static final int COLUMNS = 8;

    private final List<DeviceRule> rules;

    private DeviceTable(List<DeviceRule> rules) {
        this.rules = List.copyOf(rules);
    }

    /** What is published as one device. */
    enum DeviceUnit {
        FUNCTION,
        CARD
    }

    /**
     * Row of the table.
     *
     * @param driver first part of the DRA driver name
     * @param devices PCI device ids; empty matches any
     */
    record DeviceRule(
            String driver,
            String type,
            DeviceUnit unit,
            String vendor,
            Set<String> devices,
            String classPrefix,
            String kernelDriver,
            Optional<String> model) {
        boolean matches(PciFunction function) {
            return matchesPattern(vendor, function.vendor())
                    && (devices.isEmpty() || devices.contains(function.device()))
                    && (classPrefix.equals("*") || function.classCode().startsWith(classPrefix))
                    && matchesPattern(kernelDriver, function.driver().orElse(""));
        }

        private static boolean matchesPattern(String pattern, String value) {
            return pattern.equals("*") || pattern.equals(value);
        }
    }

    /** The table that is part of the agent. */
    public static DeviceTable builtIn() {
        try (InputStream in = DeviceTable.class.getResourceAsStream(SHIPPED)) {
            if (in == null) {
                throw new IllegalStateException(SHIPPED + " is not on the class path");
            }
            return new DeviceTable(rules(SHIPPED, new String(in.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The rows of a file, followed by the table of the agent.
     *
     * @throws IllegalArgumentException if a line is malformed; the message names file and line
     * @throws IOException if the file cannot be read
     */
    public static DeviceTable withOverrides(Path file) throws IOException {
        List<DeviceRule> rules = new ArrayList<>(rules(file.toString(), Files.readString(file)));
        rules.addAll(builtIn().rules);
        return new DeviceTable(rules);
    }

    private static List<DeviceRule> rules(String name, String text) {
        List<DeviceRule> rules = new ArrayList<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                rules.add(rule("%s line %d".formatted(name, i + 1), line));
            }
        }
        return rules;
    }

    private static DeviceRule rule(String location, String line) {
        String[] columns = line.split("\\s+", COLUMNS);
        if (columns.length < COLUMNS) {
            throw new IllegalArgumentException(
                    "%s: %s: has %d columns, expected are driver, type, unit, vendor, device, class,"
                                    .formatted(location, line, columns.length)
                            + " kernel-driver and model");
        }
        return new DeviceRule(
                checked(location, "driver", columns[0], "[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?"),
                checked(location, "type", columns[1], "-|[a-z]([-a-z0-9]{0,18}[a-z0-9])?"),
                unit(location, columns[2]),
                checked(location, "vendor", columns[3], "\\*|[0-9a-f]{4}"),
                devices(location, columns[4]),
                checked(location, "class", columns[5], "\\*|[0-9a-f]{1,6}"),
                columns[6],
                Optional.of(columns[7]).filter(model -> !model.equals("-")));
    }

    private static String checked(String location, String column, String value, String form) {
        if (!value.matches(form)) {
            throw new IllegalArgumentException("%s: %s is %s, expected is %s".formatted(location, column, value, form));
        }
        return value;
    }

    private static DeviceUnit unit(String location, String value) {
        return checked(location, "unit", value, "-|function|card").equals("card")
                ? DeviceUnit.CARD
                : DeviceUnit.FUNCTION;
    }

    private static Set<String> devices(String location, String value) {
        return checked(location, "device", value, "\\*|[0-9a-f]{4}(,[0-9a-f]{4})*")
                        .equals("*")
                ? Set.of()
                : Arrays.stream(value.split(",", -1)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the first row that matches a function; empty if there is none or the row excludes the function. */
    Optional<DeviceRule> find(PciFunction function) {
        return rules.stream()
                .filter(rule -> rule.matches(function))
                .findFirst()
                .filter(rule -> !rule.driver().equals(NOT_A_DEVICE));
    }

    /** The PCI vendor ids in the table. */
    Set<String> vendors() {
        return rules.stream().map(DeviceRule::vendor).collect(Collectors.toCollection(TreeSet::new));
    }
}
