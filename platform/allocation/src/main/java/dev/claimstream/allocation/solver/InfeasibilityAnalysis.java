package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Determines why no node fits. It searches again without allocations, and then without taints. If no solution exists,
 * it counts candidates, and at last removes limits jointly ({@link JointLimitAnalysis}). The first cause found is the reason;
 * the node with the fewest blocked devices is the nearest node.
 */
final class InfeasibilityAnalysis {
    /** Search steps of one relaxation over all classes; a class that exceeds its share is skipped. */
    static final long STEPS_MAX = 20_000;

    static final long STEPS_OF_CLASS_MIN = 200;

    private static final int SHORTAGES_MAX = 2;
    private static final int NAMES_MAX = 4;

    private final AllocationProblem problem;
    private final ShapeIndex index;
    private final DeviceInventory inventory;
    private final long stepsMax;
    private final WorkMeter meter;

    InfeasibilityAnalysis(
            AllocationProblem problem, ShapeIndex index, DeviceInventory inventory, long stepsMax, WorkMeter meter) {
        this.problem = problem;
        this.index = index;
        this.inventory = inventory;
        this.stepsMax = stepsMax;
        this.meter = meter;
    }

    AllocationPlan.PendingDiagnosis of(CandidateRanking ranking) {
        if (ranking.hasEarmarkedNode()) {
            return diagnosis(Reason.Earmarked, "the nodes that fit are earmarked for an older item");
        }
        if (ranking.isBudgetExhausted()) {
            return diagnosis(
                    Reason.SearchBudgetExhausted,
                    "search budget exhausted: no result within %,d steps on a node".formatted(stepsMax));
        }
        if (ranking.failedNode().isPresent()) {
            return onOtherNodes(ranking)
                    .orElseGet(() -> failing(ranking.failedNode().get()));
        }
        if (index.classes().isEmpty()) {
            return noNode();
        }
        return solveRelaxed(EnumSet.of(Relaxation.ALLOCATIONS))
                .filter(solution -> !solution.blockedDevices.isEmpty())
                .map(this::devicesInUse)
                .or(() -> solveRelaxed(EnumSet.of(Relaxation.ALLOCATIONS, Relaxation.TAINTS))
                        .flatMap(this::tainted))
                .or(this::withoutCandidates)
                .or(() -> new CapacityAnalysis(problem, index, meter).diagnosis())
                .or(this::unreachableMatch)
                .or(this::tooFew)
                .or(() -> new JointLimitAnalysis(problem, index, stepsMax, meter).diagnosis(requestedText()))
                .orElseGet(() -> diagnosis(Reason.DoesNotFit, "no node has all requested devices together"));
    }

    /** Diagnoses a pod that fits on a node except for the node resources that its devices consume. */
    static AllocationPlan.PendingDiagnosis nodeFull(CandidateRanking.FullNode found) {
        String node = found.node().name();
        return switch (found.obstacle()) {
            case NodeResourceCheck.NodeResourceObstacle.InsufficientResources(var lacking) -> {
                String nearest = "%s has the devices and, with their node resources, too little of %s"
                        .formatted(node, String.join(" and ", lacking));
                yield new AllocationPlan.PendingDiagnosis(
                        Reason.NodeFull,
                        "no node with the devices has room for the pod and for the node resources of its devices,"
                                + " nearest: "
                                + nearest,
                        Optional.of(new AllocationPlan.NearestNode(node, nearest, List.of())));
            }
            case NodeResourceCheck.NodeResourceObstacle.UnaccountableDevice(String message) ->
                new AllocationPlan.PendingDiagnosis(
                        Reason.NodeResourcesUnknown,
                        message,
                        Optional.of(new AllocationPlan.NearestNode(node, message, List.of())));
        };
    }

    private static AllocationPlan.PendingDiagnosis diagnosis(Reason reason, String message) {
        return new AllocationPlan.PendingDiagnosis(reason, message, Optional.empty());
    }

    // ---- failures
    // ------------------------------------------------------------------------------------------------

    private AllocationPlan.PendingDiagnosis failing(CandidateRanking.FailedNode failing) {
        String node = failing.node().name();
        return switch (failing.failure()) {
            case SearchOutcome.SearchFailure.SelectorError of -> {
                DeviceCandidate slot = slot(failing.node(), failing.nodeClass(), of.device());
                RequestOption option = problem.options().get(of.column());
                yield diagnosis(
                        Reason.SelectorError,
                        option.failure(problem, slot).orElse("a selector failed on node " + node));
            }
            case SearchOutcome.SearchFailure.DerivationError of -> {
                DeviceCandidate slot = slot(failing.node(), failing.nodeClass(), of.device());
                yield diagnosis(
                        Reason.SelectorError,
                        problem.constraints().stream()
                                .filter(constraint -> constraint.appliesTo(of.column()))
                                .map(constraint -> problem.sources().get(constraint.source(of.column())))
                                .flatMap(source -> source.failure(slot).stream())
                                .findFirst()
                                .orElse("a derived attribute failed on node " + node));
            }
            case SearchOutcome.SearchFailure.IncompletePool incomplete ->
                diagnosis(
                        Reason.PoolIncomplete,
                        "asks for all devices, but resource pool %s is currently being updated%s"
                                .formatted(
                                        failing.node().incompletePools().getFirst(),
                                        disabled(failing.node()
                                                        .incompletePools()
                                                        .getFirst())
                                                .map(each -> ": " + each)
                                                .orElse("")));
            case SearchOutcome.SearchFailure.InvalidPool invalid ->
                diagnosis(
                        Reason.PoolInvalid,
                        "invalid resource pools were encountered: %s is inconsistent (two devices or counter sets with one name, or undeclared counters)"
                                .formatted(failing.node().invalidPools().getFirst()));
            case SearchOutcome.SearchFailure.ConstraintViolation against -> allAgainstConstraint(failing, against);
            case SearchOutcome.SearchFailure.TooManyDevices tooMany ->
                diagnosis(Reason.LimitExceeded, tooMany.message());
        };
    }

    /** Reports the set of all devices first and upstream's message last, because upstream names only one device. */
    private AllocationPlan.PendingDiagnosis allAgainstConstraint(
            CandidateRanking.FailedNode failing, SearchOutcome.SearchFailure.ConstraintViolation against) {
        RequestOption option = problem.options().get(against.column());
        List<DeviceCandidate> all = IntStream.range(0, failing.nodeClass().layout.size)
                .filter(device ->
                        failing.nodeClass().layout.eligibility(device, option.column()) != DeviceEligibility.NO)
                .mapToObj(device -> slot(failing.node(), failing.nodeClass(), device))
                .toList();
        String node = failing.node().name();
        String spread = problem.constraints().stream()
                .filter(constraint -> constraint.appliesTo(option.column()))
                .map(constraint ->
                        AttributeCounts.of(problem, constraint, option, all).text())
                .collect(Collectors.joining("; "));
        String nearest = "request %s takes all %d matching %s of node %s (allocationMode All): %s"
                .formatted(
                        option.resultName(),
                        all.size(),
                        option.deviceClass().meta().name(),
                        node,
                        spread);
        return new AllocationPlan.PendingDiagnosis(
                Reason.ConstraintUnsatisfied,
                "%s; request %s: cannot add device %s because a claim constraint would not be satisfied"
                        .formatted(
                                nearest,
                                option.resultName(),
                                slot(failing.node(), failing.nodeClass(), against.device())
                                        .usage()
                                        .device()),
                Optional.of(new AllocationPlan.NearestNode(node, nearest, List.of())));
    }

    private static DeviceCandidate slot(NodeDeviceView node, NodeEquivalenceClass nodeClass, int device) {
        return node.candidates().get(nodeClass.layout.positions[device]);
    }

    private AllocationPlan.PendingDiagnosis noNode() {
        SortedMap<String, Node> nodes = inventory.nodes();
        Optional<String> only = problem.shape().rules().onlyNode();
        String message = only.map(name ->
                        "node %s, the only one for the pod or its other claims, %s".formatted(name, state(name)))
                .orElseGet(() -> nodes.size() == 1
                        ? "the only node %s %s".formatted(nodes.firstKey(), state(nodes.firstKey()))
                        : "none of %d nodes is usable and allowed for the pod".formatted(nodes.size()));
        return diagnosis(Reason.NoUsableNode, message);
    }

    private String state(String name) {
        Node node = inventory.nodes().get(name);
        if (node == null) {
            return "is not known";
        }
        return problem.shape()
                .rules()
                .obstacle(node)
                .map(against -> "is not usable: " + against.text())
                .orElse("sends no heartbeats");
    }

    // ---- relaxations
    // -------------------------------------------------------------------------------------------------------------

    /** A solution on a node under a relaxation, with the assigned devices that are not available now. */
    private record RelaxedSolution(
            NodeDeviceView node,
            List<AllocationBuilder.DeviceAssignment> assignments,
            List<BlockedDevice> blockedDevices) {}

    /**
     * A required device that is not available now.
     *
     * @param shortages limits that the device exceeds after the devices before it
     */
    private record BlockedDevice(
            Reason reason, List<AllocationPlan.BlockingDevice> blockers, List<Shortage> shortages) {}

    /**
     * Returns the diagnosis of a node that only lacks unallocated devices, although a constraint on all devices fails
     * on another node.
     */
    private Optional<AllocationPlan.PendingDiagnosis> onOtherNodes(CandidateRanking ranking) {
        boolean isOfNode = ranking.failedNode()
                .filter(each -> each.failure() instanceof SearchOutcome.SearchFailure.ConstraintViolation)
                .isPresent();
        return isOfNode
                ? solveRelaxed(
                                EnumSet.of(Relaxation.ALLOCATIONS),
                                each -> each.outcome(problem, ranking.policy(), stepsMax)
                                        instanceof SearchOutcome.NoSolution)
                        .filter(solution -> !solution.blockedDevices.isEmpty())
                        .map(this::devicesInUse)
                : Optional.empty();
    }

    private Optional<RelaxedSolution> solveRelaxed(Set<Relaxation> relaxed) {
        return solveRelaxed(relaxed, each -> true);
    }

    private Optional<RelaxedSolution> solveRelaxed(Set<Relaxation> relaxed, Predicate<NodeEquivalenceClass> among) {
        Optional<RelaxedSolution> least = Optional.empty();
        List<NodeEquivalenceClass> nodeClasses = index.classes();
        long stepsOfClass = stepsOfClass(nodeClasses);
        for (NodeEquivalenceClass nodeClass : nodeClasses) {
            if (!among.test(nodeClass)) {
                continue;
            }
            SearchOutcome outcome = relaxedOutcome(nodeClass, relaxed, stepsOfClass);
            if (outcome instanceof SearchOutcome.Solution fits) {
                NodeDeviceView node = nodeClass.nodes.first();
                List<AllocationBuilder.DeviceAssignment> picks =
                        assignments(new CandidateRanking.NodeCandidate(node, nodeClass, fits));
                var candidate = new RelaxedSolution(node, picks, blockedDevices(nodeClass, node, fits));
                if (least.isEmpty() || isNearer(candidate, least.get())) {
                    least = Optional.of(candidate);
                }
            }
        }
        return least;
    }

    /** Charges the relaxation of allocations without diagnosing, for a reason that is known already. */
    void chargeFirstRelaxation() {
        List<NodeEquivalenceClass> nodeClasses = index.classes();
        nodeClasses.forEach(
                each -> relaxedOutcome(each, EnumSet.of(Relaxation.ALLOCATIONS), stepsOfClass(nodeClasses)));
    }

    private SearchOutcome relaxedOutcome(NodeEquivalenceClass nodeClass, Set<Relaxation> relaxed, long stepsOfClass) {
        SearchOutcome outcome = nodeClass.relaxedOutcome(problem, relaxed, Collections.emptySet(), stepsOfClass);
        meter.chargeSearch(outcome.steps(), nodeClass.layout.size);
        return outcome;
    }

    private long stepsOfClass(List<NodeEquivalenceClass> nodeClasses) {
        return Math.min(stepsMax, Math.max(STEPS_OF_CLASS_MIN, STEPS_MAX / Math.max(1, nodeClasses.size())));
    }

    private static boolean isNearer(RelaxedSolution one, RelaxedSolution other) {
        int more = one.blockedDevices.size() - other.blockedDevices.size();
        return more != 0 ? more < 0 : one.node.compareTo(other.node) < 0;
    }

    /** Allocates the assigned devices one by one, and returns those that are not available. */
    private List<BlockedDevice> blockedDevices(
            NodeEquivalenceClass nodeClass, NodeDeviceView node, SearchOutcome.Solution fits) {
        RemainingCapacity remainingCapacity = nodeClass.state.remainingCapacity(nodeClass.layout);
        var amounts = new RemainingAmounts(problem, true);
        List<BlockedDevice> blocked = new ArrayList<>();
        for (int i = 0; i < fits.devices().length; i++) {
            int device = fits.devices()[i];
            int column = fits.columns()[i];
            RequestOption option = problem.options().get(column);
            DeviceCandidate slot = slot(node, nodeClass, device);
            if (!nodeClass.state.isAvailable(device)) {
                blocked.add(new BlockedDevice(Reason.DevicesInUse, blockers(List.of(slot.usage())), List.of()));
            } else if (!remainingCapacity.hasCapacity(column, device)) {
                blocked.add(new BlockedDevice(
                        Reason.CapacityExhausted, blockers(List.of(slot.usage())), amounts.shortages(option, slot)));
            } else if (!remainingCapacity.hasCounters(device)) {
                blocked.add(withoutCounters(slot, amounts.shortages(option, slot), amounts.overdrawnCounter(slot)));
            } else {
                remainingCapacity.allocate(column, device);
                amounts.allocate(option, slot);
            }
        }
        return blocked;
    }

    /** Lists only holders that consume the counter that is short: only their release helps. */
    private BlockedDevice withoutCounters(
            DeviceCandidate slot, List<Shortage> shortages, Optional<Shortage> overdrawn) {
        List<Shortage> found = shortages.isEmpty() ? overdrawn.stream().toList() : shortages;
        List<DeviceUsage> holdings = slot.counters().stream()
                .flatMap(use -> found.stream().flatMap(each -> switch (each) {
                    case Shortage.CounterShortage of -> use.pool().usage().usersOfCounter(of.counter()).stream();
                    case Shortage.GroupConflict of -> use.pool().usage().usersOfSet(of.counterSet()).stream();
                    case Shortage.CapacityShortage of -> Stream.<DeviceUsage>empty();
                }))
                .distinct()
                .toList();
        return new BlockedDevice(Reason.CountersExhausted, blockers(holdings), found);
    }

    private List<AllocationPlan.BlockingDevice> blockers(List<DeviceUsage> holdings) {
        return holdings.stream()
                .map(holding -> new AllocationPlan.BlockingDevice(
                        holding.device(),
                        holding.entries().stream()
                                .map(holder ->
                                        new AllocationPlan.DeviceHolder(holder.claim(), inventory.usages().stateOf(holder)))
                                .distinct()
                                .toList()))
                .toList();
    }

    private List<AllocationBuilder.DeviceAssignment> assignments(CandidateRanking.NodeCandidate fit) {
        List<AllocationBuilder.DeviceAssignment> picks = new ArrayList<>();
        for (int claim = 0; claim < problem.requests().size(); claim++) {
            picks.addAll(AllocationBuilder.assignments(problem, fit, claim));
        }
        return picks;
    }

    private AllocationPlan.PendingDiagnosis devicesInUse(RelaxedSolution solution) {
        Reason reason = solution.blockedDevices.getFirst().reason;
        List<AllocationPlan.BlockingDevice> blockers = solution.blockedDevices.stream()
                .flatMap(each -> each.blockers.stream())
                .distinct()
                .toList();
        String node = solution.node.name();
        int wanted = solution.assignments.size();
        String nearest = "%s has %d of %d%s%s"
                .formatted(
                        node,
                        wanted - solution.blockedDevices.size(),
                        wanted,
                        blockers.isEmpty() ? "" : ", " + allocatedText(blockers),
                        solution.blockedDevices.stream()
                                .flatMap(each -> each.shortages.stream())
                                .limit(SHORTAGES_MAX)
                                .map(each -> "; " + each.text())
                                .collect(Collectors.joining()));
        String text = reason == Reason.CountersExhausted
                ? "no room for %s beside other partitions, nearest: %s"
                : reason == Reason.CapacityExhausted
                        ? "not enough capacity left for %s, nearest: %s"
                        : "%s in use, nearest: %s";
        return new AllocationPlan.PendingDiagnosis(
                reason,
                text.formatted(requestedText(), nearest),
                Optional.of(new AllocationPlan.NearestNode(node, nearest, blockers)));
    }

    private static String allocatedText(List<AllocationPlan.BlockingDevice> blockers) {
        AllocationPlan.BlockingDevice first = blockers.getFirst();
        String text = "%s is held by %s"
                .formatted(
                        first.device().device(),
                        String.join(
                                " and ",
                                first.holders().stream().map(Object::toString).toList()));
        return blockers.size() == 1 ? text : text + ", %d more are held".formatted(blockers.size() - 1);
    }

    /** Returns the first taint of a device that its request does not tolerate. */
    static Optional<Taint> untolerated(AllocationBuilder.DeviceAssignment pick) {
        return Toleration.firstUntolerated(
                pick.slot().device().taints(), pick.option().spec().tolerations());
    }

    /** Joins names to a text, with at most four of them. */
    static String joinNames(List<String> names) {
        int more = names.size() - NAMES_MAX;
        return more > 0
                ? "%s and %d more".formatted(String.join(", ", names.subList(0, NAMES_MAX)), more)
                : String.join(" and ", names);
    }

    private Optional<AllocationPlan.PendingDiagnosis> tainted(RelaxedSolution solution) {
        for (AllocationBuilder.DeviceAssignment pick : solution.assignments) {
            Optional<Taint> taint = untolerated(pick);
            if (taint.isPresent()) {
                String text = "%s of node %s carries the taint %s, which request %s does not tolerate"
                        .formatted(
                                pick.slot().usage().device().device(),
                                solution.node.name(),
                                taint.get(),
                                pick.option().resultName());
                return Optional.of(new AllocationPlan.PendingDiagnosis(
                        Reason.Tainted,
                        text,
                        Optional.of(new AllocationPlan.NearestNode(solution.node.name(), text, List.of()))));
            }
        }
        return Optional.empty();
    }

    // ---- counts
    // ----------------------------------------------------------------------------------------------------------------

    private String requestedText() {
        return String.join(
                " + ",
                problem.requests().stream()
                        .flatMap(List::stream)
                        .map(options -> amount(options.getFirst()))
                        .toList());
    }

    static String amount(RequestOption option) {
        String name = option.deviceClass().meta().name();
        return option.isAllDevices() ? "all " + name : option.spec().count() + " " + name;
    }

    private Optional<AllocationPlan.PendingDiagnosis> withoutCandidates() {
        var funnels = new FunnelCounter(problem, List.of(), index, meter);
        for (List<RequestOption> alternatives :
                problem.requests().stream().flatMap(List::stream).toList()) {
            if (alternatives.size() == 1) {
                RequestOption option = alternatives.getFirst();
                long[] passed = funnels.passedCounts(option);
                int ofClass = option.deviceClass().selectors().size();
                if (passed[ofClass] == 0) {
                    return Optional.of(diagnosis(
                            Reason.ClassMatchesNoDevice,
                            "class %s selects none of %d devices"
                                    .formatted(option.deviceClass().meta().name(), passed[0])));
                }
                for (int i = ofClass + 1; i <= option.filters().size(); i++) {
                    if (passed[i] == 0) {
                        return Optional.of(diagnosis(
                                Reason.SelectorMatchesNoDevice,
                                "selector %d of request %s matches none of %d %s"
                                        .formatted(
                                                i - ofClass,
                                                option.resultName(),
                                                passed[i - 1],
                                                option.deviceClass().meta().name())));
                    }
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Diagnoses a request with matching devices of which no usable node reaches any; the first device gives the cause.
     */
    private Optional<AllocationPlan.PendingDiagnosis> unreachableMatch() {
        return problem.requests().stream()
                .flatMap(List::stream)
                .filter(alternatives -> alternatives.size() == 1)
                .map(List::getFirst)
                .filter(option -> index.classes().stream().allMatch(each -> matching(each.layout, option) == 0))
                .flatMap(option -> firstMatch(option).stream())
                .findFirst();
    }

    private Optional<AllocationPlan.PendingDiagnosis> firstMatch(RequestOption option) {
        meter.charge(WorkMeter.LOOKUP * inventory.slices().devices() * option.filters().size());
        for (var pool : inventory.slices().pools().entrySet()) {
            for (ResourceSlice slice : pool.getValue().values()) {
                for (Device device : slice.devices()) {
                    if (option.passedFilters(slice.driver(), device)
                            == option.filters().size()) {
                        return Optional.of(unreachable(option, pool.getKey(), device));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private AllocationPlan.PendingDiagnosis unreachable(RequestOption option, PoolId pool, Device device) {
        String what = "device %s/%s fits request %s, but ".formatted(pool, device.name(), option.resultName());
        if (!device.consumesCounters().isEmpty() && !problem.features().has(Feature.PARTITIONABLE_DEVICES)) {
            return diagnosis(Reason.DoesNotFit, what + "takes shared counters, and DRAPartitionableDevices is off");
        }
        if (inventory.views().stream().anyMatch(view -> view.incompletePools().contains(pool))) {
            return diagnosis(Reason.PoolIncomplete, what + disabled(pool).orElse("slices of its pool are missing"));
        }
        if (inventory.views().stream().anyMatch(view -> view.invalidPools().contains(pool))) {
            return diagnosis(
                    Reason.PoolInvalid,
                    what + "its pool has two devices or counter sets with one name, or undeclared counters");
        }
        return diagnosis(Reason.NoUsableNode, what + "no node that is usable and allowed for the pod reaches it");
    }

    /** Explains why slices of a complete pool do not count: they need a feature gate that is off. */
    private Optional<String> disabled(PoolId pool) {
        List<ResourceSlice> slices = List.copyOf(
                inventory.slices().pools().getOrDefault(pool, new TreeMap<>()).values());
        boolean hasCounters =
                slices.stream().anyMatch(slice -> !slice.sharedCounters().isEmpty());
        boolean hasGroups = slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .flatMap(device -> device.consumesCounters().stream())
                .anyMatch(each -> !each.compatibilityGroups().isEmpty());
        if (hasCounters && !problem.features().has(Feature.PARTITIONABLE_DEVICES)) {
            return Optional.of("its slices with shared counters do not count, as DRAPartitionableDevices is off");
        }
        return hasGroups && !problem.features().has(Feature.DEVICE_COMPATIBILITY_GROUPS)
                ? Optional.of(
                        "its slices with compatibility groups do not count, as DRADeviceCompatibilityGroups is off")
                : Optional.empty();
    }

    private Optional<AllocationPlan.PendingDiagnosis> tooFew() {
        for (List<RequestOption> alternatives :
                problem.requests().stream().flatMap(List::stream).toList()) {
            Optional<AllocationPlan.PendingDiagnosis> missing = tooFew(alternatives);
            if (missing.isPresent()) {
                return missing;
            }
        }
        return Optional.empty();
    }

    private Optional<AllocationPlan.PendingDiagnosis> tooFew(List<RequestOption> alternatives) {
        Optional<AllocationPlan.PendingDiagnosis> first = Optional.empty();
        for (RequestOption option : alternatives) {
            long wanted = option.isAllDevices() ? 1 : option.spec().count();
            Optional<LargestNode> largest = index.classes().stream()
                    .map(each -> LargestNode.of(each, option))
                    .min(LargestNode.ORDER);
            long most = largest.map(LargestNode::matching).orElse(0L);
            if (most >= wanted) {
                return Optional.empty();
            }
            String text = "%s on one node, the largest has %d in all".formatted(amount(option), most);
            Optional<AllocationPlan.NearestNode> nearest = largest.filter(each -> each.matching > 0)
                    .map(each -> new AllocationPlan.NearestNode(
                            each.node, "%s has %d of %d".formatted(each.node, most, wanted), List.of()));
            first = first.or(() ->
                    Optional.of(new AllocationPlan.PendingDiagnosis(Reason.InsufficientDevicesPerNode, text, nearest)));
        }
        return first;
    }

    /**
     * Number of matching devices on the nodes of a class for an option.
     *
     * @param tolerated number of matching devices without untolerated taints
     */
    private record LargestNode(String node, long matching, long tolerated) {
        private static final Comparator<LargestNode> ORDER = Comparator.comparingLong(LargestNode::matching)
                .thenComparingLong(LargestNode::tolerated)
                .reversed()
                .thenComparing(LargestNode::node);

        static LargestNode of(NodeEquivalenceClass nodeClass, RequestOption option) {
            long tolerated = 0;
            for (int device = 0; device < nodeClass.layout.size; device++) {
                tolerated += nodeClass.layout.eligibility(device, option.column()) == DeviceEligibility.YES ? 1 : 0;
            }
            return new LargestNode(
                    nodeClass.nodes.first().name(),
                    InfeasibilityAnalysis.matching(nodeClass.layout, option),
                    tolerated);
        }
    }

    private static long matching(NodeLayout layout, RequestOption option) {
        long count = 0;
        for (int device = 0; device < layout.size; device++) {
            DeviceEligibility verdict = layout.eligibility(device, option.column());
            count += verdict == DeviceEligibility.YES || verdict == DeviceEligibility.TAINTED ? 1 : 0;
        }
        return count;
    }
}
