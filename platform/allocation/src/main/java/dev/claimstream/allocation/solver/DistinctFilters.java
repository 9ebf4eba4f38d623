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
    private final List<Want> wants;

    private final int[] placeOfColumn;

    DistinctFilters(Question question) {
        Map<List<String>, Want> firsts = new LinkedHashMap<>();
        Map<List<String>, Integer> places = new LinkedHashMap<>();
        placeOfColumn = new int[question.wants().size()];
        for (Want want : question.wants()) {
            List<String> fingerprints =
                    want.filters().stream().map(Selector::fingerprint).toList();
            firsts.putIfAbsent(fingerprints, want);
            placeOfColumn[want.column()] = places.computeIfAbsent(fingerprints, _ -> places.size());
        }
        wants = List.copyOf(firsts.values());
    }

    /** The first option with each list, by list index. */
    List<Want> wants() {
        return wants;
    }

    /** Index of the selector list of an option. */
    int place(Want want) {
        return placeOfColumn[want.column()];
    }

    /** Number of selectors in all lists; an empty list counts as one. */
    long comparisons() {
        return wants.stream()
                .mapToLong(want -> Math.max(1, want.filters().size()))
                .sum();
    }

    /** Evaluates each list for a device, by list index. */
    Selector.Match[] answers(String driver, Device device) {
        var answers = new Selector.Match[wants.size()];
        for (int place = 0; place < answers.length; place++) {
            answers[place] = wants.get(place).answer(driver, device);
        }
        return answers;
    }

    /** Returns, by list index, the number of leading selectors that a device passes. */
    int[] passed(String driver, Device device) {
        int[] passed = new int[wants.size()];
        for (int place = 0; place < passed.length; place++) {
            passed[place] = wants.get(place).passed(driver, device);
        }
        return passed;
    }
}
