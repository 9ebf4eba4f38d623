package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.dra.DeviceResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Renders a {@link SimulationResult} for people. Long lists are cut; JSON has all items. */
public final class SimulationText {
    private static final int ITEMS_MAX = 20;
    private static final int DEVICES_MAX = 8;

    private final SimulationResult result;
    private final List<String> lines = new ArrayList<>();

    private SimulationText(SimulationResult result) {
        this.result = result;
    }

    /** Returns the lines, each with a line break. */
    public static String of(SimulationResult result) {
        return new SimulationText(result).text();
    }

    private String text() {
        lines.add("simulated on the state of %s (UTC)%s, policy %s; nothing was changed"
                .formatted(
                        result.at(),
                        result.offset() < 0 ? "" : ", input %d".formatted(result.offset()),
                        result.policy().text()));
        addCells();
        addItems("requested", result.requested());
        addItems("of drained nodes", result.evicted());
        addItems("other changes", result.others());
        if (!result.withoutClaims().isEmpty()) {
            lines.add("without claims: "
                    + result.withoutClaims().stream()
                            .limit(ITEMS_MAX)
                            .map(Object::toString)
                            .collect(Collectors.joining(", ")));
        }
        if (!result.shapes().isEmpty()) {
            lines.add("with one more node:");
            result.shapes()
                    .forEach(shape -> lines.add("  %s%s: %s"
                            .formatted(
                                    shape.shape(),
                                    shape.node().equals(shape.shape()) ? "" : " (like %s)".formatted(shape.node()),
                                    shape.fits().isEmpty()
                                            ? "nothing more fits"
                                            : "fits "
                                                    + shape.fits().stream()
                                                            .limit(DEVICES_MAX)
                                                            .map(Object::toString)
                                                            .collect(Collectors.joining(", "))
                                                    + more(shape.fits().size() - DEVICES_MAX))));
        }
        if (!result.isComplete()) {
            lines.add("the work limit was reached: pending items may fit");
        }
        addUsage();
        return String.join("\n", lines) + "\n";
    }

    /** The cells that own the nodes, and what is approximate with several cells. */
    private void addCells() {
        if (result.cells().isEmpty()) {
            return;
        }
        lines.add(
                "%d cells, asked in the order of their free devices; the turn of equal cells, open offers and gangs are approximate"
                        .formatted(result.cells().size()));
        result.cells()
                .forEach(share -> lines.add("  cell %d: %d nodes, %d of %d devices in use, input %d"
                        .formatted(
                                share.cell(),
                                share.usage().nodes(),
                                share.usage().used(),
                                share.usage().devices(),
                                share.offset())));
    }

    private String cell(ItemOutcome item) {
        return Optional.ofNullable(result.allocatingCells().get(item.item()))
                .map(" (cell %d)"::formatted)
                .orElse("");
    }

    private static String more(int count) {
        return count > 0 ? " and %d more".formatted(count) : "";
    }

    private void addItems(String title, List<ItemOutcome> items) {
        if (items.isEmpty()) {
            return;
        }
        long allocated = items.stream().filter(ItemOutcome::isAllocated).count();
        lines.add("%s: %d allocated, %d pending".formatted(title, allocated, items.size() - allocated));
        items.stream().limit(ITEMS_MAX).forEach(item -> lines.add("  " + line(item) + cell(item)));
        if (items.size() > ITEMS_MAX) {
            lines.add("  and %d more: use -o json for all".formatted(items.size() - ITEMS_MAX));
        }
    }

    private static String line(ItemOutcome outcome) {
        return outcome.reason()
                .map(reason -> "%s: pending, %s: %s".formatted(outcome.item(), reason, outcome.message()))
                .orElseGet(() -> "%s: %s%s%s"
                        .formatted(
                                outcome.item(),
                                outcome.node().map(node -> "on " + node).orElse("on every node"),
                                outcome.devices().isEmpty() ? "" : ", ",
                                outcome.devices().stream()
                                                .limit(DEVICES_MAX)
                                                .map(SimulationText::device)
                                                .collect(Collectors.joining(" "))
                                        + more(outcome.devices().size() - DEVICES_MAX)));
    }

    private static String device(DeviceResult device) {
        return "%s/%s".formatted(device.device().pool(), device.device().device());
    }

    private void addUsage() {
        lines.add("%-30s %12s %12s".formatted("", "before", "after"));
        addRow("nodes", usage -> Long.toString(usage.nodes()));
        addRow("devices", usage -> Long.toString(usage.devices()));
        addRow("devices in use", usage -> "%d (%d %%)".formatted(usage.used(), usage.usedPercent()));
        addRow("most free devices on one node", usage -> Long.toString(usage.largestFree()));
        addRow(
                "free on partly used nodes",
                usage -> "%d (%d %%)".formatted(usage.scattered(), usage.fragmentationPercent()));
        addRow("pending items", usage -> Long.toString(usage.pending()));
    }

    private void addRow(String name, Function<FleetUsage, String> value) {
        lines.add("%-30s %12s %12s".formatted(name, value.apply(result.before()), value.apply(result.after())));
    }
}
