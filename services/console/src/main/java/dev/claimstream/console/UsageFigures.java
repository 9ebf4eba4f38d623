package dev.claimstream.console;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ProductName;
import dev.claimstream.kubernetes.access.VisibleObjects;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Devices and claims of the cluster at one moment, counted for the metrics of the console. Each map has the label values of a row in the
 * order of its {@link dev.claimstream.observability.Meter}.
 *
 * @param nodePools devices by node pool, driver, product and state
 * @param devices allocated devices by namespace, driver, class, product and use
 * @param claims claims by namespace and state
 * @param pendingSeconds sum of the ages of the pending claims, by namespace
 * @param holders a row per device and claim; empty unless it is wanted
 */
record UsageFigures(
        Map<List<String>, Long> nodePools,
        Map<List<String>, Long> devices,
        Map<List<String>, Long> claims,
        Map<List<String>, Double> pendingSeconds,
        Map<List<String>, Integer> holders) {
    static final UsageFigures NONE = new UsageFigures(Map.of(), Map.of(), Map.of(), Map.of(), Map.of());

    /** A sample older than this says nothing about the use of a device. */
    static final Duration SAMPLE_AGE_MAX = Duration.ofMinutes(5);

    private static final String NO_POOL = "(none)";
    private static final Comparator<List<String>> BY_LABELS = Comparator.comparing(labels -> String.join("\0", labels));

    /**
     * What to count.
     *
     * @param idlePercent a device with a lower utilisation is idle
     * @param nodePoolLabels labels of nodes, the best first
     * @param withHolders whether there is a row per device
     */
    record UsageRules(double idlePercent, List<String> nodePoolLabels, boolean withHolders) {
        UsageRules {
            nodePoolLabels = List.copyOf(nodePoolLabels);
        }
    }

    /** Counts the present state. The view is locked only while its objects are collected. */
    static UsageFigures of(ClusterView clusterView, UsageRules rules, Instant now) {
        return clusterView
                .read(
                        VisibleObjects.EVERYTHING, // metrics are the same for every reader
                        snapshot -> new UsageCount(snapshot.claims().toList(), InventoryView.of(snapshot), rules, now))
                .figures();
    }

    /** The count of one snapshot. */
    private static final class UsageCount {
        private final List<ClaimView> claims;
        private final InventoryView inventory;
        private final UsageRules rules;
        private final Instant now;
        private final Map<String, String> poolOfNode = new HashMap<>();
        private final Map<ObjectKey, Map<DeviceId, String>> classes = new HashMap<>();
        private final SortedMap<List<String>, Long> nodePools = new TreeMap<>(BY_LABELS);
        private final SortedMap<List<String>, Long> devices = new TreeMap<>(BY_LABELS);
        private final SortedMap<List<String>, Long> claimStates = new TreeMap<>(BY_LABELS);
        private final SortedMap<List<String>, Double> pendingSeconds = new TreeMap<>(BY_LABELS);
        private final Map<List<String>, Integer> holders = new LinkedHashMap<>();

        UsageCount(List<ClaimView> claims, InventoryView inventory, UsageRules rules, Instant now) {
            this.claims = claims;
            this.inventory = inventory;
            this.rules = rules;
            this.now = now;
        }

        UsageFigures figures() {
            inventory.nodes().forEach(node -> poolOfNode.put(node.name(), nodePool(node)));
            claims.forEach(this::countClaim);
            var addresses = rules.withHolders()
                    ? ExporterNames.PciAddresses.of(inventory.devices())
                    : new ExporterNames.PciAddresses(Map.of());
            inventory.devices().forEach(device -> countDevice(device, addresses));
            return new UsageFigures(nodePools, devices, claimStates, pendingSeconds, holders);
        }

        private String nodePool(NodeStatus node) {
            Map<String, String> labels = node.node().meta().labels();
            return rules.nodePoolLabels().stream()
                    .filter(labels::containsKey)
                    .map(labels::get)
                    .findFirst()
                    .orElse(NO_POOL);
        }

        private void countClaim(ClaimView claim) {
            boolean isAllocated = claim.allocation().isPresent();
            String namespace = claim.key().namespace();
            claimStates.merge(
                    List.of(namespace, isAllocated ? ClaimStateText.ALLOCATED : ClaimStateText.PENDING), 1L, Long::sum);
            double age = isAllocated
                    ? 0
                    : claim.claim()
                            .meta()
                            .created()
                            .map(created ->
                                    Math.max(0, Duration.between(created, now).toMillis() / 1000.0))
                            .orElse(0.0);
            pendingSeconds.merge(List.of(namespace), age, Double::sum);
            claim.allocation()
                    .ifPresent(allocation -> allocation
                            .results()
                            .forEach(result -> classes.computeIfAbsent(claim.key(), _ -> new HashMap<>())
                                    .putIfAbsent(result.device(), requestedClass(claim, result.request()))));
        }

        private static String requestedClass(ClaimView claim, String request) {
            String main = request.contains("/") ? request.substring(0, request.indexOf('/')) : request;
            return claim.claim().spec().requests().stream()
                    .filter(each -> each.name().equals(main))
                    .findFirst()
                    .flatMap(each -> switch (each) {
                        case DeviceRequest.Exactly exactly -> Optional.of(exactly.spec());
                        case DeviceRequest.FirstAvailable first ->
                            first.alternatives().stream()
                                    .filter(alternative -> request.equals(main + "/" + alternative.name()))
                                    .map(DeviceRequest.Alternative::spec)
                                    .findFirst();
                        case DeviceRequest.UnknownRequest _ -> Optional.empty();
                    })
                    .map(spec -> spec.deviceClassName())
                    .orElse("");
        }

        private void countDevice(DeviceView device, ExporterNames.PciAddresses addresses) {
            String nodePool = poolOfNode.getOrDefault(device.nodes(), NO_POOL);
            String driver = device.id().driver();
            String product = device.device()
                    .flatMap(published -> ProductName.of(published.attributes()))
                    .orElse("");
            nodePools.merge(List.of(nodePool, driver, product, device.state().text()), 1L, Long::sum);
            SortedSet<String> namespaces = new TreeSet<>();
            for (ObjectKey claim : device.claims()) {
                if (namespaces.add(claim.namespace())) {
                    devices.merge(
                            List.of(claim.namespace(), driver, classOf(claim, device), product, use(device)),
                            1L,
                            Long::sum);
                }
            }
            if (rules.withHolders()) {
                addHolders(device, nodePool, product, ExporterNames.of(device.id(), device.device(), addresses));
            }
        }

        private void addHolders(DeviceView device, String nodePool, String product, ExporterNames names) {
            List<String> common = List.of(
                    device.nodes(),
                    nodePool,
                    device.id().driver(),
                    device.id().pool(),
                    device.id().device(),
                    product,
                    names.uuid(),
                    names.parentUuid(),
                    names.profile(),
                    names.serial(),
                    names.index());
            if (device.claims().isEmpty()) {
                holders.put(with(common, "", "", ""), 1);
            }
            device.claims()
                    .forEach(claim ->
                            holders.put(with(common, classOf(claim, device), claim.namespace(), claim.name()), 1));
        }

        private static List<String> with(List<String> common, String... more) {
            List<String> all = new ArrayList<>(common);
            all.addAll(List.of(more));
            return all;
        }

        private String classOf(ObjectKey claim, DeviceView device) {
            return classes.getOrDefault(claim, Map.of()).getOrDefault(device.id(), "");
        }

        private String use(DeviceView device) {
            return device.sample()
                    .filter(sample -> sample.at().plus(SAMPLE_AGE_MAX).isAfter(now))
                    .filter(sample -> sample.utilizationPercent().isPresent())
                    .map(sample -> sample.utilizationPercent().getAsDouble() < rules.idlePercent() ? "idle" : "used")
                    .orElse("unmeasured");
        }
    }
}
