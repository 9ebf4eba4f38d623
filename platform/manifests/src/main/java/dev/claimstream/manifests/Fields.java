package dev.claimstream.manifests;

import dev.claimstream.manifests.tree.Node;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The fields of a mapping while it is read. Whoever has asked for all that it knows ends with {@link #end()}. */
final class Fields {
    private final Node.Mapping mapping;
    private final Field self;
    private final Set<String> asked = new HashSet<>();

    Fields(Node.Mapping mapping, Field self) {
        this.mapping = mapping;
        this.self = self;
    }

    /** The place of the mapping itself. */
    Field self() {
        return self;
    }

    /** The place for a field. */
    Field get(String name) {
        asked.add(name);
        return Optional.ofNullable(mapping.fields().get(name)).map(self::child).orElseGet(() -> self.child(name));
    }

    boolean has(String name) {
        return mapping.fields().containsKey(name);
    }

    /** Names of fields that say nothing to us. */
    Fields ignoring(Collection<String> names) {
        asked.addAll(names);
        return this;
    }

    Collection<Node.Entry> entries() {
        return mapping.entries();
    }

    /** Reports names that are there twice. */
    void repeatedToo() {
        for (Node.Entry entry : mapping.repeated()) {
            self.child(entry).refuse("", "the field is there twice, this is the second", "leave one of the two out");
        }
    }

    /** Reports what nobody asked for: an error, as a strict API server says. */
    void end() {
        repeatedToo();
        for (Node.Entry entry : mapping.entries()) {
            if (!asked.contains(entry.name())) {
                self.child(entry).refuse("", "unknown field", remedy(entry));
            }
        }
    }

    /** Reports what nobody asked for as something that is not looked at: a newer API may have it. */
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
