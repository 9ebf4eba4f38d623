package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.scenarios.Expectation.AllocationField;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Compares an expectation with a decision, in lines: {@code -} for missing parts, {@code +} for unexpected ones. */
final class ExpectationComparison {
    private final List<String> lines = new ArrayList<>();

    private ExpectationComparison() {}

    /** Returns the difference; absent if the expectation is met. */
    static Optional<String> of(Scenario scenario, ScenarioDecision decision) {
        return switch (scenario.expectation()) {
            case Expectation.Allocated results -> ofResults(scenario, results, decision);
            case Expectation.Pending _ ->
                decision instanceof ScenarioDecision.Pending
                        ? Optional.empty()
                        : Optional.of(mismatch("that it does not fit", scenario, decision));
            case Expectation.Failed error ->
                decision instanceof ScenarioDecision.Failed fails && has(fails, error.message())
                        ? Optional.empty()
                        : Optional.of(mismatch("the error \"%s\"".formatted(error.message()), scenario, decision));
        };
    }

    private static boolean has(ScenarioDecision.Failed fails, String part) {
        return fails.messages().stream().anyMatch(wording -> wording.contains(part));
    }

    private static String mismatch(String expected, Scenario scenario, ScenarioDecision decision) {
        return "expected %s, but %s".formatted(expected, describe(scenario, decision));
    }

    private static String describe(Scenario scenario, ScenarioDecision decision) {
        return switch (decision) {
            case ScenarioDecision.Allocated fits ->
                fits.allocations().isEmpty()
                        ? "it fits on node %s, with nothing left to decide".formatted(fits.node())
                        : "it fits on node %s:%s".formatted(fits.node(), devices(scenario, fits));
            case ScenarioDecision.Pending not -> "it does not fit: " + not.reason();
            case ScenarioDecision.Failed fails ->
                "there is an error: " + fails.messages().getFirst();
            case ScenarioDecision.BudgetExhausted undecided -> "it was not decided: " + undecided.reason();
        };
    }

    private static String devices(Scenario scenario, ScenarioDecision.Allocated fits) {
        var text = new StringBuilder();
        for (int i = 0; i < fits.allocations().size(); i++) {
            text.append("\n  claim ").append(scenario.claims().get(i)).append(": ");
            text.append(fits.allocations().get(i).results().stream()
                    .map(result -> result.request() + " " + result.device())
                    .collect(Collectors.joining(", ")));
        }
        return text.toString();
    }

    private static Optional<String> ofResults(
            Scenario scenario, Expectation.Allocated expected, ScenarioDecision decision) {
        if (!(decision instanceof ScenarioDecision.Allocated fits)) {
            return Optional.of(mismatch("that it fits", scenario, decision));
        }
        var comparison = new ExpectationComparison();
        for (Expectation.ExpectedAllocation result : expected.results()) {
            int position = scenario.claims().indexOf(result.claim());
            comparison.compare(result, fits.allocations().get(position));
        }
        return comparison.lines.isEmpty() ? Optional.empty() : Optional.of(String.join("\n", comparison.lines));
    }

    private void compare(Expectation.ExpectedAllocation expected, Allocation actual) {
        if (expected.parts().contains(AllocationField.DEVICES)) {
            results(
                    expected.claim(),
                    AllocationText.withoutShares(expected.allocation().results()),
                    AllocationText.withoutShares(actual.results()));
            config(expected, actual);
        }
        if (expected.parts().contains(AllocationField.NODE_SELECTOR)) {
            nodes(expected, actual);
        }
    }

    private void results(ObjectKey claim, List<DeviceResult> expected, List<DeviceResult> actual) {
        List<DeviceResult> missing = without(expected, actual);
        List<DeviceResult> surplus = without(actual, expected);
        if (missing.isEmpty() && surplus.isEmpty()) {
            return;
        }
        lines.add("claim %s: devices.results differ".formatted(claim));
        missing.forEach(each -> lines.add("- " + AllocationText.of(each)));
        surplus.forEach(each -> lines.add("+ " + AllocationText.of(each)));
    }

    /** Returns the multiset difference of two lists. */
    private static <T> List<T> without(List<T> first, List<T> second) {
        List<T> rest = new ArrayList<>(first);
        second.forEach(rest::remove);
        return rest;
    }

    private void config(Expectation.ExpectedAllocation expected, Allocation actual) {
        if (!expected.allocation().config().equals(actual.config())) {
            lines.add("claim %s: devices.config differ".formatted(expected.claim()));
            expected.allocation().config().forEach(each -> lines.add("- " + AllocationText.of(each)));
            actual.config().forEach(each -> lines.add("+ " + AllocationText.of(each)));
        }
    }

    private void nodes(Expectation.ExpectedAllocation expected, Allocation actual) {
        Optional<NodeSelector> expectedNodes = expected.allocation().nodeSelector();
        if (!terms(expectedNodes).equals(terms(actual.nodeSelector()))) {
            lines.add("claim %s: nodeSelector differs".formatted(expected.claim()));
            lines.add("- " + expectedNodes.map(AllocationText::of).orElse("none: every node"));
            lines.add("+ " + actual.nodeSelector().map(AllocationText::of).orElse("none: every node"));
        }
    }

    /** Returns the terms of a selector as sets, because the order of terms, requirements and values has no meaning. */
    private static Set<List<Set<String>>> terms(Optional<NodeSelector> selector) {
        return selector.stream()
                .flatMap(each -> each.terms().stream())
                .map(term -> List.of(requirements(term.matchExpressions()), requirements(term.matchFields())))
                .collect(Collectors.toSet());
    }

    private static Set<String> requirements(List<NodeSelector.Requirement> requirements) {
        return requirements.stream()
                .map(each -> each.key() + " " + each.operator() + " " + new TreeSet<>(each.values()))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
