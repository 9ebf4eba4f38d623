package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds manifests without indentation, for example copied from a web page. */
final class IndentationRules {
    private static final Set<String> INNER =
            Set.of("name", "namespace", "labels", "devices", "requests", "selectors", "containers", "resourceClaims");
    private static final Pattern PARENT = Pattern.compile("(metadata|spec): *(#.*)?");
    private static final Pattern NO_CONTENT = Pattern.compile("\\s*(#.*)?");
    private static final Pattern INNER_LINE = Pattern.compile("(" + String.join("|", INNER) + "):.*");
    private static final String SEPARATOR = "---";

    private IndentationRules() {}

    /** Returns the only finding for such an object: all other findings would be consequences of it. */
    static Optional<LintFinding> finding(SourceObject object) {
        SourceNode root = object.root();
        boolean isEmpty = root.has("metadata") && root.get("metadata").isEmpty();
        boolean isFlat =
                root.fields().stream().map(SourceNode.SourceField::name).anyMatch(INNER::contains);
        return isEmpty && isFlat
                ? Optional.of(diagnosis(object.source().location(root.span().start())))
                : Optional.empty();
    }

    /** Returns the finding for a document that is invalid YAML for this reason, for example because of a block scalar. */
    static Optional<LintFinding> finding(SourceText source, SourceLocation broken) {
        List<String> lines = source.text().lines().toList();
        int at = Math.clamp(broken.line() - 1L, 0, lines.size());
        int first = lines.subList(0, at).lastIndexOf(SEPARATOR) + 1;
        for (int i = first; i < at; i++) {
            if (PARENT.matcher(lines.get(i)).matches() && isInner(lines.subList(i + 1, lines.size()))) {
                return Optional.of(diagnosis(new SourceLocation(source.name(), i + 1, 1)));
            }
        }
        return Optional.empty();
    }

    /** Returns whether the first line of content is an unindented field of metadata or spec. */
    private static boolean isInner(List<String> lines) {
        return lines.stream()
                .filter(line -> !NO_CONTENT.matcher(line).matches())
                .findFirst()
                .filter(line -> INNER_LINE.matcher(line).matches())
                .isPresent();
    }

    private static LintFinding diagnosis(SourceLocation location) {
        return new LintFinding(
                LintRule.LOST_INDENTATION,
                new ManifestFinding(
                        ManifestFinding.Severity.ERROR,
                        location,
                        "metadata",
                        "",
                        "the fields of metadata and spec are not indented: they count as fields of the object itself",
                        "indent what belongs to a field by two spaces, below it"));
    }
}
