package dev.claimstream.simulation;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.DeviceCheck;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** Renders a {@link DeviceReport} for people: devices that fail in the same way are one line. */
public final class DeviceReportText {
    private static final int GROUPS_MAX = 12;
    private static final int NAMES_MAX = 3;

    private final DeviceReport report;
    private final List<String> lines = new ArrayList<>();

    private DeviceReportText(DeviceReport report) {
        this.report = report;
    }

    /** Returns the lines, each with a line break. Their number does not depend on the number of devices. */
    public static String of(DeviceReport report) {
        return new DeviceReportText(report).text();
    }

    /** What devices of one group have in common. */
    private record GroupKey(
            String request, DeviceCheck.DeviceRequirement requirement, String required, String found, boolean isHeld) {}

    private String text() {
        lines.add("%s: %s"
                .formatted(
                        report.checks().item(),
                        report.checks()
                                .reason()
                                .map(reason -> "pending, " + reason)
                                .orElse("allocated")));
        lines.add("  as of %s (UTC)".formatted(report.at()));
        if (!report.checks().message().isEmpty()) {
            lines.add("  because: " + report.checks().message());
        }
        if (!report.isPending()) {
            lines.add("  on " + report.outcome().node().orElse("every node"));
            report.outcome()
                    .devices()
                    .forEach(device -> lines.add("    %s: %s".formatted(device.request(), device.device())));
        }
        if (report.hiddenCount() > 0) {
            lines.add("  %s not shown: you may not list resourceslices.resource.k8s.io"
                    .formatted(devices(report.hiddenCount())));
        } else if (report.devices().isEmpty()) {
            lines.add(
                    report.isPending()
                            ? "  no device is checked before this is resolved"
                            : "  no device is checked: all claims are allocated");
        }
        SequencedMap<String, List<DeviceCheck>> requests = new LinkedHashMap<>();
        report.devices()
                .forEach(check -> requests.computeIfAbsent(
                                "%s of claim %s".formatted(check.request(), check.claim()), _ -> new ArrayList<>())
                        .add(check));
        requests.forEach(this::addRequest);
        if (!report.changes().isEmpty()) {
            lines.add("  what would help:");
            report.changes().forEach(change -> lines.add("    " + change.text()));
        }
        return String.join("\n", lines) + "\n";
    }

    private void addRequest(String request, List<DeviceCheck> checks) {
        lines.add("  request %s, %s:".formatted(request, devices(checks.size())));
        SequencedMap<GroupKey, List<DeviceCheck>> groups = new LinkedHashMap<>();
        checks.forEach(check ->
                groups.computeIfAbsent(key(check), _ -> new ArrayList<>()).add(check));
        List<Map.Entry<GroupKey, List<DeviceCheck>>> ordered = groups.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<GroupKey, List<DeviceCheck>> group) ->
                                group.getKey().requirement())
                        .reversed()
                        .thenComparing(group -> -group.getValue().size()))
                .toList();
        ordered.stream().limit(GROUPS_MAX).forEach(group -> addGroup(group.getKey(), group.getValue()));
        if (ordered.size() > GROUPS_MAX) {
            int remaining = ordered.stream()
                    .skip(GROUPS_MAX)
                    .mapToInt(group -> group.getValue().size())
                    .sum();
            lines.add("    %s in %d more groups: use -o json for all"
                    .formatted(devices(remaining), ordered.size() - GROUPS_MAX));
        }
    }

    private static GroupKey key(DeviceCheck check) {
        return new GroupKey(
                check.request(),
                check.requirement(),
                check.required(),
                check.found(),
                !check.holders().isEmpty());
    }

    private void addGroup(GroupKey key, List<DeviceCheck> checks) {
        lines.add("    %s: %s".formatted(devices(checks.size()), description(key)));
        checks.stream().limit(NAMES_MAX).forEach(check -> lines.add("      " + name(check)));
        if (checks.size() > NAMES_MAX) {
            lines.add("      and %,d more".formatted(checks.size() - NAMES_MAX));
        }
    }

    private static String description(GroupKey key) {
        String found = key.found.isEmpty() ? "" : " (%s)".formatted(key.found);
        return switch (key.requirement) {
            case NONE -> "fit, each considered alone";
            case FREE -> key.isHeld ? "held by other claims" : "%s needed%s".formatted(key.required, found);
            case CLASS -> "not of class %s%s".formatted(key.required, found);
            case SELECTOR -> "selector does not match: %s%s".formatted(key.required, found);
            case CAPACITY -> "capacity: %s requested%s".formatted(key.required, found);
            case POOL, NODE, TAINT, FEATURE -> "%s: %s needed%s".formatted(key.requirement.text(), key.required, found);
        };
    }

    private static String name(DeviceCheck check) {
        String where =
                check.node().isEmpty() || check.node().equals(check.device().pool())
                        ? check.device().toString()
                        : "%s on %s".formatted(check.device(), check.node());
        return check.holders().isEmpty()
                ? where
                : "%s: %s"
                        .formatted(
                                where,
                                check.holders().stream()
                                        .map(AllocationPlan.DeviceHolder::toString)
                                        .collect(Collectors.joining(" and ")));
    }

    private static String devices(int count) {
        return count == 1 ? "1 device" : "%,d devices".formatted(count);
    }
}
