package dev.claimstream.cli.console;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.Age;
import dev.claimstream.cli.output.DeviceNames;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Quantity;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The kinds of {@code claimstream get}, with path, names and columns. */
public enum ListKind {
    CLAIMS("claims", "resourceclaim.resource.k8s.io", "claim|claims|resourceclaim|resourceclaims"),
    DEVICES("devices", "device", "device|devices|dev"),
    NODES("nodes", "node", "node|nodes|no"),
    POOLS("pools", "pool", "pool|pools");

    /** Title of the column that changes with time. */
    public static final String AGE = "AGE";

    /** Title of the column with remaining capacity and counters; it is empty for most devices. */
    public static final String REMAINING = "REMAINING";

    /** Reason of an allocation that only the log has: another producer published the claim, and the cluster has none. */
    private static final String FOREIGN = "NotInCluster";

    private static final int NAMES_MAX = 2;
    private static final int TEXT_MAX = 60;

    private final String path;
    private final String prefix;
    private final String names;

    ListKind(String path, String prefix, String names) {
        this.path = path;
        this.prefix = prefix;
        this.names = names;
    }

    public static Optional<ListKind> of(String name) {
        return Arrays.stream(values())
                .filter(each -> name.toLowerCase(Locale.ROOT).matches(each.names))
                .findFirst();
    }

    public String path() {
        return path;
    }

    /**
     * A column of the table.
     *
     * @param cell returns the cell of an object
     */
    public record Column(String title, Function<JsonObject, String> cell) {
        static Column of(String title, String field) {
            return new Column(title, item -> item.cell(field));
        }
    }

    /** Returns the identifier of an object for {@code -o name}. */
    public String name(JsonObject item) {
        return prefix + "/"
                + switch (this) {
                    case CLAIMS, NODES -> item.text("name");
                    case DEVICES -> item.text("driver") + "/" + item.text("pool") + "/" + item.text("device");
                    case POOLS -> item.text("driver") + "/" + item.text("pool");
                };
    }

    /**
     * Returns the columns of the kind.
     *
     * @param allNamespaces whether the namespace is a column, as in kubectl
     */
    public List<Column> columns(boolean wide, boolean allNamespaces, InstantSource clock) {
        return switch (this) {
            case CLAIMS -> claims(wide, allNamespaces, clock);
            case DEVICES -> devices(wide);
            case NODES -> nodes(wide, clock);
            case POOLS -> pools();
        };
    }

    private static List<Column> claims(boolean wide, boolean allNamespaces, InstantSource clock) {
        List<Column> columns = new ArrayList<>();
        if (allNamespaces) {
            columns.add(Column.of("NAMESPACE", "namespace"));
        }
        columns.add(Column.of("NAME", "name"));
        columns.add(Column.of("STATE", "state"));
        columns.add(Column.of("NODE", "node"));
        columns.add(new Column("DEVICES", claim -> devices(claim, wide ? Integer.MAX_VALUE : NAMES_MAX)));
        columns.add(new Column("PODS", claim -> pods(claim.texts("pods"), wide)));
        columns.add(age(clock));
        columns.add(new Column("REASON", ListKind::reason));
        if (wide) {
            columns.add(new Column("RESERVED FOR", claim -> joined(claim.texts("reservedFor"))));
            columns.add(Column.of("DECISION", "decision"));
            columns.add(Column.of("COMMITTED", "committed"));
            columns.add(new Column("BECAUSE", claim -> claim.find("message").orElse(claim.cell("rationale"))));
        }
        return columns;
    }

    private static Column age(InstantSource clock) {
        return new Column(AGE, item -> Age.since(item.text("created"), clock));
    }

    /** Returns the pods of a claim; by default the first pod and the number of the others. */
    private static String pods(List<String> pods, boolean all) {
        return all || pods.size() < 2 ? joined(pods) : "%s,+%d".formatted(pods.getFirst(), pods.size() - 1);
    }

    /** Returns why the claim is pending, why its allocation is not committed, or that the allocation is unmanaged. */
    private static String reason(JsonObject claim) {
        return claim.find("reason")
                .or(() -> claim.find("unmanaged").map(_ -> Reason.Unmanaged.name()))
                .or(() -> claim.find("foreign").map(_ -> FOREIGN))
                .or(() -> claim.find("outcome")
                        .filter(_ -> claim.text("committed").equals("false"))
                        .filter(outcome -> !outcome.equals("committed")))
                .orElse("-");
    }

    /** Formats the devices of a claim. */
    public static String devices(JsonObject claim, int namesMax) {
        List<DeviceResult> results =
                claim.items("devices").stream().map(ListKind::result).toList();
        return results.isEmpty()
                ? "-"
                : DeviceNames.of(new Allocation(results, List.of(), Optional.empty(), Optional.empty()), namesMax);
    }

    private static DeviceResult result(JsonObject device) {
        JsonObject amounts = device.item("consumedCapacity");
        SortedMap<String, Quantity> consumed = new TreeMap<>();
        amounts.names().forEach(name -> consumed.put(name, Quantity.parse(amounts.text(name))));
        return DeviceResult.builder(
                        device.text("request"),
                        new DeviceId(device.text("driver"), device.text("pool"), device.text("device")))
                .consumedCapacity(consumed)
                .build();
    }

    private static List<Column> devices(boolean wide) {
        List<Column> columns = new ArrayList<>(List.of(
                Column.of("NODE", "node"),
                Column.of("DRIVER", "driver"),
                Column.of("POOL", "pool"),
                Column.of("DEVICE", "device"),
                Column.of("STATE", "state"),
                new Column("CLAIMS", device -> joined(device.texts("claims"))),
                new Column(REMAINING, ListKind::remaining)));
        if (wide) {
            columns.add(new Column("UTIL", device -> number(device.item("sample"), "utilizationPercent", "%.0f%%")));
            columns.add(new Column("TEMP", device -> number(device.item("sample"), "temperatureCelsius", "%.0fC")));
            columns.add(new Column("POWER", device -> number(device.item("sample"), "powerWatts", "%.0fW")));
            columns.add(Column.of("REASON", "reason"));
            columns.add(new Column("CAPACITY", device -> joined(device.pairs("capacity"))));
            columns.add(new Column("ATTRIBUTES", device -> shortened(joined(device.pairs("attributes")))));
        }
        return columns;
    }

    /** Returns the remaining shared capacity, and the remaining counters that the device consumes. */
    private static String remaining(JsonObject device) {
        return joined(Stream.concat(device.pairs("remaining").stream(), device.pairs("remainingCounters").stream())
                .toList());
    }

    private static String number(JsonObject sample, String field, String format) {
        return sample.find(field)
                .map(text -> String.format(Locale.ROOT, format, Double.parseDouble(text)))
                .orElse("-");
    }

    private static List<Column> nodes(boolean wide, InstantSource clock) {
        List<Column> columns = new ArrayList<>(List.of(
                Column.of("NAME", "name"),
                Column.of("STATUS", "status"),
                Column.of("DEVICES", "devices"),
                Column.of("ALLOCATED", "allocated"),
                Column.of("FREE", "free"),
                age(clock)));
        if (wide) {
            columns.add(new Column("DRIVERS", node -> joined(node.texts("drivers"))));
            columns.add(new Column("CLAIMS", node -> shortened(joined(node.texts("claims")))));
            columns.add(new Column("TAINTS", node -> joined(node.texts("taints"))));
        }
        return columns;
    }

    private static List<Column> pools() {
        return List.of(
                Column.of("DRIVER", "driver"),
                Column.of("POOL", "pool"),
                Column.of("NODE", "node"),
                Column.of("GENERATION", "generation"),
                new Column("SLICES", pool -> pool.text("slices") + "/" + pool.text("expectedSlices")),
                Column.of("STATE", "state"),
                Column.of("DEVICES", "devices"),
                Column.of("ALLOCATED", "allocated"),
                Column.of("FREE", "free"));
    }

    private static String joined(List<String> texts) {
        return texts.isEmpty() ? "-" : String.join(",", texts);
    }

    private static String shortened(String text) {
        return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX - 1) + "…";
    }
}
