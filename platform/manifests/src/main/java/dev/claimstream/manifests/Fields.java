package dev.claimstream.manifests;

import dev.claimstream.manifests.tree.Node;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The fields of a mapping while it is read. A reader that has requested all fields it knows calls {@link #end()}. */
final class Fields {
    private final Node.Mapping mapping;
    private final Field self;
    private final Set<String> asked = new HashSet<>();

    Fields(Node.Mapping mapping, Field self) {
        this.mapping = mapping;
        this.self = self;
    }

    /** Returns the field that contains the mapping. */
    Field self() {
        return self;
    }

    /** Returns a field by name and marks the name as known. */
    Field get(String name) {
        asked.add(name);
        return Optional.ofNullable(mapping.fields().get(name)).map(self::child).orElseGet(() -> self.child(name));
    }

    boolean has(String name) {
        return mapping.fields().containsKey(name);
    }

    /** Marks names as known whose values are ignored. */
    Fields ignoring(Collection<String> names) {
        asked.addAll(names);
        return this;
    }

    Collection<Node.Entry> entries() {
        return mapping.entries();
    }

    /** Reports duplicate names. */
    void repeatedToo() {
        for (Node.Entry entry : mapping.repeated()) {
            self.child(entry).refuse("", "the field is there twice, this is the second", "leave one of the two out");
        }
    }

    /** Reports every name that was not requested as an error, as an API server with strict field validation does. */
    void end() {
        repeatedToo();
        for (Node.Entry entry : mapping.entries()) {
            if (!asked.contains(entry.name())) {
                self.child(entry).refuse("", "unknown field", remedy(entry));
            }
        }
    }

    /** Reports every name that was not requested as a warning: a newer API may have it. */
    void endLeniently() {
        repeatedToo();
        for (Node.Entry entry : mapping.entries()) {
            if (!asked.contains(entry.name())) {
                self.child(entry).warn("", "unknown field, not looked at", remedy(entry));
            }
        }
    }

    private String remedy(Node.Entry entry) {
        return Remedies.forUnknown(self.path(), entry.name(), self.report().version(), asked);
    }
}
