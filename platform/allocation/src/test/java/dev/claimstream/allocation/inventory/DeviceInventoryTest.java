package dev.claimstream.allocation.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the visible devices of nodes and the change log of the inventory. */
class DeviceInventoryTest {
    private static final PoolId POOL = new PoolId(SampleObjects.DRIVER, "pool");
    private final DeviceInventory inventory = new DeviceInventory();

    private List<String> devices(String node) {
        return inventory.view(node).map(NodeDeviceView::candidates).orElse(List.of()).stream()
                .filter(DeviceCandidate::isReachable)
                .map(candidate -> candidate.usage().device().device())
                .toList();
    }

    private static ResourceSlice slice(String name, long generation, long count, String where, String... devices) {
        return SampleObjects.slice(name, "pool", generation, count, where, devices);
    }

    private void node(String name, String... labels) {
        inventory.put(SampleObjects.node(name, labels));
    }

    @Test
    void doesNotUsePoolBeforeItsNodeExists() {
        inventory.put(slice("a", 1, 1, "node-1", "gpu-0"));
        assertThat(devices("node-1")).isEmpty();
        assertThat(inventory.view("node-1"))
                .hasValueSatisfying(view -> assertThat(view.isUsable()).isFalse());
        node("node-1");
        assertThat(devices("node-1")).containsExactly("gpu-0");
    }

    @Test
    void completesPoolAtExactSliceCount() {
        node("node-1");
        inventory.put(slice("a", 1, 2, "node-1", "gpu-0"));
        assertThat(devices("node-1")).isEmpty();
        assertThat(inventory.view("node-1").orElseThrow().incompletePools()).containsExactly(POOL);
        inventory.put(slice("b", 1, 2, "node-1", "gpu-1"));
        assertThat(devices("node-1")).containsExactly("gpu-0", "gpu-1");
        inventory.put(slice("c", 1, 2, "node-1", "gpu-2"));
        assertThat(devices("node-1")).as("too many are incomplete too").isEmpty();
    }

    @Test
    void countsSlicesAndGenerationsOfOtherNodes() {
        node("node-1");
        node("node-2");
        inventory.put(slice("a", 1, 2, "node-1", "gpu-0"));
        inventory.put(slice("b", 1, 2, "node-2", "gpu-0"));
        assertThat(devices("node-1")).containsExactly("gpu-0");
        inventory.put(slice("b", 2, 2, "node-2", "gpu-0"));
        assertThat(devices("node-1")).isEmpty();
        assertThat(inventory.view("node-1").orElseThrow().incompletePools())
                .as("what is left on node-1 is old, not incomplete")
                .isEmpty();
        assertThat(inventory.view("node-2").orElseThrow().incompletePools()).containsExactly(POOL);
    }

    @Test
    void ignoresNewerGenerationIfOwnSlicesAreComplete() {
        node("node-1");
        inventory.put(slice("a", 1, 1, "node-1", "gpu-0"));
        inventory.put(slice("b", 2, 1, "node-2", "gpu-1"));
        assertThat(devices("node-1")).containsExactly("gpu-0");
    }

    @Test
    void ignoresOlderGeneration() {
        node("node-1");
        inventory.put(slice("a", 1, 2, "node-1", "old-0"));
        inventory.put(slice("b", 1, 2, "node-1", "old-1"));
        inventory.put(slice("c", 2, 1, "node-1", "new-0"));
        assertThat(devices("node-1")).containsExactly("new-0");
    }

    @Test
    void invalidatesPoolOnlyForNodesWithBothDuplicateDevices() {
        node("node-1");
        node("node-2");
        inventory.put(slice("a", 1, 3, "node-1", "gpu-0"));
        inventory.put(slice("b", 1, 3, "node-1", "gpu-0"));
        inventory.put(slice("c", 1, 3, "node-2", "gpu-0"));
        assertThat(inventory.view("node-1").orElseThrow().invalidPools()).containsExactly(POOL);
        assertThat(devices("node-2")).containsExactly("gpu-0");
    }

    @Test
    void derivesReachFromNodeNamesLabelsAndDevices() {
        node("node-1", "zone=a");
        node("node-2", "zone=b");
        inventory.put(SampleObjects.slice("a", "a", 1, 1, "zone=a", "zonal"));
        inventory.put(SampleObjects.slice("b", "b", 1, 1, "*", "everywhere"));
        inventory.put(SampleObjects.slice("c", "c", 1, 1, "devices", "one @node-1", "two @zone=b", "none"));
        inventory.put(SampleObjects.slice("d", "d", 1, 1, "?", "nowhere"));
        assertThat(devices("node-1")).containsExactly("zonal", "everywhere", "one");
        assertThat(devices("node-2")).containsExactly("everywhere", "two");
        node("node-2", "zone=a");
        assertThat(devices("node-2")).containsExactly("zonal", "everywhere");
    }

    @Test
    void appendsTaintsOfRulesInOrderOfTheirNames() {
        node("node-1");
        inventory.put(slice("a", 1, 1, "node-1", "gpu-0 !own:NoSchedule"));
        inventory.put(SampleObjects.taintRule("b", "second:NoExecute", SampleObjects.DRIVER, "pool", "gpu-0"));
        inventory.put(SampleObjects.taintRule("a", "first:NoExecute", "", "", ""));
        inventory.put(SampleObjects.taintRule("c", "other:NoExecute", "", "another-pool", ""));
        assertThat(inventory
                        .view("node-1")
                        .orElseThrow()
                        .candidates()
                        .getFirst()
                        .device()
                        .taints())
                .extracting(Object::toString)
                .containsExactly("own:NoSchedule", "first:NoExecute", "second:NoExecute");
    }

    @Test
    void keepsUsageWhileDeviceIsUnpublished() {
        node("node-1");
        var device = new DeviceId(SampleObjects.DRIVER, "pool", "gpu-0");
        inventory.addUsage(DeviceResult.of("r", device), "uid", new ObjectKey("default", "claim"));
        inventory.put(slice("a", 1, 1, "node-1", "gpu-0"));
        assertThat(candidate("node-1").usage().isFree()).isFalse();
        inventory.remove(slice("a", 1, 1, "node-1"));
        inventory.put(slice("a", 1, 1, "node-1", "gpu-0"));
        assertThat(candidate("node-1").usage().entries())
                .containsExactly(
                        new DeviceUsage.UsageEntry("uid", new ObjectKey("default", "claim"), Optional.empty()));
        inventory.addUsage(DeviceResult.of("r", device), "another", new ObjectKey("default", "a"));
        assertThat(candidate("node-1").usage().isContested()).isTrue();
        inventory.removeUsage(device, "uid");
        inventory.removeUsage(device, "another");
        inventory.removeUsage(device, "unknown");
        assertThat(candidate("node-1").usage().isFree()).isTrue();
    }

    private DeviceCandidate candidate(String node) {
        return inventory.view(node).orElseThrow().candidates().getFirst();
    }

    @Test
    void hidesDevicesOfSilentOrUnreadyNode() {
        node("node-1");
        inventory.put(slice("a", 1, 1, "node-1", "gpu-0"));
        inventory.setSilent("node-1", true);
        assertThat(devices("node-1")).isEmpty();
        inventory.setSilent("node-1", false);
        assertThat(devices("node-1")).containsExactly("gpu-0");
        inventory.put(new Node(SampleObjects.node("node-1").meta(), List.of(), false, false));
        assertThat(devices("node-1")).isEmpty();
        inventory.removeNode("node-1");
        node("node-1");
        assertThat(devices("node-1")).containsExactly("gpu-0");
    }

    // ---- change log

    private Optional<SortedSet<String>> changedSince(long place) {
        var changed = new TreeSet<String>();
        return inventory.visitChanges(place, view -> changed.add(view.name()))
                ? Optional.of(changed)
                : Optional.empty();
    }

    @Test
    void reportsChangedNodes() {
        for (int i = 1; i <= 3; i++) {
            node("node-" + i);
            inventory.put(SampleObjects.slice("node-" + i, "gpu-0"));
        }
        long start = inventory.changesEnd();
        inventory.addUsage(
                DeviceResult.of("r", new DeviceId(SampleObjects.DRIVER, "node-2", "gpu-0")),
                "uid",
                new ObjectKey("default", "claim"));
        assertThat(changedSince(start))
                .hasValueSatisfying(all -> assertThat(all).containsExactly("node-2"));
        long next = inventory.changesEnd();
        assertThat(changedSince(next)).hasValueSatisfying(all -> assertThat(all).isEmpty());
        inventory.put(SampleObjects.slice("net", "net", 1, 1, "*", "gpu-0"));
        assertThat(changedSince(next)).hasValueSatisfying(all -> assertThat(all).hasSize(3));
    }

    @Test
    void reportsExpiredChangeLogPosition() {
        node("node-1");
        inventory.put(slice("a", 1, 1, "node-1", "gpu-0"));
        var device = new DeviceId(SampleObjects.DRIVER, "pool", "gpu-0");
        long start = inventory.changesEnd();
        for (int i = 0; i < 5_000; i++) {
            inventory.addUsage(DeviceResult.of("r", device), "uid", new ObjectKey("default", "claim"));
            inventory.removeUsage(device, "uid");
        }
        assertThat(changedSince(start)).isEmpty();
        assertThat(changedSince(inventory.changesEnd() - 10))
                .hasValueSatisfying(all -> assertThat(all).containsExactly("node-1"));
    }

    static IntStream seeds() {
        return IntStream.range(0, 40);
    }

    /** A reader of the change log has the same views as a full scan after every change. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void changeLogMatchesFullScan(int seed) {
        var random = new Random(seed);
        List<ResourceSlice> slices = new ArrayList<>();
        var followed = new TreeMap<String, String>();
        long place = 0;
        for (int i = 0; i < 300; i++) {
            change(random, slices);
            boolean isComplete = inventory.visitChanges(place, view -> followed.put(view.name(), text(view)));
            assertThat(isComplete).isTrue();
            place = inventory.changesEnd();
            var scanned = new TreeMap<String, String>();
            inventory.views().forEach(view -> scanned.put(view.name(), text(view)));
            assertThat(followed).as("seed %d, change %d", seed, i).isEqualTo(scanned);
        }
    }

    private static String text(NodeDeviceView view) {
        return view.isUsable() + " " + view.incompletePools() + view.invalidPools() + " "
                + view.candidates().stream()
                        .map(candidate -> candidate.usage().device()
                                + (candidate.usage().isFree() ? "" : "!")
                                + candidate.device().taints()
                                + candidate.isReachable())
                        .toList();
    }

    private void change(Random random, List<ResourceSlice> slices) {
        String node = "node-" + random.nextInt(4);
        var device = new DeviceId(SampleObjects.DRIVER, "pool-" + random.nextInt(3), "gpu-" + random.nextInt(2));
        switch (random.nextInt(9)) {
            case 0 -> node(node, "zone=" + random.nextInt(2));
            case 1 -> inventory.removeNode(node);
            case 2 -> inventory.setSilent(node, random.nextBoolean());
            case 3 -> inventory.put(SampleObjects.taintRule("rule", "dead:NoSchedule", "", "pool-1", ""));
            case 4 -> inventory.removeTaintRule("rule");
            case 5 ->
                inventory.addUsage(
                        DeviceResult.of("r", device), "uid-" + random.nextInt(50), new ObjectKey("default", "claim"));
            case 6 ->
                inventory
                        .usages()
                        .find(device)
                        .map(DeviceUsage::entries)
                        .filter(holders -> !holders.isEmpty())
                        .map(holders -> holders.getFirst().uid())
                        .ifPresent(uid -> inventory.removeUsage(device, uid));
            case 7 -> {
                if (!slices.isEmpty()) {
                    inventory.remove(slices.removeLast());
                }
            }
            default -> {
                String where = random.nextInt(3) == 0 ? "zone=" + random.nextInt(2) : node;
                int pool = random.nextInt(3);
                ResourceSlice slice = SampleObjects.slice(
                        "slice-%d-%d".formatted(pool, random.nextInt(2)),
                        "pool-" + pool,
                        random.nextInt(2),
                        1 + random.nextInt(2),
                        random.nextInt(6) == 0 ? "devices" : where,
                        "gpu-0 @" + node,
                        "gpu-1 @*");
                slices.stream()
                        .filter(each -> each.meta().name().equals(slice.meta().name()))
                        .forEach(inventory::remove);
                slices.removeIf(each -> each.meta().name().equals(slice.meta().name()));
                slices.add(slice);
                inventory.put(slice);
            }
        }
    }
}
