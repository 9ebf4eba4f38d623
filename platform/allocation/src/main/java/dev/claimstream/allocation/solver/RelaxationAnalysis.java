package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.Taint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Searches again without allocations, and then without taints, to find which devices block an item.
 *
 * <p>The node with the fewest blocked devices is the nearest node.
 */
final class RelaxationAnalysis {
    /** Search steps of one relaxation over all classes; a class that exceeds its share is skipped. */
    static final long STEPS_MAX = 20_000;

    static final long STEPS_OF_CLASS_MIN = 200;

    private static final int SHORTAGES_MAX = 2;

    private final AllocationProblem problem;
    private final NodeClassIndex index;
    private final DeviceInventory inventory;
    private final long stepsMax;
    private final WorkMeter meter;

    RelaxationAnalysis(
            AllocationProblem problem,
            NodeClassIndex index,
            DeviceInventory inventory,
            long stepsMax,
            WorkMeter meter) {
        this.problem = problem;
        this.index = index;
        this.inventory = inventory;
        this.stepsMax = stepsMax;
        this.meter = meter;
    }

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

    /** Returns the reason if a node lacks only devices that are allocated. */
    Optional<AllocationPlan.PendingDiagnosis> withoutAllocations() {
        return devicesInUse(each -> true);
    }

    /** Returns the reason if a node without a failure lacks only devices that are allocated. */
    Optional<AllocationPlan.PendingDiagnosis> withoutAllocationsOnOtherNodes(PlacementPolicy policy) {
        return devicesInUse(each -> each.outcome(problem, policy, stepsMax) instanceof SearchOutcome.NoSolution);
    }

    private Optional<AllocationPlan.PendingDiagnosis> devicesInUse(Predicate<NodeEquivalenceClass> among) {
        return solveRelaxed(EnumSet.of(Relaxation.ALLOCATIONS), among)
                .filter(solution -> !solution.blockedDevices.isEmpty())
                .map(this::devicesInUse);
    }

    /** Returns the reason if a node lacks only allocated devices and devices with taints. */
    Optional<AllocationPlan.PendingDiagnosis> withoutAllocationsAndTaints() {
        return solveRelaxed(EnumSet.of(Relaxation.ALLOCATIONS, Relaxation.TAINTS), each -> true)
                .flatMap(this::tainted);
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
                List<AllocationBuilder.DeviceAssignment> assignments =
                        AllocationBuilder.assignments(problem, new NodeRanking.NodeCandidate(node, nodeClass, fits));
                var solution = new RelaxedSolution(node, assignments, blockedDevices(nodeClass, node, fits));
                if (least.isEmpty() || isNearer(solution, least.get())) {
                    least = Optional.of(solution);
                }
            }
        }
        return least;
    }

    /** Charges {@link #withoutAllocations} without diagnosing, for a reason that is known already. */
    void charge() {
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
            DeviceCandidate candidate = nodeClass.candidate(node, device);
            if (!nodeClass.state.isAvailable(device)) {
                blocked.add(new BlockedDevice(Reason.DevicesInUse, blockers(List.of(candidate.usage())), List.of()));
            } else if (!remainingCapacity.hasCapacity(column, device)) {
                blocked.add(new BlockedDevice(
                        Reason.CapacityExhausted,
                        blockers(List.of(candidate.usage())),
                        amounts.shortages(option, candidate)));
            } else if (!remainingCapacity.hasCounters(device)) {
                blocked.add(withoutCounters(
                        candidate, amounts.shortages(option, candidate), amounts.overdrawnCounter(candidate)));
            } else {
                remainingCapacity.allocate(column, device);
                amounts.allocate(option, candidate);
            }
        }
        return blocked;
    }

    /** Lists only holders that consume the counter that is short: only their release helps. */
    private BlockedDevice withoutCounters(
            DeviceCandidate candidate, List<Shortage> shortages, Optional<Shortage> overdrawn) {
        List<Shortage> found = shortages.isEmpty() ? overdrawn.stream().toList() : shortages;
        List<DeviceUsage> holdings = candidate.counters().stream()
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
                                .map(holder -> new AllocationPlan.DeviceHolder(
                                        holder.claim(), inventory.usages().stateOf(holder)))
                                .distinct()
                                .toList()))
                .toList();
    }

    private AllocationPlan.PendingDiagnosis devicesInUse(RelaxedSolution solution) {
        Reason reason = solution.blockedDevices.getFirst().reason;
        List<AllocationPlan.BlockingDevice> blockers = solution.blockedDevices.stream()
                .flatMap(each -> each.blockers.stream())
                .distinct()
                .toList();
        String node = solution.node.name();
        int requested = solution.assignments.size();
        String nearest = "%s has %d of %d%s%s"
                .formatted(
                        node,
                        requested - solution.blockedDevices.size(),
                        requested,
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
                text.formatted(problem.requestedText(), nearest),
                Optional.of(new AllocationPlan.NearestNode(node, nearest, blockers)));
    }

    private static String allocatedText(List<AllocationPlan.BlockingDevice> blockers) {
        AllocationPlan.BlockingDevice first = blockers.getFirst();
        String text = "%s is allocated to %s"
                .formatted(
                        first.device().device(),
                        String.join(
                                " and ",
                                first.holders().stream().map(Object::toString).toList()));
        return blockers.size() == 1 ? text : text + ", %d more are allocated".formatted(blockers.size() - 1);
    }

    private Optional<AllocationPlan.PendingDiagnosis> tainted(RelaxedSolution solution) {
        for (AllocationBuilder.DeviceAssignment assignment : solution.assignments) {
            Optional<Taint> taint = assignment.untoleratedTaint();
            if (taint.isPresent()) {
                String text = "%s of node %s carries the taint %s, which request %s does not tolerate"
                        .formatted(
                                assignment.candidate().usage().device().device(),
                                solution.node.name(),
                                taint.get(),
                                assignment.option().resultName());
                return Optional.of(new AllocationPlan.PendingDiagnosis(
                        Reason.Tainted,
                        text,
                        Optional.of(new AllocationPlan.NearestNode(solution.node.name(), text, List.of()))));
            }
        }
        return Optional.empty();
    }
}
