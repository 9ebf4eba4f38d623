package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The lists of selectors of one question, each once: requests often repeat the selectors of others. Lists are equal if their selectors have
 * equal fingerprints in equal order.
 */
final class DistinctFilters {
    /** The first want with each list. */
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

    /** The first want with each list, by place. */
    List<Want> wants() {
        return wants;
    }

    /** The place of the list of a want. */
    int place(Want want) {
        return placeOfColumn[want.column()];
    }

    /** How many selectors all lists have together; an empty list counts as one. */
    long comparisons() {
        return wants.stream()
                .mapToLong(want -> Math.max(1, want.filters().size()))
                .sum();
    }

    /** The answer of each list for a device, by place. */
    Selector.Match[] answers(String driver, Device device) {
        var answers = new Selector.Match[wants.size()];
        for (int place = 0; place < answers.length; place++) {
            answers[place] = wants.get(place).answer(driver, device);
        }
        return answers;
    }

    /** How many selectors of each list a device passes before the first that it does not pass, by place. */
    int[] passed(String driver, Device device) {
        int[] passed = new int[wants.size()];
        for (int place = 0; place < passed.length; place++) {
            passed[place] = wants.get(place).passed(driver, device);
        }
        return passed;
    }
}
