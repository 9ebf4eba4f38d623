package dev.claimstream.lint;

import dev.claimstream.manifests.source.Source;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The numbers of checked and skipped objects. They show that an empty result need not cover all objects.
 *
 * @param objects number of checked objects
 * @param others number of skipped objects by kind
 */
public record Looked(int objects, SortedMap<String, Integer> others) {
    private static final Set<String> KINDS = Set.of("v1 Node", "v1 Namespace");

    public Looked {
        others = Collections.unmodifiableSortedMap(new TreeMap<>(others));
    }

    /** Returns the coverage of {@link Lint} for these texts. */
    public static Looked at(List<Source> sources) {
        int looked = 0;
        SortedMap<String, Integer> others = new TreeMap<>();
        for (Source source : sources) {
            for (Written object : Written.of(source)) {
                if (isLookedAt(object)) {
                    looked++;
                } else {
                    others.merge(object.kind(), 1, Integer::sum);
                }
            }
        }
        return new Looked(looked, others);
    }

    /** Returns whether an object is checked. An object without a kind, or with an unknown one of the group, is checked: it is a finding. */
    private static boolean isLookedAt(Written object) {
        return object.kind().isEmpty()
                || object.isResource()
                || Specs.pod(object).isPresent()
                || KINDS.contains(object.apiVersion() + " " + object.kind())
                || object.apiVersion().startsWith("scheduling.x-k8s.io/");
    }

    /** Formats the coverage: {@code 3 objects looked at, 2 not looked at (1 ConfigMap, 1 Service)}. */
    @Override
    public String toString() {
        String text = "%d object%s looked at".formatted(objects, objects == 1 ? "" : "s");
        int passed = others.values().stream().mapToInt(Integer::intValue).sum();
        return passed == 0
                ? text
                : "%s, %d not looked at (%s)"
                        .formatted(
                                text,
                                passed,
                                others.entrySet().stream()
                                        .map(each -> each.getValue() + " " + each.getKey())
                                        .collect(Collectors.joining(", ")));
    }
}
