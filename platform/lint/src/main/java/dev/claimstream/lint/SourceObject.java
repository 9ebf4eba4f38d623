package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.source.SourceDocument;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.util.ArrayList;
import java.util.List;

/**
 * An object in its written form, valid or not.
 *
 * @param isEditable whether the document has no aliases, so that each value is written in one place and can be edited
 */
record SourceObject(SourceText source, SourceNode root, boolean isEditable) {
    private static final String RESOURCE_GROUP = "resource.k8s.io/";

    /** Returns the objects of a text, including those in lists. */
    static List<SourceObject> of(SourceText source) {
        List<SourceObject> all = new ArrayList<>();
        for (SourceDocument document : source.documents()) {
            addTo(all, source, document.root(), !document.hasAliases());
        }
        return all;
    }

    private static void addTo(List<SourceObject> all, SourceText source, SourceNode root, boolean isWhole) {
        if (root.text("kind").orElse("").endsWith("List")) {
            root.items("items").forEach(item -> addTo(all, source, item, isWhole));
        } else if (root instanceof SourceNode.SourceMapping) {
            all.add(new SourceObject(source, root, isWhole));
        }
    }

    String apiVersion() {
        return text("apiVersion");
    }

    String kind() {
        return text("kind");
    }

    /** Returns the text of a field, also if its name has wrong capitals, which is a finding of its own. */
    private String text(String name) {
        return root.text(name)
                .or(() -> root.fields().stream()
                        .map(SourceNode.SourceField::name)
                        .filter(name::equalsIgnoreCase)
                        .findFirst()
                        .flatMap(root::text))
                .orElse("");
    }

    String name() {
        return root.at("metadata").flatMap(meta -> meta.text("name")).orElse("");
    }

    /** Returns the namespace; {@code default} if none is written. */
    String namespace() {
        return root.at("metadata").flatMap(meta -> meta.text("namespace")).orElse("default");
    }

    /** Returns whether the object belongs to the group resource.k8s.io, in any version. */
    boolean isResource() {
        return apiVersion().startsWith(RESOURCE_GROUP);
    }

    boolean isKind(String apiVersion, String kind) {
        return apiVersion().equals(apiVersion) && kind().equals(kind);
    }

    /** Creates a finding at a node. */
    LintFinding error(LintRule rule, SourceNode at, String field, String value, String message, String remedy) {
        return error(rule, at.span().start(), field, value, message, remedy);
    }

    /** Creates a finding about an object that an API server accepts and that may be right. */
    LintFinding warning(LintRule rule, SourceNode at, String field, String value, String message, String remedy) {
        return new LintFinding(
                rule,
                new ManifestFinding(
                        ManifestFinding.Severity.WARNING,
                        source.location(at.span().start()),
                        field,
                        value,
                        message,
                        remedy));
    }

    /** Creates a finding at an index of the text. */
    LintFinding error(LintRule rule, int index, String field, String value, String message, String remedy) {
        return new LintFinding(
                rule,
                new ManifestFinding(
                        ManifestFinding.Severity.ERROR, source.location(index), field, value, message, remedy));
    }
}
