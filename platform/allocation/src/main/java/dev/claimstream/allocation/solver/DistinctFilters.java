package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The distinct selector lists of a problem; requests often repeat the selectors of others. Two lists are equal if they
 * have equal fingerprints in the same order.
 */
final class DistinctFilters {
    /** The first option with each list. */
    private final List<RequestOption> representatives;

    private final int[] indexOfColumn;

    DistinctFilters(AllocationProblem problem) {
        Map<List<String>, RequestOption> firsts = new LinkedHashMap<>();
        Map<List<String>, Integer> indexes = new LinkedHashMap<>();
        indexOfColumn = new int[problem.options().size()];
        for (RequestOption option : problem.options()) {
            List<String> fingerprints =
                    option.filters().stream().map(Selector::fingerprint).toList();
            firsts.putIfAbsent(fingerprints, option);
            indexOfColumn[option.column()] = indexes.computeIfAbsent(fingerprints, _ -> indexes.size());
        }
        representatives = List.copyOf(firsts.values());
    }

    /** The first option with each list, by list index. */
    List<RequestOption> representatives() {
        return representatives;
    }

    /** Index of the selector list of an option. */
    int index(RequestOption option) {
        return indexOfColumn[option.column()];
    }

    /** Number of selectors in all lists; an empty list counts as one. */
    long comparisons() {
        return representatives.stream()
                .mapToLong(option -> Math.max(1, option.filters().size()))
                .sum();
    }

    /** Evaluates each list for a device, by list index. */
    Selector.Match[] matches(String driver, Device device) {
        var answers = new Selector.Match[representatives.size()];
        for (int index = 0; index < answers.length; index++) {
            answers[index] = representatives.get(index).match(driver, device);
        }
        return answers;
    }

    /** Returns, by list index, the number of leading selectors that a device passes. */
    int[] passedCounts(String driver, Device device) {
        int[] passed = new int[representatives.size()];
        for (int index = 0; index < passed.length; index++) {
            passed[index] = representatives.get(index).passedFilters(driver, device);
        }
        return passed;
    }
}
