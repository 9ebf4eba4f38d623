package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.ClaimRow.AllocationRow;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.SchedulingRow.ItemRow;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.inventory.DeviceUsageIndex;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.schemas.AlarmRecord;
import dev.claimstream.schemas.AllocatedDecision;
import dev.claimstream.schemas.AllocationRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Describes the claims, nodes and devices that events name, as they are in a state. */
final class SurroundingState {
    private static final int CLAIMS_MAX = 3;
    private static final int NODES_MAX = 3;
    private static final int DEVICE_LINES_MAX = 4;
    private static final int NAMES_MAX = 8;

    private final State state;
    private final Map<String, ObjectKey> claims = new LinkedHashMap<>();
    private final Map<String, SortedSet<String>> driversByNode = new LinkedHashMap<>();
    private final Set<DeviceId> devices = new LinkedHashSet<>();

    private SurroundingState(State state) {
        this.state = state;
    }

    /**
     * Returns at most 14 lines: the cell, and what the events name that only one of the two results has. Equal results
     * differ in their hashes alone; then all events count.
     */
    static List<String> lines(State state, List<LedgerEvent> recorded, List<LedgerEvent> replayed) {
        var surrounding = new SurroundingState(state);
        differing(recorded, replayed).forEach(surrounding::add);
        return surrounding.lines();
    }

    private static List<LedgerEvent> differing(List<LedgerEvent> recorded, List<LedgerEvent> replayed) {
        Set<String> common = texts(recorded);
        common.retainAll(texts(replayed));
        List<LedgerEvent> all =
                Stream.concat(recorded.stream(), replayed.stream()).toList();
        List<LedgerEvent> differing = all.stream()
                .filter(event -> !common.contains(Divergence.text(event)))
                .toList();
        return differing.isEmpty() ? all : differing;
    }

    private static Set<String> texts(List<LedgerEvent> events) {
        return events.stream().map(Divergence::text).collect(Collectors.toSet());
    }

    // ---- objects of the events

    private void add(LedgerEvent event) {
        event.getDecision().ifPresent(this::add);
        event.getAlarm().ifPresent(this::add);
    }

    private void add(AlarmRecord alarm) {
        devices.add(new DeviceId(alarm.getDriver(), alarm.getPool(), alarm.getDevice()));
    }

    private void add(DecisionRecord decision) {
        claims.put(decision.getClaimUid(), new ObjectKey(decision.getNamespace(), decision.getName()));
        decision.getAllocated().ifPresent(this::add);
        decision.getRevoked().ifPresent(revoked -> add(revoked.getAllocated()));
        decision.getDeallocation().ifPresent(cleared -> devices.addAll(devices(cleared.getAllocation())));
    }

    private void add(AllocatedDecision allocated) {
        List<DeviceId> chosen = devices(allocated.getAllocation());
        devices.addAll(chosen);
        SortedSet<String> drivers = driversByNode.computeIfAbsent(allocated.getNode(), _ -> new TreeSet<>());
        chosen.forEach(device -> drivers.add(device.driver()));
    }

    private static List<DeviceId> devices(AllocationRecord allocation) {
        return allocation.getResults().stream()
                .map(result -> new DeviceId(
                        result.getDevice().getDriver(),
                        result.getDevice().getPool(),
                        result.getDevice().getDevice()))
                .toList();
    }

    // ---- text

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("cell %d: %d of %d devices free, pending items: %d"
                .formatted(
                        state.identity().index(),
                        state.freeDevices(),
                        state.inventory().slices().devices(),
                        state.pending().size()));
        List<String> ofClaims = new ArrayList<>();
        claims.forEach((uid, key) -> ofClaims.add("claim %s: %s".formatted(key, claim(uid, key))));
        List<String> ofNodes = new ArrayList<>();
        driversByNode.forEach((node, drivers) -> ofNodes.add("node %s: %s".formatted(node, node(node, drivers))));
        Map<String, List<String>> byUsage = new LinkedHashMap<>();
        devices.forEach(device ->
                byUsage.computeIfAbsent(usage(device), _ -> new ArrayList<>()).add(device.toString()));
        List<String> ofDevices = new ArrayList<>();
        byUsage.forEach((usage, names) -> ofDevices.add("%s: %s".formatted(first(names), usage)));
        addFirst(lines, ofClaims, CLAIMS_MAX, "claims");
        addFirst(lines, ofNodes, NODES_MAX, "nodes");
        addFirst(lines, ofDevices, DEVICE_LINES_MAX, "groups of devices");
        return lines;
    }

    private static void addFirst(List<String> lines, List<String> more, int max, String kind) {
        more.stream().limit(max).forEach(lines::add);
        if (more.size() > max) {
            lines.add("… and %d more %s".formatted(more.size() - max, kind));
        }
    }

    private static String first(Collection<String> names) {
        String shown = names.stream().limit(NAMES_MAX).collect(Collectors.joining(", "));
        return names.size() > NAMES_MAX ? "%s and %d more".formatted(shown, names.size() - NAMES_MAX) : shown;
    }

    private String claim(String uid, ObjectKey key) {
        Optional<ResourceClaim> claim =
                state.claim(key).filter(each -> each.meta().uid().equals(uid));
        Optional<String> allocation = claim.flatMap(ResourceClaim::allocation)
                .map(status -> "allocated: " + devicesOf(status))
                .or(() -> state.decidedAllocation(uid).map(SurroundingState::decision));
        return claim.isPresent()
                ? "%s; %s".formatted(allocation.orElseGet(() -> pending(key)), pods(key))
                : allocation.map("absent; "::concat).orElse("absent");
    }

    private static String decision(AllocationRow decided) {
        return "decision %d, %s: node %s, %s"
                .formatted(
                        decided.number(),
                        decided.commitState().toString().toLowerCase(Locale.ROOT),
                        decided.node(),
                        devicesOf(decided.allocation()));
    }

    private static String devicesOf(Allocation allocation) {
        return first(allocation.results().stream()
                .map(result -> result.device().toString())
                .toList());
    }

    /** The reason of the first work item of the claim: that of a pod, else that of the claim. */
    private String pending(ObjectKey key) {
        return Stream.concat(state.podsOf(key).stream().map(ItemId::pod), Stream.of(ItemId.claim(key)))
                .flatMap(item -> state.item(item).stream())
                .findFirst()
                .flatMap(ItemRow::reason)
                .map(reason -> "pending (%s)".formatted(reason))
                .orElse("pending");
    }

    private String pods(ObjectKey claim) {
        List<String> pods = state.podsOf(claim).stream()
                .map(key -> "pod %s %s"
                        .formatted(
                                key,
                                state.pod(key)
                                        .flatMap(Pod::nodeName)
                                        .map("on node "::concat)
                                        .orElse("without node")))
                .toList();
        return pods.isEmpty() ? "no pod" : first(pods);
    }

    private String node(String name, SortedSet<String> drivers) {
        return state.inventory()
                .view(name)
                .filter(NodeDeviceView::isUsable)
                .map(view -> drivers.stream().map(driver -> free(view, driver)).collect(Collectors.joining("; ")))
                .orElse("not usable: it does not exist, is not ready or is silent");
    }

    private static String free(NodeDeviceView view, String driver) {
        List<DeviceUsage> all = view.candidates().stream()
                .filter(candidate -> candidate.driver().equals(driver))
                .map(DeviceCandidate::usage)
                .toList();
        List<String> free = all.stream()
                .filter(DeviceUsage::isFree)
                .map(usage -> usage.device().pool() + "/" + usage.device().device())
                .toList();
        return "%d of %d devices of %s free%s"
                .formatted(free.size(), all.size(), driver, free.isEmpty() ? "" : ": " + first(free));
    }

    private String usage(DeviceId device) {
        DeviceUsageIndex usages = state.inventory().usages();
        List<String> holders = usages.find(device).map(DeviceUsage::entries).orElse(List.of()).stream()
                .map(entry -> "claim %s (%s)".formatted(entry.claim(), usages.stateOf(entry)))
                .toList();
        if (!holders.isEmpty()) {
            return first(holders);
        }
        return state.inventory().slices().published(device).isPresent() ? "free" : "not published";
    }
}
