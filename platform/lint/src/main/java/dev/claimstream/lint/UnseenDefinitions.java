package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Classes, claims and templates that are defined where lint does not read them.
 *
 * <p>A template of Helm defines them under names that only rendering shows. The controller of a custom resource creates those that the
 * custom resource names.
 */
final class UnseenDefinitions {
    private static final Pattern KIND =
            Pattern.compile("(?m)^\\s*kind:\\s+(DeviceClass|ResourceClaim|ResourceClaimTemplate)\\s*$");
    private static final Pattern MISSING = Pattern.compile("no (\\w+) of this name is among the manifests");
    private static final String TYPING_ERROR = "did you mean ";

    private final Set<String> kinds;
    private final Set<String> names = new HashSet<>();

    /**
     * Looks for definitions.
     *
     * @param unfinished the texts that are not yet manifests
     * @param objects of all other texts
     */
    UnseenDefinitions(List<SourceText> unfinished, List<SourceObject> objects) {
        kinds = unfinished.stream()
                .flatMap(source -> KIND.matcher(source.text()).results())
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
        objects.stream().filter(object -> !LintCoverage.isChecked(object)).forEach(object -> collect(object.root()));
    }

    private void collect(SourceNode node) {
        switch (node) {
            case SourceNode.Scalar scalar -> names.add(scalar.text());
            case SourceNode.Sequence list -> list.items().forEach(this::collect);
            case SourceNode.Mapping mapping -> mapping.entries().forEach(entry -> collect(entry.value()));
        }
    }

    /** Returns whether a finding misses an object that is probably defined here. */
    boolean explain(LintFinding found) {
        var missing = MISSING.matcher(found.finding().message());
        return missing.matches()
                && (names.contains(found.finding().value())
                        || (kinds.contains(missing.group(1))
                                && !found.finding().remedy().startsWith(TYPING_ERROR)));
    }
}
