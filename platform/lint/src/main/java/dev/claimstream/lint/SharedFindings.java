package dev.claimstream.lint;

import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.source.SourceText;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The findings of sets that have texts in common.
 *
 * <p>What is missing in one cluster can be in another: a finding in a shared text counts only if all sets of the text have it. A selector
 * that fails on the devices of one cluster is a mistake, whatever the others publish.
 */
final class SharedFindings {
    /** Location, field and rule of a finding. Findings with equal keys are reported once. */
    record FindingKey(SourceLocation location, String field, LintRule rule) {
        static FindingKey of(LintFinding found) {
            return new FindingKey(found.finding().location(), found.finding().field(), found.rule());
        }
    }

    private SharedFindings() {}

    /**
     * Returns the findings that count.
     *
     * @param found the findings of each set
     */
    static List<LintFinding> of(List<List<SourceText>> sets, List<List<LintFinding>> found) {
        Map<String, Integer> setsOfText = new HashMap<>();
        sets.forEach(set -> set.forEach(source -> setsOfText.merge(source.name(), 1, Integer::sum)));
        Map<FindingKey, Integer> setsOfFinding = new HashMap<>();
        for (List<LintFinding> ofSet : found) {
            Set<FindingKey> keys = new HashSet<>();
            ofSet.forEach(each -> keys.add(FindingKey.of(each)));
            keys.forEach(key -> setsOfFinding.merge(key, 1, Integer::sum));
        }
        return found.stream()
                .flatMap(List::stream)
                .filter(each -> each.rule() == LintRule.SELECTOR_FAILS
                        || setsOfFinding.getOrDefault(FindingKey.of(each), 0)
                                >= setsOfText.getOrDefault(
                                        FindingKey.of(each).location().file(), 1))
                .toList();
    }
}
