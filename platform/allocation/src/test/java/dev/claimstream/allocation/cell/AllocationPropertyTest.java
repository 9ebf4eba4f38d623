package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.oracle.AllocationValidator;
import dev.claimstream.allocation.oracle.OracleProblem;
import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests allocations and pending items on random histories.
 *
 * <p>The expected values come from object rows and outputs alone.
 */
class AllocationPropertyTest {
    private static final int SIZE = 300;

    static LongStream seeds() {
        return Campaign.seeds(1000, Integer.getInteger("laws.seeds", 40));
    }

    /** Runs the history of a seed and checks rows before, and the state after, every step. */
    private static void eachStep(long seed, AllocationStepCheck look) {
        History history = HistoryGenerator.randomWithBudget(seed, SIZE);
        PropertyCheck.check(seed, history, each -> {
            var state = new State(new TextSelectors());
            var cell = new Cell(state);
            for (Input input : each.inputs()) {
                SortedMap<String, Row> before = new TreeMap<>(state.rows());
                Step step = cell.step(input);
                Invariants.check(state);
                look.check(before, state, step);
            }
        });
    }

    private interface AllocationStepCheck {
        void check(SortedMap<String, Row> before, State after, Step step);
    }

    private static <T extends ClusterObject> List<T> objects(State state, Kind kind, Class<T> type) {
        return state.rows(ObservedRow.ObjectRow.allOf(kind)).stream()
                .flatMap(row -> row.content().stream())
                .map(type::cast)
                .toList();
    }

    private static List<Decision> decisions(Step step) {
        List<Decision> decisions = new ArrayList<>();
        for (Output output : step.outputs()) {
            if (output instanceof Output.DecisionMade made) {
                decisions.add(made.decision());
            }
        }
        return decisions;
    }

    // ---- allocations

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void allocatesOnlyValidAndFreeDevices(long seed) {
        eachStep(seed, (before, state, step) -> {
            SortedSet<DeviceId> inUse = devicesInUse(before, state);
            List<Decision> fresh = new ArrayList<>();
            SortedSet<String> allocatedUids = new TreeSet<>();
            for (Decision decision : decisions(step)) {
                if (decision.result() instanceof Decision.DecisionResult.Allocated
                        && allocatesDevices(before, state, decision)
                        && allocatedUids.add(decision.claimUid())) {
                    if (!fresh.isEmpty() && !fresh.getFirst().item().equals(decision.item())) {
                        check(state, fresh, inUse);
                        fresh.clear();
                    }
                    fresh.add(decision);
                }
            }
            check(state, fresh, inUse);
        });
    }

    /** Devices that are allocated after the observation and before the first decision, or in quarantine. */
    private static SortedSet<DeviceId> devicesInUse(SortedMap<String, Row> before, State state) {
        var inUse = new TreeSet<DeviceId>();
        var committedUids = new TreeSet<String>();
        for (ResourceClaim claim : objects(state, Kind.RESOURCE_CLAIM, ResourceClaim.class)) {
            claim.allocation().ifPresent(allocation -> {
                committedUids.add(claim.meta().uid());
                inUse.addAll(devices(allocation));
            });
        }
        before.values().forEach(row -> {
            boolean exists = row instanceof ClaimRow.AllocationRow allocationRow
                    && !committedUids.contains(allocationRow.claimUid())
                    && state.decidedAllocation(allocationRow.claimUid())
                            .filter(now -> now.number() == allocationRow.number())
                            .isPresent();
            if (exists && row instanceof ClaimRow.AllocationRow allocationRow) {
                inUse.addAll(devices(allocationRow.allocation()));
            }
        });
        state.rows(ClaimRow.QuarantineRow.ALL).forEach(row -> inUse.addAll(devices(row.allocation())));
        return inUse;
    }

    private static List<DeviceId> devices(Allocation allocation) {
        return allocation.results().stream()
                .filter(result -> !result.adminAccess())
                .map(DeviceResult::device)
                .toList();
    }

    /** Whether a decision allocates devices, and does not only reserve them for one more consumer. */
    private static boolean allocatesDevices(SortedMap<String, Row> before, State state, Decision decision) {
        boolean isReported = state.claim(decision.claim())
                .filter(claim -> claim.meta().uid().equals(decision.claimUid()))
                .flatMap(ResourceClaim::allocation)
                .isPresent();
        return !isReported
                && !(before.get(ClaimRow.AllocationRow.key(decision.claimUid()).text())
                                instanceof ClaimRow.AllocationRow allocation
                        && decision.result() instanceof Decision.DecisionResult.Allocated allocated
                        && allocated.allocation().equals(allocation.allocation()));
    }

    /** Checks the decisions of one item together, because the solver allocates them together. */
    private static void check(State state, List<Decision> decisions, SortedSet<DeviceId> inUse) {
        if (decisions.isEmpty()) {
            return;
        }
        List<ClaimSpec> specs = new ArrayList<>();
        List<Allocation> allocations = new ArrayList<>();
        String nodeName = "";
        for (Decision decision : decisions) {
            if (decision.result() instanceof Decision.DecisionResult.Allocated allocated) {
                specs.add(state.claim(decision.claim()).orElseThrow().spec());
                allocations.add(allocated.allocation());
                nodeName = allocated.node();
            }
        }
        var problem = new OracleProblem(
                objects(state, Kind.NODE, Node.class),
                objects(state, Kind.RESOURCE_SLICE, ResourceSlice.class),
                objects(state, Kind.DEVICE_TAINT_RULE, DeviceTaintRule.class),
                objects(state, Kind.DEVICE_CLASS, DeviceClass.class),
                inUse,
                specs);
        Node node = problem.node(nodeName);
        assertThat(AllocationValidator.violations(problem, new TextSelectors(), node, allocations))
                .as("%s", decisions)
                .isEmpty();
        assertThat(node.ready() && !state.inventory().isSilent(nodeName)).isTrue();
        assertThat(state.isSynced()).isTrue();
        allocations.forEach(allocation -> inUse.addAll(devices(allocation)));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void numbersDecisionsInIncreasingOrder(long seed) {
        var last = new long[] {0};
        eachStep(seed, (before, state, step) -> {
            if (state.count().offset() == 0) {
                last[0] = 0;
            }
            for (Decision decision : decisions(step)) {
                boolean takesBack = decision.result() instanceof Decision.DecisionResult.Released
                        || decision.result() instanceof Decision.DecisionResult.Revoked;
                if (!takesBack) {
                    assertThat(decision.number()).as("%s", decision).isGreaterThan(last[0]);
                    last[0] = decision.number();
                }
            }
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void reservesOnlyForExistingPodsWithAllClaims(long seed) {
        eachStep(seed, (before, state, step) -> {
            for (Decision decision : decisions(step)) {
                if (decision.result() instanceof Decision.DecisionResult.Allocated allocated
                        && decision.item().kind() == ItemId.ItemKind.POD) {
                    state.item(decision.item())
                            .filter(item -> !item.isPending())
                            .flatMap(item -> state.pod(decision.item().key()))
                            .ifPresent(pod -> assertThat(allocated.reservedFor().stream()
                                            .anyMatch(consumer -> consumer.uid()
                                                            .equals(pod.meta().uid())
                                                    || (consumer.isPodGroup()
                                                            && pod.podGroup().equals(Optional.of(consumer.name())))))
                                    // a new pod with the name of a deleted one need not use its claim
                                    .isEqualTo(pod.claims().contains(decision.claim())));
                    for (ClaimConsumer consumer : allocated.reservedFor()) {
                        assertThat(isKnown(state, decision, consumer))
                                .as("%s of %s", consumer, decision)
                                .isTrue();
                    }
                }
            }
        });
    }

    /** Whether the consumer is an existing pod or PodGroup, or is in the status of the claim. */
    private static boolean isKnown(State state, Decision decision, ClaimConsumer consumer) {
        boolean exists = objects(state, Kind.POD, Pod.class).stream()
                .anyMatch(pod -> pod.meta().uid().equals(consumer.uid()) && !pod.finished());
        boolean isGroup = objects(state, Kind.POD_GROUP, PodGroup.class).stream()
                .anyMatch(group -> group.meta().uid().equals(consumer.uid()));
        return exists
                || isGroup
                || state.claim(decision.claim())
                        .filter(claim -> claim.reservedFor().contains(consumer))
                        .isPresent();
    }

    // ---- items

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void hasOneItemPerPodAndStandaloneClaim(long seed) {
        eachStep(seed, (before, state, step) -> {
            SortedSet<String> expected = new TreeSet<>();
            List<Pod> pods = objects(state, Kind.POD, Pod.class);
            for (Pod pod : pods) {
                boolean wants = pod.resourceClaims().stream()
                        .anyMatch(each -> !(each.source() instanceof PodClaim.ClaimSource.NoClaimNeeded));
                if (wants && !pod.finished() && !pod.meta().deleting()) {
                    expected.add(ItemId.pod(pod.key()).toString());
                }
            }
            for (ResourceClaim claim : objects(state, Kind.RESOURCE_CLAIM, ResourceClaim.class)) {
                boolean isAwaited = waitsForConsumer(state, claim);
                boolean used = pods.stream()
                        .filter(pod -> !isAwaited || !pod.finished())
                        .anyMatch(pod -> pod.claims().contains(claim.key()));
                boolean isDecidedAlone = state.decidedAllocation(claim.meta().uid())
                        .filter(allocationRow -> allocationRow.item().equals(ItemId.claim(claim.key())))
                        .isPresent();
                boolean owned = claim.meta().controller().isPresent();
                if (!used && !owned && (claim.allocation().isEmpty() || isDecidedAlone)) {
                    expected.add(ItemId.claim(claim.key()).toString());
                }
            }
            SortedSet<String> pending = new TreeSet<>();
            SortedSet<String> allocated = new TreeSet<>();
            state.rows(SchedulingRow.ItemRow.ALL).forEach(item -> {
                (item.isPending() ? pending : allocated).add(item.item().toString());
            });
            SortedSet<String> all = new TreeSet<>(pending);
            all.addAll(allocated);
            assertThat(all).isEqualTo(expected);
            assertThat(state.pending().values().stream().map(ItemId::toString))
                    .containsExactlyInAnyOrderElementsOf(pending);
        });
    }

    private static boolean waitsForConsumer(State state, ResourceClaim claim) {
        return state.object(Kind.RESOURCE_CLAIM, claim.key())
                .filter(row -> row.stamp().timing() == AllocationTiming.WAIT_FOR_CONSUMER)
                .isPresent();
    }

    /** Claims that wait for consumers are allocated only with a pod, and revoked with the last consumer. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void allocatesOnlyClaimsWithConsumer(long seed) {
        eachStep(seed, (before, state, step) -> {
            List<Pod> pods = objects(state, Kind.POD, Pod.class);
            for (ResourceClaim claim : objects(state, Kind.RESOURCE_CLAIM, ResourceClaim.class)) {
                if (state.isSynced()
                        && waitsForConsumer(state, claim)
                        && claim.allocation().isEmpty()) {
                    state.decidedAllocation(claim.meta().uid())
                            .filter(allocationRow ->
                                    allocationRow.commitState() == ClaimRow.AllocationRow.CommitState.DECIDED)
                            .ifPresent(allocationRow -> assertThat(pods.stream()
                                                    .anyMatch(pod -> !pod.finished()
                                                            && pod.claims().contains(claim.key()))
                                            || hasGroup(state, claim))
                                    .as("%s", allocationRow)
                                    .isTrue());
                }
            }
            for (Decision decision : decisions(step)) {
                if (decision.result() instanceof Decision.DecisionResult.Allocated
                        && allocatesDevices(before, state, decision)
                        && state.claim(decision.claim())
                                .filter(claim -> waitsForConsumer(state, claim))
                                .isPresent()) {
                    boolean isRepeated = before.get(ClaimRow.AllocationRow.key(decision.claimUid())
                                    .text())
                            instanceof ClaimRow.AllocationRow;
                    assertThat(isRepeated || decision.item().kind() == ItemId.ItemKind.POD)
                            .as("%s", decision)
                            .isTrue();
                }
            }
        });
    }

    private static boolean hasGroup(State state, ResourceClaim claim) {
        return state.settings().features().has(Feature.WORKLOAD_RESOURCE_CLAIMS)
                && objects(state, Kind.POD_GROUP, PodGroup.class).stream()
                        .anyMatch(group -> group.resourceClaims().stream()
                                .anyMatch(each -> each.claim()
                                        .equals(Optional.of(claim.meta().name()))));
    }

    /** Reasons that free devices do not resolve: other pods of a gang, or the end of an existing allocation. */
    private static final Set<Reason> REASONS_BEYOND_DEVICES =
            EnumSet.of(Reason.GangIncomplete, Reason.Reallocating, Reason.DeviceNotPublished);

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void leavesNoItemPendingThatFits(long seed) {
        eachStep(seed, (before, state, step) -> {
            if (!state.isSynced() || state.hasUnfinishedWork()) {
                return;
            }
            State rebuilt = State.of(new TextSelectors(), state.rows().values());
            var topology = new NaiveTopology(rebuilt);
            for (ItemId item : List.copyOf(rebuilt.pending().values())) {
                SchedulingRow.ItemRow row = rebuilt.item(item).orElseThrow();
                if (!REASONS_BEYOND_DEVICES.contains(row.reason().orElseThrow())
                        && WorkItemAssembly.of(rebuilt, item) instanceof WorkItemAssembly.Ready ready) {
                    var options = new AllocationPlanner.PlanOptions(
                            rebuilt.settings().policy(),
                            rebuilt.settings().searchStepsMax(),
                            node -> isAvailable(rebuilt, node, row) && topology.admits(item, node.node()));
                    AllocationPlan plan = rebuilt.planner().plan(ready.shape(), options);
                    assertThat(plan).as("%s", row).isInstanceOf(AllocationPlan.Pending.class);
                }
            }
        });
    }

    /** The incremental index of pod constraints agrees with a scan of all pods. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithNaiveInterPodConstraints(long seed) {
        eachStep(seed, (before, state, step) -> {
            var topology = new NaiveTopology(state);
            for (Pod pod : objects(state, Kind.POD, Pod.class)) {
                InterPodConstraints constraints = state.podAffinity().constraintsFor(pod);
                for (Node node : objects(state, Kind.NODE, Node.class)) {
                    assertThat(constraints.violation(node).map(Supplier::get))
                            .as("%s on %s", pod, node)
                            .matches(against -> against.isEmpty() == topology.admits(pod, node));
                }
            }
        });
    }

    /** Whether no older competing item has an earmark on the node, and the item does not avoid the node. */
    static boolean isAvailable(State state, NodeDeviceView node, SchedulingRow.ItemRow row) {
        return Optional.ofNullable(state.earmarks().get(node.name()))
                        .map(keptFor -> keptFor.compareTo(row.rank()) >= 0
                                || !isContested(state, node, keptFor.item(), row.item()))
                        .orElse(true)
                && state.rows(SchedulingRow.AvoidedNodeRow.allOf(row.item())).stream()
                        .noneMatch(avoided -> avoided.uid().equals(row.uid())
                                && avoided.node().equals(node.name()));
    }

    /** Whether both items can use one device of the node, or two devices with counters of one pool. */
    private static boolean isContested(State state, NodeDeviceView node, ItemId one, ItemId other) {
        return node.candidates().stream()
                .filter(candidate -> isSuitable(state, candidate, one))
                .anyMatch(candidate -> node.candidates().stream()
                        .filter(each -> each.equals(candidate) || shareCounters(each, candidate))
                        .anyMatch(each -> isSuitable(state, each, other)));
    }

    private static boolean shareCounters(DeviceCandidate one, DeviceCandidate other) {
        return one.slice().poolId().equals(other.slice().poolId())
                && !one.device().consumesCounters().isEmpty()
                && !other.device().consumesCounters().isEmpty();
    }

    private static boolean isSuitable(State state, DeviceCandidate candidate, ItemId item) {
        return !(WorkItemAssembly.of(state, item) instanceof WorkItemAssembly.Ready ready)
                || ready.shape().specs().stream()
                        .flatMap(spec -> spec.requests().stream())
                        .flatMap(AllocationPropertyTest::specs)
                        .anyMatch(spec -> isSelected(state, candidate, spec));
    }

    private static boolean isSelected(State state, DeviceCandidate candidate, RequestSpec spec) {
        var selectors = new TextSelectors();
        return Optional.ofNullable(state.planner().classes().get(spec.deviceClassName()))
                .filter(found -> Stream.concat(found.selectors().stream(), spec.selectors().stream())
                        .noneMatch(text -> selectors.compile(text).test(candidate.driver(), candidate.device())
                                instanceof Selector.Match.SelectorMismatch))
                .isPresent();
    }

    private static Stream<RequestSpec> specs(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec());
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream().map(DeviceRequest.Alternative::spec);
            case DeviceRequest.UnknownRequest _ -> Stream.empty();
        };
    }

    // ---- explanations

    /** This includes allocations whose item ended, because a pod took over the claim or finished. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsExplanationsWhileAllocatedOrPending(long seed) {
        PropertyCheck.check(seed, HistoryGenerator.randomWithBudget(seed, SIZE), each -> {
            var state = new State(new TextSelectors());
            var cell = new Cell(state);
            var ever = new TreeSet<ItemId>();
            var explained = new TreeSet<ItemId>();
            for (Input input : each.inputs()) {
                for (Output output : cell.step(input).outputs()) {
                    if (output instanceof Output.ItemExplained itemExplained) {
                        ever.add(itemExplained.explanation().item());
                        explained.add(itemExplained.explanation().item());
                    } else if (output instanceof Output.ExplanationDeleted deleted) {
                        explained.remove(deleted.item());
                    }
                }
                var allocatedItems = new TreeSet<ItemId>();
                state.rows(ClaimRow.AllocationRow.ALL).forEach(row -> allocatedItems.add(row.item()));
                allocatedItems.retainAll(ever);
                assertThat(explained).containsAll(allocatedItems);
                var existingItems = new TreeSet<>(allocatedItems);
                state.rows(SchedulingRow.ItemRow.ALL).forEach(row -> existingItems.add(row.item()));
                assertThat(existingItems).containsAll(explained);
            }
        });
    }

    /** A queue has not admitted such a pod, and it would hold devices that others need. */
    @Test
    void allocatesNothingForPodsWithAnotherGate() {
        int gated = 0;
        for (long seed = 0; seed < 40; seed++) {
            var state = new State(new TextSelectors());
            var cell = new Cell(state);
            for (Input input : HistoryGenerator.random(seed, SIZE).inputs()) {
                for (Output output : cell.step(input).outputs()) {
                    if (output instanceof Output.DecisionMade made && isBlocked(state, made.decision())) {
                        assertThat(made.decision().result())
                                .as("seed %d", seed)
                                .isNotInstanceOf(Decision.DecisionResult.Allocated.class);
                        gated++;
                    }
                }
            }
        }
        assertThat(gated).isGreaterThan(20);
    }

    private static boolean isBlocked(State state, Decision decision) {
        return decision.item().kind() == ItemId.ItemKind.POD
                && state.pod(decision.item().key())
                        .filter(pod ->
                                pod.nodeName().isEmpty() && pod.otherGate().isPresent())
                        .isPresent();
    }
}
