package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.Objects;
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
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests pods of several priorities on nodes with more devices than node resources. */
class LawsOfRoomTest {
    private static final int SIZE = 200;
    private static final int PODS = 16;

    static LongStream seeds() {
        return Campaign.seeds(1, Integer.getInteger("laws.seeds", 40));
    }

    /** Generates a history of pods with local or network devices that are created, bound and deleted. */
    private static History crowd(long seed) {
        var random = new Random(seed);
        var out = new ArrayList<Observation>();
        var world = new World(out);
        out.add(new Observation.SettingsChanged(CellSettings.defaults().withPreemption(true)));
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        world.write(Objects.deviceClass("nic", "kind=nic"));
        world.write(Objects.slice("net-slice", "net", 1, 1, "*", "nic-0 kind=nic", "nic-1 kind=nic", "nic-2 kind=nic"));
        for (int i = 1; i <= 3; i++) {
            String node = "node-" + i;
            world.write(Objects.slice(
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
                node(world, random, "node-" + (1 + random.nextInt(3)));
            } else {
                pod(world, random, "pod-" + random.nextInt(PODS));
            }
        }
        return new History(out.subList(0, SIZE));
    }

    private static void node(World world, Random random, String name) {
        ResourceList room = random.nextInt(10) == 0
                ? ResourceList.none()
                : ItemActs.resources((2 + random.nextInt(5)) + " cpu and 5 pods");
        world.write(new Node(Objects.node(name).meta(), List.of(), random.nextInt(10) == 0, true, List.of(), room));
    }

    private static void pod(World world, Random random, String name) {
        var key = new ObjectKey("default", name);
        Optional<Pod> before = world.at(Kind.POD, key, Pod.class);
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
            claim(world, random, name);
        }
        world.write(new Pod(
                ObjectMeta.of("default", name, world.freshUid()),
                random.nextInt(6) == 0 ? Optional.of("node-" + (1 + random.nextInt(3))) : Optional.empty(),
                new TreeMap<>(),
                Optional.empty(),
                List.of(),
                random.nextInt(5),
                random.nextInt(5) > 0,
                List.of(new PodClaim("use", new PodClaim.ClaimSource.ClaimReference("claim-" + name), 1)),
                List.of(),
                ItemActs.resources((1 + random.nextInt(4)) + " cpu"),
                new TreeMap<>(),
                Optional.empty(),
                random.nextInt(4) > 0 ? List.of(Pod.ALLOCATION_GATE) : List.of(),
                PodTopology.none(),
                false));
        if (!claimFirst) {
            claim(world, random, name);
        }
    }

    private static void claim(World world, Random random, String pod) {
        world.write(new ResourceClaim(
                ObjectMeta.of("default", "claim-" + pod, world.freshUid()),
                ClaimText.spec(random.nextInt(8) == 0 ? "r: 1 nic" : "r: 1 gpu"),
                Optional.empty(),
                List.of()));
    }

    private static void bind(World world, Pod pod, String node) {
        world.write(new Pod(
                pod.meta(),
                pod.nodeName().or(() -> Optional.of(node)),
                pod.nodeSelector(),
                pod.requiredAffinity(),
                pod.tolerations(),
                pod.priority(),
                pod.preempts(),
                pod.resourceClaims(),
                pod.containerResources(),
                pod.requests(),
                pod.spare(),
                pod.podGroup(),
                List.of(),
                pod.topology(),
                false));
    }

    private static void eachStep(long seed, Look look) {
        Failing.holds(seed, crowd(seed), each -> {
            var state = new State(new TextSelectors());
            var cell = new Cell(state);
            for (Input input : each.inputs()) {
                Step step = cell.step(input);
                Invariants.check(state);
                look.at(state, step);
            }
        });
    }

    private interface Look {
        void at(State after, Step step);
    }

    /** The node resources suffice beside all pods that preemption cannot evict. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whereAPodIsServedThoseOfItsPriorityAndAboveHaveRoom(long seed) {
        eachStep(
                seed,
                (state, step) -> served(step)
                        .filter(told -> state.item(told.item())
                                .filter(row -> !row.isPending())
                                .isPresent())
                        .filter(told ->
                                isOfOneNode(state, told.item())) // other pods have no known node before they are bound
                        .forEach(told -> {
                            Pod pod = state.pod(told.item().key()).orElseThrow();
                            Node node = (Node) state.object(Kind.NODE, ObjectKey.cluster(told.node()))
                                    .flatMap(Row.ObjectRow::content)
                                    .orElseThrow();
                            ResourceList others = takenFrom(state, told.node(), pod.priority(), told.item());
                            assertThat(pod.nodeName().isPresent() || hasRoom(node, others, PodDemand.ofPod(pod)))
                                    .as("%s on %s beside %s", pod, node, others)
                                    .isTrue();
                        }));
    }

    private record Served(ItemId item, String node) {}

    /** Pods that a step allocates, and their nodes. */
    private static Stream<Served> served(Step step) {
        return step.outputs().stream()
                .flatMap(output -> output instanceof Output.ItemExplained explained
                                && explained.explanation().detail()
                                        instanceof Explanation.ExplanationDetail.Allocated granted
                                && granted.choice().feasibleNodes() > 0
                                && explained.explanation().item().kind() == ItemId.ItemKind.POD
                        ? Stream.of(new Served(explained.explanation().item(), granted.node()))
                        : Stream.empty());
    }

    /** The node resources used by pods of at least this priority, except one pod. */
    private static ResourceList takenFrom(State state, String node, int priority, ItemId except) {
        return state.nodeUsage().all().keySet().stream()
                .flatMap(key -> state.pod(key).stream())
                .filter(pod -> pod.priority() >= priority && !pod.key().equals(except.key()))
                .flatMap(pod -> state.nodeUsage().usageOf(pod.key()).stream())
                .filter(charge -> charge.node().equals(node))
                .map(NodeResourceUsage.PodResourceUsage::requests)
                .reduce(ResourceList.none(), ResourceList::plus);
    }

    private static boolean hasRoom(Node node, ResourceList taken, ResourceList asked) {
        return node.allocatable().isNone()
                || asked.amounts().entrySet().stream()
                        .allMatch(each -> taken.amount(each.getKey()) + each.getValue()
                                <= node.allocatable().amount(each.getKey()));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nobodyWaitsForRoomThatKubeSchedulerMakes(long seed) {
        eachStep(seed, (state, step) -> {
            if (!state.isSynced() || !state.settings().preemption()) {
                return;
            }
            State anew = State.of(new TextSelectors(), state.rows().values());
            for (ItemId item : List.copyOf(anew.pending().values())) {
                Row.ItemRow row = anew.item(item).orElseThrow();
                Optional<Pod> pod = anew.pod(item.key())
                        .filter(each -> each.isGated() && each.mayPreempt())
                        .filter(_ -> row.reason().equals(Optional.of(Reason.NodeFull)));
                if (pod.isPresent() && WorkItemAssembly.of(anew, item) instanceof WorkItemAssembly.Ready ready) {
                    var terms = new AllocationPlanner.PlanOptions(
                            anew.settings().policy(),
                            anew.settings().searchStepsMax(),
                            node -> LawsOfGrantsTest.isOpen(anew, node, row)
                                    && hasRoom(
                                            node.node(),
                                            takenFrom(
                                                    anew, node.name(), pod.get().priority(), item),
                                            ready.shape().rules().requests()));
                    AllocationPlan plan = anew.planner().plan(ready.shape().withoutRequests(), terms);
                    boolean isBound = plan instanceof AllocationPlan.Allocated placed
                            && placed.allocations().stream()
                                    .allMatch(each -> isOfOneNode(each) && takesNothing(anew, each))
                            && ready.allocated().stream()
                                    .allMatch(each -> WorkItemAssembly.allocation(anew, each)
                                            .filter(LawsOfRoomTest::isOfOneNode)
                                            .filter(given -> takesNothing(anew, given))
                                            .isPresent());
                    assertThat(isBound).as("%s: %s", row, plan).isFalse();
                }
            }
        });
    }

    private static boolean isOfOneNode(State state, ItemId item) {
        return state.pod(item.key()).orElseThrow().claims().stream()
                .flatMap(claim -> state.claim(claim).stream())
                .flatMap(claim -> WorkItemAssembly.allocation(state, claim).stream())
                .allMatch(LawsOfRoomTest::isOfOneNode);
    }

    private static boolean isOfOneNode(Allocation allocation) {
        return allocation.nodeSelector().flatMap(NodeSelector::onlyNode).isPresent();
    }

    private static boolean takesNothing(State state, Allocation allocation) {
        return allocation.results().stream()
                .flatMap(result -> state.inventory().published(result.device()).stream())
                .allMatch(device -> device.nodeAllocatable().isEmpty());
    }

    /** Guards the other tests against histories without preemption. */
    @Test
    void inHistoriesRoomIsMadeNowAndThen() {
        var made = new AtomicInteger();
        seeds().forEach(seed -> eachStep(
                seed,
                (state, step) -> served(step)
                        .flatMap(told -> state.item(told.item()).stream())
                        .filter(row -> row.message().contains("kube-scheduler is to make it"))
                        .forEach(_ -> made.incrementAndGet())));
        assertThat(made.get()).isGreaterThan(10);
    }
}
