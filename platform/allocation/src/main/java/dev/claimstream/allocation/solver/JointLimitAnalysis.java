package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeDeviceView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds the limits that requests exceed only together, with every device unallocated (a deletion filter).
 *
 * <p>The analysis removes all limits and restores them one by one while a solution exists; the limits that it cannot
 * restore are the reason. Device limits come before constraints: a constraint is a reason only if no solution exists
 * with all device limits removed. The relaxed searches of one diagnosis share {@link RelaxationAnalysis#STEPS_MAX} steps.
 */
final class JointLimitAnalysis {
    /** A search gets this fraction of the remaining steps, so that an endless one leaves steps for later searches. */
    private static final int STEP_SHARE_DIVISOR = 4;
    /** Exceeded amounts that the text lists. */
    private static final int NAMED_MAX = 3;

    private static final List<Relaxation> OF_DEVICES =
            List.of(Relaxation.TAINTS, Relaxation.CAPACITY, Relaxation.GROUPS, Relaxation.COUNTERS);

    private final AllocationProblem problem;
    private final List<NodeEquivalenceClass> classes;
    private final long stepsMax;
    private final WorkMeter meter;
    private long remainingSteps;

    JointLimitAnalysis(AllocationProblem problem, NodeClassIndex index, long stepsMax, WorkMeter meter) {
        this.problem = problem;
        this.classes = index.classes().stream()
                .sorted(Comparator.comparing((NodeEquivalenceClass each) -> each.nodes.first()))
                .toList();
        this.stepsMax = Math.min(
                stepsMax,
                Math.max(
                        RelaxationAnalysis.STEPS_OF_CLASS_MIN,
                        RelaxationAnalysis.STEPS_MAX / Math.max(1, classes.size())));
        this.remainingSteps = RelaxationAnalysis.STEPS_MAX;
        this.meter = meter;
    }

    /**
     * The problem without some limits, and its solution.
     *
     * @param constraints indexes of the removed constraints
     */
    private record RelaxedProblem(Set<Relaxation> lifted, Set<Integer> constraints, NodeRanking.NodeCandidate fit) {
        NodeDeviceView node() {
            return fit.node();
        }
    }

    /** Returns the reason if removing limits yields a solution. */
    Optional<AllocationPlan.PendingDiagnosis> diagnosis(String needs) {
        Set<Relaxation> all = EnumSet.of(Relaxation.ALLOCATIONS);
        all.addAll(OF_DEVICES);
        Set<Integer> constraints = new TreeSet<>(
                IntStream.range(0, problem.constraints().size()).boxed().toList());
        return relaxed(all, Collections.emptySet())
                .or(() -> constraints.isEmpty() ? Optional.empty() : relaxed(all, constraints))
                .map(this::withFewestLimits)
                .map(fewest -> diagnosis(fewest, needs));
    }

    private RelaxedProblem withFewestLimits(RelaxedProblem from) {
        RelaxedProblem fewest = from;
        for (Relaxation limit : OF_DEVICES) {
            Set<Relaxation> lifted = EnumSet.copyOf(fewest.lifted);
            lifted.remove(limit);
            fewest = relaxed(lifted, fewest.constraints).orElse(fewest);
        }
        for (int constraint : from.constraints) {
            Set<Integer> without = new TreeSet<>(fewest.constraints);
            without.remove(constraint);
            fewest = relaxed(fewest.lifted, without).orElse(fewest);
        }
        return fewest;
    }

    /** Solves the problem without these limits on the first node by name, within the budget. */
    private Optional<RelaxedProblem> relaxed(Set<Relaxation> lifted, Set<Integer> constraints) {
        for (NodeEquivalenceClass each : classes) {
            if (remainingSteps <= 0) {
                return Optional.empty();
            }
            SearchOutcome outcome = each.relaxedOutcome(
                    problem, lifted, constraints, Math.min(stepsMax, Math.ceilDiv(remainingSteps, STEP_SHARE_DIVISOR)));
            meter.chargeSearch(outcome.steps(), each.layout.size);
            remainingSteps -= outcome.steps();
            if (outcome instanceof SearchOutcome.Solution fits) {
                return Optional.of(new RelaxedProblem(
                        lifted, constraints, new NodeRanking.NodeCandidate(each.nodes.first(), each, fits)));
            }
        }
        return Optional.empty();
    }

    // ---- texts
    // --------------------------------------------------------------------------------------------------------------

    private AllocationPlan.PendingDiagnosis diagnosis(RelaxedProblem fewest, String needs) {
        List<AllocationBuilder.DeviceAssignment> assignments = AllocationBuilder.assignments(problem, fewest.fit);
        List<String> exceeded = exceeded(fewest, assignments);
        List<String> attributes = fewest.constraints.stream()
                .map(each -> attribute(problem.constraints().get(each)))
                .distinct()
                .toList();
        String with = attributes.isEmpty() ? "" : " with the constraint on " + String.join(" and ", attributes);
        String nearest = exceeded.isEmpty()
                ? "%s has the devices, but not together".formatted(fewest.node().name())
                : "on %s, %s".formatted(fewest.node().name(), String.join("; ", exceeded));
        String text = exceeded.isEmpty()
                ? "no node has %s%s".formatted(needs, with)
                : "no node has %s%s together: %s".formatted(needs, with, nearest);
        return new AllocationPlan.PendingDiagnosis(
                reason(fewest),
                text,
                Optional.of(new AllocationPlan.NearestNode(fewest.node().name(), nearest, List.of())));
    }

    private String attribute(AttributeConstraint constraint) {
        String name = ChoiceRationale.withoutDomain(problem.attributes().get(constraint.attribute()));
        return constraint.distinct() ? "distinct " + name : name;
    }

    private static Reason reason(RelaxedProblem fewest) {
        if (!fewest.constraints.isEmpty()) {
            return Reason.ConstraintUnsatisfied;
        }
        if (fewest.lifted.contains(Relaxation.COUNTERS)) {
            return Reason.CountersExceeded;
        }
        if (fewest.lifted.contains(Relaxation.GROUPS)) {
            return Reason.GroupsIncompatible;
        }
        return fewest.lifted.contains(Relaxation.CAPACITY) ? Reason.CapacityExceeded : Reason.DoesNotFit;
    }

    private List<String> exceeded(RelaxedProblem fewest, List<AllocationBuilder.DeviceAssignment> assignments) {
        var amounts = new RemainingAmounts(problem, false);
        assignments.forEach(assignment -> amounts.allocate(assignment.option(), assignment.candidate()));
        List<String> exceeded = new ArrayList<>();
        if (fewest.lifted.contains(Relaxation.COUNTERS)) {
            exceeded.addAll(amounts.exceededCounters());
        }
        if (fewest.lifted.contains(Relaxation.GROUPS)) {
            amounts.groupConflict().map(Shortage::text).ifPresent(exceeded::add);
        }
        if (fewest.lifted.contains(Relaxation.CAPACITY)) {
            exceeded.addAll(amounts.exceededCapacities());
        }
        if (fewest.lifted.contains(Relaxation.TAINTS)) {
            assignments.stream().flatMap(JointLimitAnalysis::taint).limit(1).forEach(exceeded::add);
        }
        int more = exceeded.size() - NAMED_MAX;
        return more > 0
                ? Stream.concat(exceeded.stream().limit(NAMED_MAX), Stream.of("%d more limits".formatted(more)))
                        .toList()
                : exceeded;
    }

    private static Stream<String> taint(AllocationBuilder.DeviceAssignment assignment) {
        return assignment
                .untoleratedTaint()
                .map(taint -> "%s carries the taint %s, which request %s does not tolerate"
                        .formatted(
                                assignment.candidate().usage().device().device(),
                                taint,
                                assignment.option().resultName()))
                .stream();
    }
}
