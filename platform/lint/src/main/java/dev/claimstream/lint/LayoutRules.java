package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import java.util.Optional;
import java.util.Set;

/** Manifests that have lost their indentation, as it happens when they are copied from a page. */
final class LayoutRules {
    private static final Set<String> INNER =
            Set.of("name", "namespace", "labels", "devices", "requests", "selectors", "containers", "resourceClaims");

    private LayoutRules() {}

    /** The one thing to say of such an object: all else follows from it. */
    static Optional<Diagnosis> finding(Written object) {
        SourceNode root = object.root();
        boolean isEmpty = root.has("metadata") && root.get("metadata").isEmpty();
        boolean isFlat = root.fields().stream().map(SourceNode.Entry::name).anyMatch(INNER::contains);
        return isEmpty && isFlat
                ? Optional.of(object.error(
                        Rule.LOST_INDENTATION,
                        root,
                        "metadata",
                        "",
                        "the fields of metadata and spec are not indented: they count as fields of the object itself",
                        "indent what belongs to a field by two spaces, below it"))
                : Optional.empty();
    }
}
