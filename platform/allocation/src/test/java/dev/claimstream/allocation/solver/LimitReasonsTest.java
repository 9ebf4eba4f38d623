package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest.FirstAvailable;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Quantity;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests the reason of requests that fit one by one but not together: it names the limit with amounts. */
class LimitReasonsTest {
    private static final String CARD_0 = "%card-0 units=4";
    private static final String CARD_1 = "%card-1 units=4";

    private final DeviceInventory inventory = new DeviceInventory();
    private final AllocationPlanner planner = new AllocationPlanner(inventory, new TextSelectors());
    private String nearest = "";

    LimitReasonsTest() {
        FeatureGates features = FeatureGates.defaults().with(Feature.DEVICE_COMPATIBILITY_GROUPS, true);
        inventory.setFeatures(features);
        planner.setFeatures(features);
        var classes = new TreeMap<String, DeviceClass>();
        for (String name : List.of("gpu", "nic", "part")) {
            classes.put(name, SampleObjects.deviceClass(name, "kind=" + name));
        }
        planner.setClasses(classes);
    }

    private void node(String name, String... devices) {
        inventory.put(SampleObjects.node(name));
        String[] sets =
                Arrays.stream(devices).filter(each -> each.startsWith("%")).toArray(String[]::new);
        String[] rest =
                Arrays.stream(devices).filter(each -> !each.startsWith("%")).toArray(String[]::new);
        int slices = sets.length > 0 ? 2 : 1;
        inventory.put(SampleObjects.slice(name, name, 1, slices, name, rest));
        if (sets.length > 0) {
            inventory.put(SampleObjects.slice(name + "-counters", name, 1, slices, name, sets));
        }
    }

    private void addUsage(String node, String device, String claim) {
        addUsage(node, device, claim, new TreeMap<>());
    }

    private void addUsage(String node, String device, String claim, SortedMap<String, Quantity> consumed) {
        inventory.addUsage(
                DeviceResult.builder("r", new DeviceId(SampleObjects.DRIVER, node, device))
                        .shareId(consumed.isEmpty() ? Optional.empty() : Optional.of("share-of-" + claim))
                        .consumedCapacity(consumed)
                        .build(),
                "uid-of-" + claim,
                new ObjectKey("default", claim));
    }

    private static SortedMap<String, Quantity> amount(String name, String amount) {
        return new TreeMap<>(java.util.Map.of(name, Quantity.parse(amount)));
    }

    private void assertDiagnosis(Reason reason, String message, String... claims) {
        var shape = new ItemShape(Arrays.stream(claims).map(ClaimText::spec).toList(), NodeRules.none());
        AllocationPlan plan =
                planner.plan(shape, new AllocationPlanner.PlanOptions(PlacementPolicy.BEST_FIT, 10_000, node -> true));
        assertThat(plan).isInstanceOfSatisfying(AllocationPlan.Pending.class, pending -> {
            assertThat(pending.diagnosis().message()).isEqualTo(message);
            assertThat(pending.diagnosis().reason()).isEqualTo(reason);
            nearest = pending.diagnosis()
                    .nearest()
                    .map(AllocationPlan.NearestNode::message)
                    .orElse("");
        });
    }

    /** The API server rejects such a request, but other writers of the topic can send it. */
    @Test
    void rejectsRequestWithoutAlternatives() {
        node("node-1", "gpu-1 kind=gpu");
        ClaimSpec withoutAlternatives = new ClaimSpec(
                List.of(ClaimText.spec("one: 1 gpu").requests().getFirst(), new FirstAvailable("two", List.of())),
                List.of(),
                List.of());
        AllocationPlan plan = planner.plan(
                new ItemShape(List.of(withoutAlternatives), NodeRules.none()),
                new AllocationPlanner.PlanOptions(PlacementPolicy.BEST_FIT, 10_000, node -> true));
        assertThat(plan).isInstanceOfSatisfying(AllocationPlan.Pending.class, pending -> {
            assertThat(pending.diagnosis().reason()).isEqualTo(Reason.Unsupported);
            assertThat(pending.diagnosis().message()).isEqualTo("request two: unknown request type");
        });
    }

    // ---- counters

    @Test
    void namesCounterInsteadOfSatisfiableConstraint() {
        node(
                "node-1",
                CARD_0,
                CARD_1,
                "a-2 kind=part size=2 card=a -card-0:units=2",
                "a-3 kind=part size=3 card=a -card-0:units=3",
                "b-2 kind=part size=2 card=b -card-1:units=2",
                "b-3 kind=part size=3 card=b -card-1:units=3");
        assertDiagnosis(
                Reason.CountersExceeded,
                "no node has 1 part + 1 part together: on node-1, a-3 and a-2 consume 5 of counter card-0/units, which has 4",
                "big: 1 part [size=3]; small: 1 part [size=2]; match card");
    }

    @Test
    void namesOnlyExceededCounter() {
        node(
                "node-1",
                "%card units=10 memory=8Gi",
                "a kind=part -card:units=1/memory=5Gi",
                "b kind=part -card:units=1/memory=5Gi");
        assertDiagnosis(
                Reason.CountersExceeded,
                "no node has 2 part together: on node-1, a and b consume 10Gi of counter card/memory, which has 8Gi",
                "r: 2 part");
    }

    @Test
    void namesCountersOfAllDevicesOfNode() {
        node(
                "node-1",
                CARD_0,
                "a kind=part -card-0:units=3",
                "b kind=part -card-0:units=2",
                "c kind=part -card-0:units=1");
        assertDiagnosis(
                Reason.CountersExceeded,
                "no node has all part together: on node-1, a and b and c consume 6 of counter card-0/units, which has 4",
                "r: all part");
    }

    @Test
    void namesCountersOfTwoClaimsOfPod() {
        node("node-1", CARD_0, "a kind=part -card-0:units=3", "b kind=part -card-0:units=3");
        assertDiagnosis(
                Reason.CountersExceeded,
                "no node has 1 part + 1 part together: on node-1, a and b consume 6 of counter card-0/units, which has 4",
                "r: 1 part",
                "s: 1 part");
    }

    @Test
    void namesCountersOfEachCard() {
        node(
                "node-1",
                CARD_0,
                CARD_1,
                "a kind=part -card-0:units=3",
                "b kind=part -card-0:units=3",
                "c kind=part -card-1:units=3",
                "d kind=part -card-1:units=3");
        assertDiagnosis(
                Reason.CountersExceeded,
                "no node has 4 part together: on node-1, a and b consume 6 of counter card-0/units, which has 4; "
                        + "c and d consume 6 of counter card-1/units, which has 4",
                "r: 4 part");
    }

    @Test
    void namesDeviceThatConsumesMoreThanDeclared() {
        node("node-1", CARD_0, "a kind=part -card-0:units=5");
        assertDiagnosis(
                Reason.CountersExceeded,
                "no node has 1 part together: on node-1, a consumes 5 of counter card-0/units, which has 4",
                "r: 1 part");
    }

    @Test
    void namesRemainingAmountOfCounter() {
        node(
                "node-1",
                "%card units=4 memory=8",
                "a kind=part -card:units=2/memory=1",
                "b kind=part -card:units=2/memory=1",
                "c kind=gpu -card:units=1/memory=1");
        addUsage("node-1", "c", "one");
        assertDiagnosis(
                Reason.CountersExhausted,
                "no room for 2 part beside other partitions, nearest: node-1 has 1 of 2, c is allocated to default/one; "
                        + "b consumes 2 of counter card/units, 1 of 4 is left",
                "r: 2 part");
    }

    @Test
    void namesOnlyUsersOfExceededCounter() {
        node(
                "node-1",
                "%card units=4 memory=8",
                "a kind=gpu -card:units=3/memory=1",
                "b kind=part -card:units=2/memory=1",
                "c kind=gpu -card:memory=1");
        addUsage("node-1", "a", "one");
        addUsage("node-1", "c", "two");
        assertDiagnosis(
                Reason.CountersExhausted,
                "no room for 1 part beside other partitions, nearest: node-1 has 0 of 1, a is allocated to default/one; "
                        + "b consumes 2 of counter card/units, 1 of 4 is left",
                "r: 1 part");
    }

    // ---- compatibility groups

    @Test
    void namesIncompatibleGroups() {
        node("node-1", "%card units=4", "a kind=gpu -card:units=1{mig}", "b kind=nic -card:units=1{vfio}");
        assertDiagnosis(
                Reason.GroupsIncompatible,
                "no node has 1 gpu + 1 nic together: on node-1, b (compatibility group vfio) is incompatible with a "
                        + "(compatibility group mig) on counter set card",
                "g: 1 gpu; n: 1 nic");
    }

    @Test
    void namesAllocatedDeviceOfIncompatibleGroup() {
        node("node-1", "%card units=4", "a kind=gpu -card:units=1{mig}", "b kind=nic -card:units=1");
        addUsage("node-1", "a", "one");
        assertDiagnosis(
                Reason.CountersExhausted,
                "no room for 1 nic beside other partitions, nearest: node-1 has 0 of 1, a is allocated to default/one; "
                        + "b (no compatibility group) is incompatible with a (compatibility group mig) on counter set card",
                "n: 1 nic");
    }

    // ---- capacity

    @Test
    void namesCapacityThatTwoRequestsExceedTogether() {
        node("node-1", "eth1 kind=nic bandwidth:10G +shared");
        assertDiagnosis(
                Reason.CapacityExceeded,
                "no node has 1 nic + 1 nic together: on node-1, request a asks for 6G of bandwidth and request b asks for 5G of "
                        + "bandwidth: 11G together, and eth1 has 10G",
                "a: 1 nic (bandwidth:6G); b: 1 nic (bandwidth:5G)");
    }

    @Test
    void namesCapacityThatNoDeviceHas() {
        node("node-1", "eth1 kind=nic bandwidth:10G +shared");
        assertDiagnosis(
                Reason.CapacityExceeded,
                "no node has 1 nic with the capacity that request a consumes, nearest: node-1 has 0 of 1: request a asks for 12G of "
                        + "bandwidth, and eth1 has 10G in all",
                "a: 1 nic (bandwidth:12G)");
        assertDiagnosis(
                Reason.CapacityExceeded,
                "no node has 1 nic with the capacity that request a consumes, nearest: node-1 has 0 of 1: request a asks for 1 of "
                        + "queues, and eth1 has no capacity of that name, only bandwidth",
                "a: 1 nic (queues:1)");
    }

    @Test
    void namesAlternativeOnlyIfAllLackCapacity() {
        node("node-1", "eth1 kind=nic bandwidth:10G +shared", "g kind=gpu memory:5 ");
        assertDiagnosis(
                Reason.CapacityExceeded,
                "no node has 1 nic with the capacity that request a/x consumes, nearest: node-1 has 0 of 1: request a/x asks for 12G of "
                        + "bandwidth, and eth1 has 10G in all",
                "a: x= 1 nic (bandwidth:12G) | y= 1 gpu (memory:6)");
        addUsage("node-1", "g", "one");
        assertDiagnosis(
                Reason.DevicesInUse,
                "1 nic in use, nearest: node-1 has 0 of 1, g is allocated to default/one",
                "a: x= 1 nic (bandwidth:12G) | y= 1 gpu (memory:5)");
    }

    @Test
    void namesRoundedAndRemainingAmount() {
        node("node-1", "eth1 kind=nic bandwidth:10G[1M..,8;1M] +shared");
        addUsage("node-1", "eth1", "one", amount("bandwidth", "9G"));
        addUsage("node-1", "eth1", "two", amount("bandwidth", "1G"));
        assertDiagnosis(
                Reason.CapacityExhausted,
                "not enough capacity left for 1 nic, nearest: node-1 has 0 of 1, eth1 is allocated to default/one and default/two; "
                        + "request a asks for 1 of bandwidth, rounded up to 1M by the request policy, 0 of 10G is left on eth1",
                "a: 1 nic (bandwidth:1)");
        assertDiagnosis(
                Reason.CapacityExhausted,
                "not enough capacity left for 1 nic, nearest: node-1 has 0 of 1, eth1 is allocated to default/one and default/two; "
                        + "request a consumes 1M of bandwidth, the default of the request policy, 0 of 10G is left on eth1",
                "a: 1 nic");
    }

    @Test
    void namesValuesThatThePolicyAllows() {
        node("node-1", "eth1 kind=nic bandwidth:10[1,2,4;1] +shared");
        assertDiagnosis(
                Reason.CapacityExceeded,
                "no node has 1 nic with the capacity that request a consumes, nearest: node-1 has 0 of 1: request a asks for 5 of "
                        + "bandwidth, and the request policy of eth1 allows 1, 2, 4",
                "a: 1 nic (bandwidth:5)");
    }

    // ---- all devices under a constraint

    @Test
    void explainsThatAllSelectsEveryMatchingDevice() {
        node("node-1", "g kind=gpu root=0", "n-0 kind=nic root=0", "n-1 kind=nic root=0", "n-2 kind=nic root=1");
        assertDiagnosis(
                Reason.ConstraintUnsatisfied,
                "request all takes all 3 matching nic of node node-1 (allocationMode All): they have 2 different values of root "
                        + "(2 with 0, 1 with 1), and the constraint requires the same value for all; request all: cannot add device "
                        + "driver.example/node-1/n-2 because a claim constraint would not be satisfied",
                "all: all nic; g: 1 gpu; match root");
        assertThat(nearest).startsWith("request all takes all 3 matching nic of node node-1");
    }

    @Test
    void explainsThatAnotherRequestIsTriedFirst() {
        node("node-1", "g-0 kind=gpu root=0", "g-1 kind=gpu root=1", "n-0 kind=nic root=1");
        assertDiagnosis(
                Reason.ConstraintUnsatisfied,
                "request all takes all 1 matching nic of node node-1 (allocationMode All): they have root 1, and the first device "
                        + "for request g has another; list request all before it; request all: cannot add device "
                        + "driver.example/node-1/n-0 because a claim constraint would not be satisfied",
                "g: 1 gpu; all: all nic; match root");
    }

    @Test
    void explainsThatAllDevicesNeedDistinctValues() {
        node("node-1", "n-0 kind=nic root=0", "n-1 kind=nic root=0", "n-2 kind=nic");
        assertDiagnosis(
                Reason.ConstraintUnsatisfied,
                "request all takes all 3 matching nic of node node-1 (allocationMode All): they have 1 value of root (2 with 0, 1 "
                        + "without root), and the constraint requires distinct values; request all: cannot add device "
                        + "driver.example/node-1/n-1 because a claim constraint would not be satisfied",
                "all: all nic; distinct root");
    }

    @Test
    void prefersNodeThatOnlyLacksFreeDevices() {
        node("node-1", "g kind=gpu root=0", "n-0 kind=nic root=0", "n-1 kind=nic root=1");
        node("node-2", "g kind=gpu root=0", "n-0 kind=nic root=0");
        addUsage("node-2", "g", "one");
        assertDiagnosis(
                Reason.DevicesInUse,
                "all nic + 1 gpu in use, nearest: node-2 has 1 of 2, g is allocated to default/one",
                "all: all nic; g: 1 gpu; match root");
    }

    // ---- constraints

    @Test
    void namesOnlyUnsatisfiableConstraint() {
        node("node-1", "g kind=gpu root=0 numa=0", "n kind=nic root=0 numa=1");
        assertDiagnosis(
                Reason.ConstraintUnsatisfied,
                "no node has 1 gpu + 1 nic with the constraint on numa",
                "g: 1 gpu; n: 1 nic; match root; match numa");
        assertDiagnosis(
                Reason.ConstraintUnsatisfied,
                "no node has 1 gpu + 1 nic with the constraint on distinct root",
                "g: 1 gpu; n: 1 nic; distinct root");
    }

    @Test
    void namesConstraintAndCounterIfBothAreExceeded() {
        node("node-1", CARD_0, "a kind=gpu root=0 -card-0:units=3", "b kind=nic root=1 -card-0:units=3");
        assertDiagnosis(
                Reason.ConstraintUnsatisfied,
                "no node has 1 gpu + 1 nic with the constraint on root together: on node-1, a and b consume 6 of counter "
                        + "card-0/units, which has 4",
                "g: 1 gpu; n: 1 nic; match root");
    }

    @Test
    void endsRelaxedSearchesWithTheirBudget() {
        String[] devices = new String[41];
        devices[0] = "%card units=1000";
        for (int i = 0; i < 40; i++) {
            devices[i + 1] = "d-%02d kind=part n=%d -card:units=%d".formatted(i, i, 60 + i);
        }
        node("node-1", devices);
        var shape = new ItemShape(List.of(ClaimText.spec("r: 20 part; distinct n")), NodeRules.none());
        AllocationPlan plan =
                planner.plan(shape, new AllocationPlanner.PlanOptions(PlacementPolicy.BEST_FIT, 2_000, node -> true));
        assertThat(plan)
                .isInstanceOfSatisfying(
                        AllocationPlan.Pending.class,
                        pending -> assertThat(pending.diagnosis()).isNotNull());
    }
}
