package dev.claimstream.allocation.solver;

import dev.claimstream.dra.AttributeValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Formats why the allocator selected a node, and why it did not select the second-best node. */
final class ChoiceRationale {
    private ChoiceRationale() {}

    static AllocationPlan.NodeChoice of(
            AllocationProblem problem, PlacementPolicy policy, NodeRanking ranking, NodeRanking.NodeCandidate best) {
        Optional<NodeRanking.NodeCandidate> second = ranking.second();
        return new AllocationPlan.NodeChoice(
                policy,
                ranking.feasibleNodes(),
                text(problem, policy, ranking.feasibleNodes(), best),
                second.map(fit -> fit.node().name()),
                second.map(fit -> explainSecondChoice(policy, best, fit)).orElse(""));
    }

    private static String text(
            AllocationProblem problem, PlacementPolicy policy, int fitting, NodeRanking.NodeCandidate best) {
        List<String> parts = new ArrayList<>();
        alternative(problem, best).ifPresent(parts::add);
        constraint(problem, best).ifPresent(parts::add);
        if (problem.shape().rules().onlyNode().isPresent()) {
            parts.add("on the node that the pod or its other claims are bound to");
        } else if (fitting == 1) {
            parts.add("the only node that fits");
        } else if (policy == PlacementPolicy.FIRST_FIT) {
            parts.add("first by name of " + fitting + " nodes");
        } else {
            int remaining = best.outcome().score().freeMatching();
            parts.add((remaining == 0 ? "fills the node" : "leaves " + remaining + " free on the node") + ": best of "
                    + fitting);
        }
        return String.join(", ", parts);
    }

    private static Optional<String> alternative(AllocationProblem problem, NodeRanking.NodeCandidate best) {
        for (int column : best.outcome().columns()) {
            RequestOption option = problem.options().get(column);
            if (!option.resultName().equals(option.request())) {
                return Optional.of("alternative %d, %s"
                        .formatted(
                                option.preference() + 1,
                                option.resultName().substring(option.request().length() + 1)));
            }
        }
        return Optional.empty();
    }

    private static Optional<String> constraint(AllocationProblem problem, NodeRanking.NodeCandidate best) {
        for (AttributeConstraint constraint : problem.constraints()) {
            String attribute = problem.attributes().get(constraint.attribute());
            for (AllocationBuilder.DeviceAssignment assignment :
                    AllocationBuilder.assignments(problem, best, constraint.claim())) {
                if (constraint.appliesTo(assignment.option().column())) {
                    AttributeSource source = problem.sources()
                            .get(constraint.source(assignment.option().column()));
                    return Optional.of(
                            constraint.distinct() ? "distinct " + withoutDomain(attribute) : same(source, assignment));
                }
            }
        }
        return Optional.empty();
    }

    private static String same(AttributeSource source, AllocationBuilder.DeviceAssignment assignment) {
        return "same " + withoutDomain(source.name())
                + source.value(assignment.candidate())
                        .map(value -> " " + text(value))
                        .orElse("");
    }

    /** Removes the domain from an attribute name. */
    static String withoutDomain(String attribute) {
        return attribute.substring(attribute.indexOf('/') + 1);
    }

    /** Formats an attribute value for messages. */
    static String text(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntValue v -> Long.toString(v.value());
            case AttributeValue.BoolValue v -> Boolean.toString(v.value());
            case AttributeValue.StringValue v -> v.value();
            case AttributeValue.VersionValue v -> v.value();
            case AttributeValue.IntList v -> v.values().toString();
            case AttributeValue.BoolList v -> v.values().toString();
            case AttributeValue.StringList v -> v.values().toString();
            case AttributeValue.VersionList v -> v.values().toString();
            case AttributeValue.UnknownValue v -> "?";
        };
    }

    private static String explainSecondChoice(
            PlacementPolicy policy, NodeRanking.NodeCandidate best, NodeRanking.NodeCandidate second) {
        Score one = best.outcome().score();
        Score other = second.outcome().score();
        if (policy == PlacementPolicy.FIRST_FIT || one.equals(other)) {
            return "later by name";
        }
        if (one.preference() != other.preference()) {
            return "a less preferred alternative";
        }
        if (one.grade() != other.grade()) {
            return "larger devices than needed";
        }
        if (one.cost() != other.cost()) {
            return "would cause more fragmentation";
        }
        if (one.freeMatching() == other.freeMatching() && one.freeTotal() == other.freeTotal()) {
            return "shares of emptier devices";
        }
        return one.freeMatching() != other.freeMatching()
                ? "would leave %d free instead of %d".formatted(other.freeMatching(), one.freeMatching())
                : "would leave %d devices of all kinds free instead of %d"
                        .formatted(other.freeTotal(), one.freeTotal());
    }
}
