package dev.claimstream.console;

import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ProductName;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.access.NameRedaction;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The rows of the console page at one moment: JSON by table and key. Keys are {@code NAMESPACE/NAME} of a claim,
 * {@code DRIVER/POOL/DEVICE} and {@code DRIVER/POOL}, and the name of a node.
 */
record LiveRows(Map<Table, SortedMap<String, String>> tables) {
    static final LiveRows EMPTY = new LiveRows(Map.of());

    /** The tables of the page. */
    enum Table {
        CLAIMS("claims"),
        DEVICES("devices"),
        NODES("nodes"),
        POOLS("pools");

        private final String text;

        Table(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** Reads all rows. The view is locked only while its objects are collected. */
    static LiveObjects read(ClusterView clusterView, DeviceClasses deviceClasses) {
        ClassedObjects read = clusterView.read(VisibleObjects.EVERYTHING, ClassedObjects::of);
        return read.objects()
                .with(deviceClasses.of(read.classes(), read.objects().devices()));
    }

    private record ClassedObjects(LiveObjects objects, List<DeviceClass> classes) {
        static ClassedObjects of(ClusterView.Snapshot snapshot) {
            return new ClassedObjects(LiveObjects.of(snapshot), DeviceClasses.classes(snapshot));
        }
    }

    /**
     * The objects of one snapshot.
     *
     * @param classes names of the classes of each device that has one
     */
    record LiveObjects(
            List<ClaimView> claims,
            List<DeviceView> devices,
            List<NodeStatus> nodes,
            List<PoolView> pools,
            Map<DeviceId, List<String>> classes) {
        /** No objects. */
        static final LiveObjects NONE = new LiveObjects(List.of(), List.of(), List.of(), List.of(), Map.of());

        private static LiveObjects of(ClusterView.Snapshot snapshot) {
            InventoryView inventory = InventoryView.of(snapshot);
            return new LiveObjects(
                    snapshot.claims().toList(), inventory.devices(), inventory.nodes(), inventory.pools(), Map.of());
        }

        private LiveObjects with(Map<DeviceId, List<String>> classesOfDevices) {
            return new LiveObjects(claims, devices, nodes, pools, classesOfDevices);
        }

        /** Returns the objects that a caller sees, by the rules of {@link InventoryView}. */
        private LiveObjects limitedTo(VisibleObjects visible) {
            if (visible.isUnlimited()) {
                return this;
            }
            List<DeviceView> seen = devices.stream()
                    .map(device -> device.withHolders(visible))
                    .filter(device -> visible.hasDevices() || device.isOf(visible))
                    .toList();
            Set<PoolId> seenPools =
                    seen.stream().map(device -> device.id().poolId()).collect(Collectors.toSet());
            Set<String> ownNodes = seen.stream()
                    .filter(device -> device.isOf(visible))
                    .map(DeviceView::nodes)
                    .collect(Collectors.toSet());
            return new LiveObjects(
                    claims.stream()
                            .filter(claim -> visible.sees(claim.key().namespace()))
                            .toList(),
                    seen,
                    nodes.stream()
                            .filter(node -> visible.hasNodes() || ownNodes.contains(node.name()))
                            .toList(),
                    pools.stream()
                            .filter(pool -> visible.hasDevices() || seenPools.contains(pool.id()))
                            .toList(),
                    classes);
        }

        /** Renders what a caller sees. */
        LiveRows rows(VisibleObjects visible, NameRedaction redaction) {
            return limitedTo(visible).rows(redaction);
        }

        private LiveRows rows(NameRedaction redaction) {
            var tables = new EnumMap<Table, SortedMap<String, String>>(Table.class);
            Arrays.stream(Table.values()).forEach(table -> tables.put(table, new TreeMap<>()));
            claims.forEach(claim -> add(tables, Table.CLAIMS, claim.key().toString(), claim(claim)));
            devices.forEach(device -> add(
                    tables,
                    Table.DEVICES,
                    device.id().toString(),
                    device(device, classes.getOrDefault(device.id(), List.of()))));
            nodes.forEach(node ->
                    add(tables, Table.NODES, node.name(), without(InventoryJson.node(node, List.of()), "allocatable")));
            pools.forEach(pool -> add(tables, Table.POOLS, pool.id().toString(), InventoryJson.pool(pool, List.of())));
            tables.values().forEach(rows -> rows.replaceAll((_, row) -> redaction.of(row)));
            return new LiveRows(tables);
        }

        private static void add(
                Map<Table, SortedMap<String, String>> tables, Table table, String key, Tree.Mapping row) {
            Tree.Mapping withKey = Tree.mapping(fields -> {
                row.fields().forEach(fields::put);
                fields.put("key", key);
            });
            Objects.requireNonNull(tables.get(table)).put(key, withKey.json());
        }
    }

    private static Tree.Mapping claim(ClaimView view) {
        return Tree.mapping(fields -> {
            ClaimJson.summary(view).fields().forEach(fields::put);
            fields.putList("classes", classes(view.claim()), Tree::of);
            view.pendingDecision()
                    .ifPresent(pending -> fields.put(
                            "retryTrigger",
                            pending.reason().retryTrigger().name().toLowerCase(Locale.ROOT)));
        });
    }

    private static List<String> classes(ResourceClaim claim) {
        return claim.spec().requests().stream()
                .flatMap(request -> switch (request) {
                    case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec());
                    case DeviceRequest.FirstAvailable first ->
                        first.alternatives().stream().map(DeviceRequest.Alternative::spec);
                    case DeviceRequest.UnknownRequest _ -> Stream.empty();
                })
                .map(spec -> spec.deviceClassName())
                .distinct()
                .toList();
    }

    /** Renders a device without its attributes, which are most of its bytes, and without the time of its sample, which always changes. */
    private static Tree.Mapping device(DeviceView view, List<String> classes) {
        return Tree.mapping(fields -> {
            InventoryJson.device(view, classes).fields().forEach((name, value) -> {
                if (!name.equals("attributes")) {
                    boolean isSample = name.equals("sample");
                    fields.put(name, isSample && value instanceof Tree.Mapping sample ? without(sample, "at") : value);
                }
            });
            fields.putIfTrue("missing", view.device().isEmpty());
            view.device().ifPresent(device -> addKind(fields, device));
        });
    }

    private static Tree.Mapping without(Tree.Mapping mapping, String field) {
        return Tree.mapping(fields -> mapping.fields().forEach((name, value) -> {
            if (!name.equals(field)) {
                fields.put(name, value);
            }
        }));
    }

    private static void addKind(TreeFields fields, Device device) {
        fields.putIfPresent("product", ProductName.of(device.attributes()), Tree::of);
        fields.putList(
                "counterSets",
                device.consumesCounters().stream()
                        .map(CounterConsumption::counterSet)
                        .distinct()
                        .toList(),
                Tree::of);
        fields.putIfTrue("shared", device.allowMultipleAllocations());
    }

    /**
     * Returns these rows with the text of an equal row instead of each copy.
     *
     * @param texts known texts, to which those of these rows are added
     */
    LiveRows sharing(Map<String, String> texts) {
        tables.values().forEach(rows -> rows.replaceAll((_, row) -> texts.computeIfAbsent(row, text -> text)));
        return this;
    }

    /** Returns the rows of a table, by key. */
    SortedMap<String, String> of(Table table) {
        return tables.getOrDefault(table, new TreeMap<>());
    }

    /** Returns the JSON fields {@code "claims":[…],"devices":[…],…} of all rows. */
    String json() {
        return Arrays.stream(Table.values())
                .map(table -> "\"%s\":[%s]"
                        .formatted(table.text(), String.join(",", of(table).values())))
                .collect(Collectors.joining(","));
    }

    /**
     * Returns the JSON object with the rows that differ from earlier ones, and the keys of the rows that are gone:
     * {@code "changed":{"claims":[…]},"removed":{"claims":["KEY"]}}. Tables without a difference are left out. The result is empty if
     * nothing differs.
     */
    Optional<String> differencesFrom(LiveRows before) {
        String changed = Arrays.stream(Table.values())
                .flatMap(table -> field(table, changed(before.of(table), of(table))))
                .collect(Collectors.joining(","));
        String removed = Arrays.stream(Table.values())
                .flatMap(table -> field(table, removed(before.of(table), of(table))))
                .collect(Collectors.joining(","));
        return changed.isEmpty() && removed.isEmpty()
                ? Optional.empty()
                : Optional.of("\"changed\":{%s},\"removed\":{%s}".formatted(changed, removed));
    }

    private static Stream<String> field(Table table, List<String> values) {
        return values.isEmpty()
                ? Stream.empty()
                : Stream.of("\"%s\":[%s]".formatted(table.text(), String.join(",", values)));
    }

    private static List<String> changed(Map<String, String> before, Map<String, String> after) {
        return after.entrySet().stream()
                .filter(row -> !row.getValue().equals(before.get(row.getKey())))
                .map(Map.Entry::getValue)
                .toList();
    }

    private static List<String> removed(Map<String, String> before, Map<String, String> after) {
        return before.keySet().stream()
                .filter(key -> !after.containsKey(key))
                .map(key -> Tree.of(key).json())
                .toList();
    }
}
