package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests pods of several priorities on nodes with more devices than node resources. */
class PreemptionPropertyTest {
    private static final int SIZE = 200;
    private static final int PODS = 16;

    static LongStream seeds() {
        return Campaign.seeds(1, Integer.getInteger("laws.seeds", 40));
    }

    /** Generates a history of pods with local or network devices that are created, bound and deleted. */
    private static History generateHistory(long seed) {
        var random = new Random(seed);
        var out = new ArrayList<Observation>();
        var world = new SimulatedApiServer(out);
        out.add(new Observation.SettingsChanged(
                CellSettings.builder().preemption(true).build()));
        world.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        world.write(SampleObjects.deviceClass("nic", "kind=nic"));
        world.write(SampleObjects.slice(
                "net-slice", "net", 1, 1, "*", "nic-0 kind=nic", "nic-1 kind=nic", "nic-2 kind=nic"));
        for (int i = 1; i <= 3; i++) {
            String node = "node-" + i;
            world.write(SampleObjects.slice(
                    node + "-slice",
                    node,
                    1,
                    1,
                    node,
                    "gpu-0 kind=gpu",
                    "gpu-1 kind=gpu",
                    "gpu-2 kind=gpu",
                    "gpu-3 kind=gpu"));
        }
        while (out.size() < SIZE) {
            if (random.nextInt(12) == 0 || out.size() < 12) {
                writeNode(world, random, "node-" + (1 + random.nextInt(3)));
            } else {
                changePod(world, random, "pod-" + random.nextInt(PODS));
            }
        }
        return new History(out.subList(0, SIZE));
    }

    private static void writeNode(SimulatedApiServer world, Random random, String name) {
        ResourceList resources = random.nextInt(10) == 0
                ? ResourceList.none()
                : ItemSentences.parseResources((2 + random.nextInt(5)) + " cpu and 5 pods");
        world.write(new Node(
                SampleObjects.node(name).meta(), List.of(), random.nextInt(10) == 0, true, List.of(), resources));
    }

    private static void changePod(SimulatedApiServer world, Random random, String name) {
        var key = new ObjectKey("default", name);
        Optional<Pod> before = world.find(Kind.POD, key, Pod.class);
        if (before.isPresent() && random.nextInt(3) > 0) {
            world.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "claim-" + name), true);
            world.delete(Kind.POD, key, true);
            return;
        }
        if (before.isPresent()) {
            bind(world, before.get(), "node-" + (1 + random.nextInt(3)));
            return;
        }
        boolean claimFirst = random.nextBoolean();
        if (claimFirst) {
            writeClaim(world, random, name);
        }
        world.write(Pod.builder(ObjectMeta.of("default", name, world.nextUid()))
                .nodeName(random.nextInt(6) == 0 ? Optional.of("node-" + (1 + random.nextInt(3))) : Optional.empty())
                .priority(random.nextInt(5))
                .preempts(random.nextInt(5) > 0)
                .resourceClaims(
                        List.of(new PodClaim("use", new PodClaim.ClaimSource.ClaimReference("claim-" + name), 1)))
                .requests(ItemSentences.parseResources((1 + random.nextInt(4)) + " cpu"))
                .schedulingGates(random.nextInt(4) > 0 ? List.of(Pod.ALLOCATION_GATE) : List.of())
                .build());
        if (!claimFirst) {
            writeClaim(world, random, name);
        }
    }

    private static void writeClaim(SimulatedApiServer world, Random random, String pod) {
        world.write(new ResourceClaim(
                ObjectMeta.of("default", "claim-" + pod, world.nextUid()),
                ClaimText.spec(random.nextInt(8) == 0 ? "r: 1 nic" : "r: 1 gpu"),
                Optional.empty(),
                List.of()));
    }

    private static void bind(SimulatedApiServer world, Pod pod, String node) {
        world.write(pod.toBuilder()
                .nodeName(pod.nodeName().or(() -> Optional.of(node)))
                .schedulingGates(List.of())
                .finished(false)
                .phase("")
                .build());
    }

    private static void eachStep(long seed, PreemptionStepCheck look) {
        PropertyCheck.check(seed, generateHistory(seed), each -> {
            var state = new State(new TextSelectors());
            var cell = new Cell(state);
            for (Input input : each.inputs()) {
                Step step = cell.step(input);
                Invariants.check(state);
                look.check(state, step);
            }
        });
    }

    private interface PreemptionStepCheck {
        void check(State after, Step step);
    }

    /** The node resources suffice beside all pods that preemption cannot evict. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void placesPodBesidePodsOfSameOrHigherPriority(long seed) {
        eachStep(
                seed,
                (state, step) -> allocatedPods(step)
                        .filter(allocated -> state.item(allocated.item())
                                .filter(row -> !row.isPending())
                                .isPresent())
                        .filter(allocated -> isBoundToNode(
                                state, allocated.item())) // other pods have no known node before they are bound
                        .forEach(allocated -> {
                            Pod pod = state.pod(allocated.item().key()).orElseThrow();
                            Node node = (Node) state.object(Kind.NODE, ObjectKey.cluster(allocated.node()))
                                    .flatMap(ObservedRow.ObjectRow::content)
                                    .orElseThrow();
                            ResourceList others =
                                    usageOfOthers(state, allocated.node(), pod.priority(), allocated.item());
                            assertThat(pod.nodeName().isPresent() || fits(node, others, PodDemand.ofPod(pod)))
                                    .as("%s on %s beside %s", pod, node, others)
                                    .isTrue();
                        }));
    }

    private record AllocatedPod(ItemId item, String node) {}

    /** Pods that a step allocates, and their nodes. */
    private static Stream<AllocatedPod> allocatedPods(Step step) {
        return step.outputs().stream()
                .flatMap(output -> output instanceof Output.ItemExplained explained
                                && explained.explanation().detail()
                                        instanceof Explanation.ExplanationDetail.Allocated allocated
                                && allocated.choice().feasibleNodes() > 0
                                && explained.explanation().item().kind() == ItemId.ItemKind.POD
                        ? Stream.of(new AllocatedPod(explained.explanation().item(), allocated.node()))
                        : Stream.empty());
    }

    /** The node resources used by pods of at least this priority, except one pod. */
    private static ResourceList usageOfOthers(State state, String node, int priority, ItemId except) {
        return state.nodeUsage().all().keySet().stream()
                .flatMap(key -> state.pod(key).stream())
                .filter(pod -> pod.priority() >= priority && !pod.key().equals(except.key()))
                .flatMap(pod -> state.nodeUsage().usageOf(pod.key()).stream())
                .filter(usage -> usage.node().equals(node))
                .map(NodeResourceUsage.PodResourceUsage::requests)
                .reduce(ResourceList.none(), ResourceList::plus);
    }

    private static boolean fits(Node node, ResourceList used, ResourceList requested) {
        return node.allocatable().isNone()
                || requested.amounts().entrySet().stream()
                        .allMatch(each -> used.amount(each.getKey()) + each.getValue()
                                <= node.allocatable().amount(each.getKey()));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void leavesNoPodPendingThatPreemptionWouldPlace(long seed) {
        eachStep(seed, (state, step) -> {
            if (!state.isSynced() || !state.settings().preemption()) {
                return;
            }
            State rebuilt = State.of(new TextSelectors(), state.rows().values());
            for (ItemId item : List.copyOf(rebuilt.pending().values())) {
                SchedulingRow.ItemRow row = rebuilt.item(item).orElseThrow();
                Optional<Pod> pod = rebuilt.pod(item.key())
                        .filter(each -> each.isGated() && each.mayPreempt())
                        .filter(_ -> row.reason().equals(Optional.of(Reason.NodeFull)));
                if (pod.isPresent() && WorkItemAssembly.of(rebuilt, item) instanceof WorkItemAssembly.Ready ready) {
                    var options = new AllocationPlanner.PlanOptions(
                            rebuilt.settings().policy(),
                            rebuilt.settings().searchStepsMax(),
                            node -> AllocationPropertyTest.isAvailable(rebuilt, node, row)
                                    && fits(
                                            node.node(),
                                            usageOfOthers(
                                                    rebuilt,
                                                    node.name(),
                                                    pod.get().priority(),
                                                    item),
                                            ready.shape().rules().requests()));
                    AllocationPlan plan = rebuilt.planner().plan(ready.shape().withoutRequests(), options);
                    boolean isBound = plan instanceof AllocationPlan.Allocated placed
                            && placed.allocations().stream()
                                    .allMatch(each -> isBoundToNode(each) && usesNoNodeResources(rebuilt, each))
                            && ready.allocated().stream()
                                    .allMatch(each -> rebuilt.allocation(each)
                                            .filter(PreemptionPropertyTest::isBoundToNode)
                                            .filter(allocation -> usesNoNodeResources(rebuilt, allocation))
                                            .isPresent());
                    assertThat(isBound).as("%s: %s", row, plan).isFalse();
                }
            }
        });
    }

    private static boolean isBoundToNode(State state, ItemId item) {
        return state.pod(item.key()).orElseThrow().claims().stream()
                .flatMap(claim -> state.claim(claim).stream())
                .flatMap(claim -> state.allocation(claim).stream())
                .allMatch(PreemptionPropertyTest::isBoundToNode);
    }

    private static boolean isBoundToNode(Allocation allocation) {
        return allocation.nodeSelector().flatMap(NodeSelector::onlyNode).isPresent();
    }

    private static boolean usesNoNodeResources(State state, Allocation allocation) {
        return allocation.results().stream()
                .flatMap(result -> state.inventory().slices().published(result.device()).stream())
                .allMatch(device -> device.nodeAllocatable().isEmpty());
    }

    /** Guards the other tests against histories without preemption. */
    @Test
    void historiesContainPreemptions() {
        var preemptions = new AtomicInteger();
        seeds().forEach(seed -> eachStep(
                seed,
                (state, step) -> allocatedPods(step)
                        .flatMap(allocated -> state.item(allocated.item()).stream())
                        .filter(row -> row.message().contains("kube-scheduler has to evict pods"))
                        .forEach(_ -> preemptions.incrementAndGet())));
        assertThat(preemptions.get()).isGreaterThan(10);
    }
}
