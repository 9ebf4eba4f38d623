package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceText;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The numbers of checked and skipped objects. They show that an empty result need not cover all objects.
 *
 * @param checked number of checked objects
 * @param skipped number of skipped objects by kind
 * @param passedOver files without Kubernetes objects
 */
public record LintCoverage(int checked, SortedMap<String, Integer> skipped, List<String> passedOver) {
    private static final Set<String> KINDS = Set.of("v1 Node", "v1 Namespace");

    public LintCoverage {
        passedOver = List.copyOf(passedOver);
        skipped = Collections.unmodifiableSortedMap(new TreeMap<>(skipped));
    }

    /** Returns the coverage of {@link ManifestLinter} for these texts. */
    public static LintCoverage of(List<SourceText> sources) {
        int looked = 0;
        SortedMap<String, Integer> others = new TreeMap<>();
        Set<String> foreign = ForeignSources.of(sources);
        for (SourceText source : sources) {
            if (foreign.contains(source.name())) {
                continue;
            }
            for (SourceObject object : SourceObject.of(source)) {
                if (isChecked(object)) {
                    looked++;
                } else {
                    others.merge(object.kind(), 1, Integer::sum);
                }
            }
        }
        return new LintCoverage(looked, others, List.copyOf(foreign));
    }

    /** Returns whether an object is checked. An object without a kind, or with an unknown one of the group, is checked: it is a finding. */
    static boolean isChecked(SourceObject object) {
        return object.kind().isEmpty()
                || object.isResource()
                || !ObjectParts.pods(object).isEmpty()
                || WorkflowRules.isWorkflow(object)
                || KINDS.contains(object.apiVersion() + " " + object.kind())
                || object.apiVersion().startsWith("scheduling.x-k8s.io/");
    }

    /** Formats the coverage: {@code 3 objects checked, 2 not checked (1 ConfigMap, 1 Service)}. */
    @Override
    public String toString() {
        String text = "%d object%s checked".formatted(checked, checked == 1 ? "" : "s");
        int passed = skipped.values().stream().mapToInt(Integer::intValue).sum();
        return passed == 0
                ? text
                : "%s, %d not checked (%s)"
                        .formatted(
                                text,
                                passed,
                                skipped.entrySet().stream()
                                        .map(each -> each.getValue() + " " + each.getKey())
                                        .collect(Collectors.joining(", ")));
    }
}
