package dev.claimstream.manifests;

import dev.claimstream.manifests.tree.DocumentNode;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The fields of a mapping while it is read. A reader that has requested all fields it knows calls {@link #reportUnknown()}. */
final class FieldMap {
    private final DocumentNode.DocumentMapping mapping;
    private final ManifestField self;
    private final Set<String> knownNames = new HashSet<>();

    FieldMap(DocumentNode.DocumentMapping mapping, ManifestField self) {
        this.mapping = mapping;
        this.self = self;
    }

    /** Returns the field that contains the mapping. */
    ManifestField self() {
        return self;
    }

    /** Returns a field by name and marks the name as known. */
    ManifestField get(String name) {
        knownNames.add(name);
        return Optional.ofNullable(mapping.fields().get(name))
                .or(() -> otherCapitals(name))
                .map(self::child)
                .orElseGet(() -> self.child(name));
    }

    /** Returns the field that differs from a name in capitals. It is an unknown field, but its value is read, so that no other error follows. */
    private Optional<DocumentNode.DocumentField> otherCapitals(String name) {
        if (self.report().isLenient()) {
            return Optional.empty();
        }
        return mapping.entries().stream()
                .filter(entry -> entry.name().equalsIgnoreCase(name) && !knownNames.contains(entry.name()))
                .findFirst();
    }

    boolean has(String name) {
        return mapping.fields().containsKey(name);
    }

    /** Marks names as known whose values are ignored. */
    FieldMap ignore(Collection<String> names) {
        knownNames.addAll(names);
        return this;
    }

    Collection<DocumentNode.DocumentField> entries() {
        return mapping.entries();
    }

    /** Reports duplicate names. */
    void reportDuplicates() {
        for (DocumentNode.DocumentField entry : mapping.repeated()) {
            self.child(entry).undecodable("", "the field occurs twice, this is the second", "leave one of the two out");
        }
    }

    /** Reports every name that was not requested as an error, as an API server with strict field validation does. */
    void reportUnknown() {
        reportDuplicates();
        for (DocumentNode.DocumentField entry : mapping.entries()) {
            if (!knownNames.contains(entry.name())) {
                self.child(entry).undecodable("", "unknown field", remedy(entry));
            }
        }
    }

    /** Reports every name that was not requested as a warning: a newer API may have it. */
    void warnUnknown() {
        reportDuplicates();
        for (DocumentNode.DocumentField entry : mapping.entries()) {
            if (!knownNames.contains(entry.name())) {
                self.child(entry).warn("", "unknown field, ignored", remedy(entry));
            }
        }
    }

    private String remedy(DocumentNode.DocumentField entry) {
        String remedy =
                Remedies.forUnknown(self.path(), entry.name(), self.report().version(), knownNames);
        boolean isOfAlternatives = has("firstAvailable") && remedy.startsWith("put it under exactly");
        return isOfAlternatives ? "put it into each alternative of firstAvailable" : remedy;
    }
}
