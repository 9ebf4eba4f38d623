package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests planning over several nodes, and cached results between two plans. */
class AllocationPlannerTest {
    private final DeviceInventory inventory = new DeviceInventory();
    private final AllocationPlanner planner = new AllocationPlanner(inventory, new TextSelectors());

    AllocationPlannerTest() {
        var classes = new TreeMap<String, DeviceClass>();
        classes.put("gpu", SampleObjects.deviceClass("gpu"));
        planner.setClasses(classes);
    }

    private void node(String name, String... devices) {
        inventory.put(SampleObjects.node(name));
        inventory.put(SampleObjects.slice(name, devices));
    }

    private static ItemShape shape(String... claims) {
        return new ItemShape(List.of(claims).stream().map(ClaimText::spec).toList(), NodeRules.none());
    }

    private AllocationPlan plan(PlacementPolicy policy, ItemShape shape) {
        return planner.plan(shape, new AllocationPlanner.PlanOptions(policy, 100_000, node -> true));
    }

    private String nodeOf(PlacementPolicy policy, String claim) {
        return plan(policy, shape(claim)) instanceof AllocationPlan.Allocated placed ? placed.node() : "none";
    }

    private String rationale(PlacementPolicy policy, String claim) {
        return plan(policy, shape(claim)) instanceof AllocationPlan.Allocated placed
                ? placed.choice().rationale()
                : "none";
    }

    private void addUsage(String node, String device) {
        inventory.addUsage(
                DeviceResult.of("r", new DeviceId(SampleObjects.DRIVER, node, device)),
                "uid",
                new ObjectKey("default", "other"));
    }

    @Test
    void plansUnderBothPolicies() {
        node("node-1", "large memory:80Gi", "small memory:40Gi");
        AllocationPlan first = plan(PlacementPolicy.FIRST_FIT, shape("r: 1 gpu"));
        AllocationPlan best = plan(PlacementPolicy.BEST_FIT, shape("r: 1 gpu"));
        assertThat(device(first)).isEqualTo("large");
        assertThat(device(best)).isEqualTo("small");
        assertThat(plan(PlacementPolicy.FIRST_FIT, shape("r: 1 gpu"))).isEqualTo(first);
        assertThat(plan(PlacementPolicy.BEST_FIT, shape("r: 1 gpu"))).isEqualTo(best);
    }

    private static String device(AllocationPlan plan) {
        return plan instanceof AllocationPlan.Allocated placed
                ? placed.allocations().getFirst().results().getFirst().device().device()
                : "none";
    }

    @Test
    void bestFitPrefersFullerNode() {
        node("node-1", "a", "b", "c", "d");
        node("node-2", "a", "b", "c", "d");
        addUsage("node-2", "a");
        assertThat(nodeOf(PlacementPolicy.FIRST_FIT, "r: 1 gpu")).isEqualTo("node-1");
        assertThat(rationale(PlacementPolicy.FIRST_FIT, "r: 1 gpu")).isEqualTo("first by name of 2 nodes");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("node-2");
        assertThat(rationale(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("leaves 2 free on the node: best of 2");
        assertThat(rationale(PlacementPolicy.BEST_FIT, "r: 3 gpu")).isEqualTo("fills the node: best of 2");
        assertThat(rationale(PlacementPolicy.BEST_FIT, "r: 4 gpu")).isEqualTo("the only node that fits");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 5 gpu")).isEqualTo("none");
    }

    @Test
    void bestFitPrefersEarlierAlternativeToFullerNode() {
        node("node-1", "a kind=big");
        node("node-2", "a kind=small");
        String claim = "r: small= 1 gpu [kind=small] | big= 1 gpu [kind=big]";
        assertThat(nodeOf(PlacementPolicy.FIRST_FIT, claim)).isEqualTo("node-1");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, claim)).isEqualTo("node-2");
        assertThat(rationale(PlacementPolicy.BEST_FIT, claim))
                .isEqualTo("alternative 1, small, fills the node: best of 2");
    }

    @Test
    void bestFitSelectsSmallestSufficientNumaGroup() {
        node(
                "node-1",
                "a resource.kubernetes.io/numaNode=0",
                "b resource.kubernetes.io/numaNode=0",
                "c resource.kubernetes.io/numaNode=0",
                "d resource.kubernetes.io/numaNode=1",
                "e resource.kubernetes.io/numaNode=1");
        assertThat(device(plan(PlacementPolicy.BEST_FIT, shape("r: 2 gpu")))).isEqualTo("d");
        assertThat(device(plan(PlacementPolicy.BEST_FIT, shape("r: 3 gpu")))).isEqualTo("a");
    }

    @Test
    void rejectsNodeOnSelectorErrorUnderBothPolicies() {
        node("node-1", "a", "b");
        assertThat(nodeOf(PlacementPolicy.FIRST_FIT, "r: 1 gpu [fail-on:a]")).isEqualTo("none");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu [fail-on:a]")).isEqualTo("none");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu [fail-on:b]")).isEqualTo("node-1");
    }

    @Test
    void allocatesOnOtherNodeAfterSelectorError() {
        node("node-1", "a");
        node("node-2", "b");
        assertThat(nodeOf(PlacementPolicy.FIRST_FIT, "r: 1 gpu [fail-on:a]")).isEqualTo("node-2");
    }

    @Test
    void replansAfterEveryInventoryChange() {
        node("node-1", "a");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("node-1");
        addUsage("node-1", "a");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("none");
        inventory.removeUsage(new DeviceId(SampleObjects.DRIVER, "node-1", "a"), "uid");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("node-1");
        inventory.setSilent("node-1", true);
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("none");
        inventory.setSilent("node-1", false);
        inventory.put(SampleObjects.taintRule("rule", "dead:NoSchedule", "", "", ""));
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("none");
        inventory.removeTaintRule("rule");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("node-1");
        inventory.remove(SampleObjects.slice("node-1", "a"));
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("none");
    }

    @Test
    void excludesNetworkDeviceInUseOnEveryNode() {
        inventory.put(SampleObjects.node("node-1", "zone=a"));
        inventory.put(SampleObjects.node("node-2", "zone=a"));
        inventory.put(SampleObjects.slice("net", "net", 1, 1, "zone=a", "a"));
        assertThat(nodeOf(PlacementPolicy.FIRST_FIT, "r: 1 gpu")).isEqualTo("node-1");
        addUsage("net", "a");
        assertThat(nodeOf(PlacementPolicy.FIRST_FIT, "r: 1 gpu")).isEqualTo("none");
    }

    @Test
    void countsStepsOncePerEquivalenceClass() {
        for (int i = 0; i < 200; i++) {
            node("node-%03d".formatted(i), "a", "b");
        }
        addUsage("node-007", "a");
        AllocationPlan plan = plan(PlacementPolicy.FIRST_FIT, shape("r: 1 gpu"));
        assertThat(plan.steps()).isEqualTo(2 * 2);
        assertThat(plan(PlacementPolicy.FIRST_FIT, shape("r: 1 gpu")).steps()).isEqualTo(2 * 2);
    }

    @Test
    void replansAfterDeviceClassChange() {
        node("node-1", "a kind=gpu");
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("node-1");
        var classes = new TreeMap<String, DeviceClass>();
        classes.put("gpu", SampleObjects.deviceClass("gpu", "kind=tpu"));
        planner.setClasses(classes);
        assertThat(nodeOf(PlacementPolicy.BEST_FIT, "r: 1 gpu")).isEqualTo("none");
    }

    @Test
    void appliesNodeRulesOfPod() {
        inventory.put(SampleObjects.node("node-1", "zone=a"));
        inventory.put(SampleObjects.slice("node-1", "a"));
        inventory.put(new Node(
                SampleObjects.node("node-2", "zone=b").meta(),
                List.of(new Taint("dedicated", "x", "NoSchedule", Optional.empty())),
                true,
                true));
        inventory.put(SampleObjects.slice("node-2", "a"));
        var zone = new TreeMap<String, String>();
        zone.put("zone", "b");
        assertThat(plannedNode(pod(zone, List.of()))).isEqualTo("none");
        assertThat(plannedNode(pod(new TreeMap<>(), List.of()))).isEqualTo("node-1");
        var everything = List.of(new Toleration("", "Exists", "", "", Optional.empty()));
        assertThat(plannedNode(pod(zone, everything))).isEqualTo("node-2");
        assertThat(plannedNode(new NodeRules(
                        Optional.of("node-2"),
                        zone,
                        Optional.empty(),
                        Optional.of(List.of()),
                        List.of(),
                        ResourceList.none())))
                .as("a pod that is bound is where it is")
                .isEqualTo("node-2");
        assertThat(plannedNode(NodeRules.none())).as("a claim minds a cordon").isEqualTo("node-1");
    }

    private static NodeRules pod(SortedMap<String, String> nodeSelector, List<Toleration> tolerations) {
        return new NodeRules(
                Optional.empty(),
                nodeSelector,
                Optional.empty(),
                Optional.of(tolerations),
                List.of(),
                ResourceList.none());
    }

    private String plannedNode(NodeRules rules) {
        AllocationPlan plan =
                plan(PlacementPolicy.FIRST_FIT, new ItemShape(List.of(ClaimText.spec("r: 1 gpu")), rules));
        return plan instanceof AllocationPlan.Allocated placed ? placed.node() : "none";
    }

    @Test
    void allocatesItemWithoutClaimsOnUsableNode() {
        assertThat(plan(PlacementPolicy.BEST_FIT, shape())).isInstanceOf(AllocationPlan.Pending.class);
        inventory.put(SampleObjects.node("node-1"));
        assertThat(plan(PlacementPolicy.BEST_FIT, shape()))
                .isInstanceOfSatisfying(
                        AllocationPlan.Allocated.class,
                        placed -> assertThat(placed.allocations()).isEmpty());
    }
}
