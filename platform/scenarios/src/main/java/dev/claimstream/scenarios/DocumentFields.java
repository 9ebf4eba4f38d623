package dev.claimstream.scenarios;

import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.ScalarType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The fields of a mapping in a scenario while it is read; errors are added to the findings. */
final class DocumentFields {
    private final String file;
    private final String path;
    private final DocumentNode.DocumentMapping mapping;
    private final List<ManifestFinding> findings;
    private final Set<String> knownNames = new HashSet<>();

    DocumentFields(String file, String path, DocumentNode.DocumentMapping mapping, List<ManifestFinding> findings) {
        this.file = file;
        this.path = path;
        this.mapping = mapping;
        this.findings = findings;
    }

    /** Returns the path of a field from the root of the document. */
    String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** Returns whether a field is present; {@code null} counts as absent. */
    boolean has(String name) {
        return get(name).isPresent();
    }

    /** Returns the value of a field and marks the name as known; {@code null} counts as absent. */
    Optional<DocumentNode> get(String name) {
        knownNames.add(name);
        return Optional.ofNullable(mapping.fields().get(name))
                .map(DocumentNode.DocumentField::value)
                .filter(value -> !isNull(value));
    }

    /** Returns the names of the written fields, including those with {@code null}. */
    Collection<String> names() {
        return mapping.fields().keySet();
    }

    private static boolean isNull(DocumentNode value) {
        return value instanceof DocumentNode.DocumentScalar scalar && scalar.type() == ScalarType.NULL;
    }

    Optional<String> text(String name) {
        return get(name).flatMap(value -> text(path(name), value));
    }

    Optional<String> text(String where, DocumentNode value) {
        if (value instanceof DocumentNode.DocumentScalar scalar && scalar.type() == ScalarType.TEXT) {
            return Optional.of(scalar.text());
        }
        error(value, where, "expected a text", "put the value in double quotes");
        return Optional.empty();
    }

    Optional<Boolean> flag(String name) {
        return get(name).flatMap(value -> {
            if (value instanceof DocumentNode.DocumentScalar scalar && scalar.type() == ScalarType.BOOL) {
                return Optional.of(ScalarType.isTrue(scalar.text()));
            }
            error(value, path(name), "expected a boolean", "write true or false without quotes");
            return Optional.empty();
        });
    }

    /** Returns the items of a list; none if it is absent. */
    List<DocumentNode> items(String name) {
        return get(name)
                .map(value -> {
                    if (value instanceof DocumentNode.DocumentSequence sequence) {
                        return sequence.items();
                    }
                    error(value, path(name), "expected a list", "begin each member with '- '");
                    return List.<DocumentNode>of();
                })
                .orElse(List.of());
    }

    /** Returns the fields of a mapping; absent if it is not written. */
    Optional<DocumentFields> fields(String name) {
        return get(name).flatMap(value -> fields(path(name), value));
    }

    Optional<DocumentFields> fields(String where, DocumentNode value) {
        if (value instanceof DocumentNode.DocumentMapping below) {
            return Optional.of(new DocumentFields(file, where, below, findings));
        }
        error(value, where, "expected fields", "write NAME: VALUE");
        return Optional.empty();
    }

    /** Reports a missing field or an error of a field as a whole. */
    void error(String name, String message, String remedy) {
        DocumentNode.DocumentField entry = mapping.fields().get(name);
        error(entry == null ? mapping : entry.value(), name.isEmpty() ? path : path(name), message, remedy);
    }

    void error(DocumentNode value, String where, String message, String remedy) {
        SourceLocation location = new SourceLocation(file, value.line(), value.column());
        findings.add(new ManifestFinding(ManifestFinding.Severity.ERROR, location, where, "", message, remedy));
    }

    /** Reports unknown and duplicate fields. */
    void reportUnknown() {
        List<DocumentNode.DocumentField> unknown = new ArrayList<>(mapping.repeated());
        mapping.entries().stream()
                .filter(entry -> !knownNames.contains(entry.name()))
                .forEach(unknown::add);
        for (DocumentNode.DocumentField entry : unknown) {
            SourceLocation location = new SourceLocation(file, entry.line(), entry.column());
            boolean isTwice = knownNames.contains(entry.name());
            findings.add(new ManifestFinding(
                    ManifestFinding.Severity.ERROR,
                    location,
                    path(entry.name()),
                    "",
                    isTwice ? "the field occurs twice, this is the second" : "unknown field",
                    isTwice
                            ? "leave one of the two out"
                            : "known are " + String.join(", ", new TreeSet<>(knownNames))));
        }
    }
}
