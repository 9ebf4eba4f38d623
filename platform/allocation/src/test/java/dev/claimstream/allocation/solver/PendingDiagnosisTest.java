package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the diagnosis of items that do not fit: message, nearest node and candidate funnel. */
class PendingDiagnosisTest {
    private final DeviceInventory inventory = new DeviceInventory();
    private final AllocationPlanner planner = new AllocationPlanner(inventory, new TextSelectors());

    PendingDiagnosisTest() {
        var classes = new TreeMap<String, DeviceClass>();
        Stream.of("gpu", "nic").forEach(name -> classes.put(name, SampleObjects.deviceClass(name, "kind=" + name)));
        planner.setClasses(classes);
    }

    private void node(String name, String... devices) {
        inventory.put(SampleObjects.node(name));
        inventory.put(SampleObjects.slice(name, devices));
    }

    private void addUsage(String node, String device, String claim) {
        inventory.addUsage(
                DeviceResult.of("r", new DeviceId(SampleObjects.DRIVER, node, device)),
                "uid-of-" + claim,
                new ObjectKey("default", claim));
    }

    private static ItemShape shape(String claim) {
        return new ItemShape(List.of(ClaimText.spec(claim)), NodeRules.none());
    }

    private AllocationPlan.PendingDiagnosis diagnosis(String claim) {
        AllocationPlan plan = planner.plan(
                shape(claim), new AllocationPlanner.PlanOptions(PlacementPolicy.BEST_FIT, 10_000, node -> true));
        return plan instanceof AllocationPlan.Pending unplaced
                ? unplaced.diagnosis()
                : new AllocationPlan.PendingDiagnosis(Reason.DoesNotFit, "it fits", Optional.empty());
    }

    private void assertDiagnosis(String claim, Reason reason, String message) {
        assertThat(diagnosis(claim))
                .isEqualTo(new AllocationPlan.PendingDiagnosis(
                        reason, message, diagnosis(claim).nearest()));
    }

    private List<String> funnel(String claim, String request) {
        var unallocated = new UnallocatedClaim(new ObjectKey("default", "claim"), "uid", ClaimText.spec(claim));
        return planner.funnels(shape(claim), List.of(unallocated), WorkMeter.unlimited()).stream()
                .filter(funnel -> funnel.request().equals(request))
                .flatMap(funnel -> funnel.stages().stream())
                .map(stage -> (stage.step() + " " + stage.detail()).strip() + " " + stage.remaining())
                .toList();
    }

    // ---- message and nearest node

    @Test
    void reportsMissingNodeDeviceOrSelectorMatch() {
        assertDiagnosis("r: 1 gpu", Reason.NoUsableNode, "none of 0 nodes is usable and allowed for the pod");
        node("node-1", "nic-0 kind=nic");
        assertDiagnosis("r: 1 gpu", Reason.ClassMatchesNoDevice, "class gpu selects none of 1 devices");
        node("node-2", "gpu-0 kind=gpu model=a");
        assertDiagnosis(
                "r: 1 gpu [model=b]", Reason.SelectorMatchesNoDevice, "selector 1 of request r matches none of 1 gpu");
    }

    @Test
    void reportsLargestNodeIfNoneIsLargeEnough() {
        node("node-1", "a kind=gpu", "b kind=gpu");
        node("node-2", "a kind=gpu", "b kind=gpu", "c kind=gpu");
        assertDiagnosis("r: 4 gpu", Reason.InsufficientDevicesPerNode, "4 gpu on one node, the largest has 3 in all");
        assertThat(diagnosis("r: 4 gpu").nearest())
                .contains(new AllocationPlan.NearestNode(
                        "node-2", "node-2 has 3 of 4, counting allocated devices", List.of()));
    }

    @Test
    void nearestNodeHasFewestBlockingDevices() {
        node("node-1", "a kind=gpu", "b kind=gpu", "c kind=gpu");
        node("node-2", "a kind=gpu", "b kind=gpu", "c kind=gpu");
        addUsage("node-1", "a", "one");
        addUsage("node-1", "b", "two");
        addUsage("node-2", "c", "three");
        assertDiagnosis(
                "r: 3 gpu",
                Reason.DevicesInUse,
                "3 gpu in use, nearest: node-2 has 2 of 3, c is allocated to default/three");
        assertThat(diagnosis("r: 3 gpu").nearest())
                .contains(new AllocationPlan.NearestNode(
                        "node-2",
                        "node-2 has 2 of 3, c is allocated to default/three",
                        List.of(new AllocationPlan.BlockingDevice(
                                new DeviceId(SampleObjects.DRIVER, "node-2", "c"),
                                List.of(new AllocationPlan.DeviceHolder(new ObjectKey("default", "three"), ""))))));
        addUsage("node-2", "b", "four");
        addUsage("node-2", "a", "five");
        assertDiagnosis(
                "r: 3 gpu",
                Reason.DevicesInUse,
                "3 gpu in use, nearest: node-1 has 1 of 3, a is allocated to default/one, 1 more are allocated");
    }

    @Test
    void reportsTaintBesideDevicesInUse() {
        node("node-1", "a kind=gpu !dead:NoSchedule", "b kind=gpu");
        addUsage("node-1", "b", "one");
        assertDiagnosis(
                "r: 1 gpu",
                Reason.DevicesInUse,
                "1 gpu in use, nearest: node-1 has 0 of 1, b is allocated to default/one");
        assertDiagnosis(
                "r: 2 gpu",
                Reason.Tainted,
                "a of node node-1 carries the taint dead:NoSchedule, which request r does not tolerate");
    }

    @Test
    void reportsUnsatisfiableConstraint() {
        node("node-1", "a kind=gpu numa=0", "b kind=nic numa=1");
        assertDiagnosis(
                "g: 1 gpu; n: 1 nic; match numa",
                Reason.ConstraintUnsatisfied,
                "no node has 1 gpu + 1 nic with the constraint on numa");
        assertThat(diagnosis("g: 1 gpu; n: 1 nic; match numa").nearest())
                .contains(new AllocationPlan.NearestNode(
                        "node-1", "node-1 has the devices, but not together", List.of()));
    }

    @Test
    void reportsRequestsThatFitOnlySeparately() {
        node("node-1", "a kind=gpu");
        node("node-2", "a kind=nic");
        assertDiagnosis("g: 1 gpu; n: 1 nic", Reason.DoesNotFit, "no node has all requested devices together");
        node("node-3", "a kind=gpu", "b kind=gpu");
        assertDiagnosis("a: 1 gpu; b: 2 gpu", Reason.DoesNotFit, "no node has all requested devices together");
    }

    @Test
    void errorMessageNamesRequestAndDevice() {
        node("node-1", "a kind=gpu");
        assertDiagnosis(
                "r: 1 gpu [true] [fail-on:a]",
                Reason.SelectorError,
                "request r: selector #1 on device driver.example/node-1/a: CEL runtime error: no such key: memory");
        inventory.put(SampleObjects.slice("late", "late", 1, 2, "*", "x kind=gpu"));
        assertDiagnosis(
                "r: all gpu",
                Reason.PoolIncomplete,
                "asks for all devices, but resource pool driver.example/late is currently being updated");
    }

    @Test
    void reportsUnknownNodeOfBoundPod() {
        node("node-1", "a kind=gpu");
        var bound = new NodeRules(
                Optional.of("node-9"),
                new TreeMap<>(),
                Optional.empty(),
                Optional.of(List.of()),
                List.of(),
                ResourceList.none());
        var shape = new ItemShape(List.of(ClaimText.spec("r: 1 gpu")), bound);
        assertThat(planner.plan(shape, new AllocationPlanner.PlanOptions(PlacementPolicy.BEST_FIT, 100, node -> true)))
                .isInstanceOfSatisfying(
                        AllocationPlan.Pending.class,
                        pending -> assertThat(pending.diagnosis().message())
                                .isEqualTo("node node-9, the only one for the pod or its other claims, is not known"));
    }

    @Test
    void reportsNodesEarmarkedForOlderItem() {
        node("node-1", "a kind=gpu");
        AllocationPlan plan = planner.plan(
                shape("r: 1 gpu"), new AllocationPlanner.PlanOptions(PlacementPolicy.BEST_FIT, 100, node -> false));
        assertThat(plan)
                .isInstanceOfSatisfying(
                        AllocationPlan.Pending.class,
                        pending -> assertThat(pending.diagnosis())
                                .isEqualTo(new AllocationPlan.PendingDiagnosis(
                                        Reason.Earmarked,
                                        "the nodes that fit are earmarked for an older item",
                                        Optional.empty())));
    }

    // ---- funnel

    @Test
    void funnelCountsCandidatesAfterEachStep() {
        node("node-1", "a kind=gpu model=x", "b kind=gpu model=x", "c kind=gpu model=y", "n kind=nic");
        node("node-2", "a kind=gpu model=x", "b kind=gpu model=x !dead:NoSchedule", "c kind=gpu model=x");
        node("node-3", "a kind=gpu model=x");
        inventory.setSilent("node-3", true);
        addUsage("node-2", "c", "one");
        assertThat(funnel("r: 3 gpu [model=x]", "r"))
                .containsExactly(
                        "Known 8",
                        "OfClass gpu 7",
                        "PassesSelector 1 6",
                        "OnAllowedNode 5",
                        "Tolerated 4",
                        "Free 3",
                        "OnOneNode node-1 2");
    }

    @Test
    void funnelCountsNetworkDevicesOnce() {
        inventory.put(SampleObjects.node("node-1"));
        inventory.put(SampleObjects.node("node-2"));
        inventory.put(SampleObjects.slice("net", "net", 1, 1, "*", "a kind=nic", "b kind=nic"));
        assertThat(funnel("r: 3 nic", "r"))
                .containsExactly(
                        "Known 2", "OfClass nic 2", "OnAllowedNode 2", "Tolerated 2", "Free 2", "OnOneNode node-1 2");
    }

    @Test
    void funnelExcludesDevicesWithoutConstraintPartner() {
        node("node-1", "a kind=gpu numa=0", "b kind=gpu numa=1", "n kind=nic numa=1", "c kind=gpu");
        addUsage("node-1", "b", "one");
        String claim = "g: 1 gpu; n: 1 nic; match numa";
        assertThat(funnel(claim, "g"))
                .endsWith("Free 2", "OnOneNode node-1 2", "SatisfiesConstraint the same numa as n 0");
        assertThat(funnel(claim, "n"))
                .endsWith("Free 1", "OnOneNode node-1 1", "SatisfiesConstraint the same numa as g 0");
    }

    @Test
    void funnelIgnoresOlderGenerations() {
        inventory.put(SampleObjects.node("node-1"));
        inventory.put(SampleObjects.slice("old", "pool", 1, 1, "node-1", "a kind=gpu"));
        inventory.put(SampleObjects.slice("new", "pool", 2, 1, "node-1", "b kind=gpu", "c kind=gpu"));
        assertThat(funnel("r: 1 gpu", "r")).startsWith("Known 2");
    }

    @Test
    void reportsOneFunnelPerAlternative() {
        node("node-1", "a kind=gpu");
        assertThat(funnel("r: first= 2 gpu | second= 1 nic", "r/first")).startsWith("Known 1", "OfClass gpu 1");
        assertThat(funnel("r: first= 2 gpu | second= 1 nic", "r/second")).startsWith("Known 1", "OfClass nic 0");
        assertThat(funnel("r: 1 missing", "r")).isEmpty();
    }
}
