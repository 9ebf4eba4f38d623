package dev.claimstream.dra;

import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sets the fields of metadata by name. Not thread-safe. */
public final class ObjectMetaBuilder {
    private String namespace;
    private String name;
    private String uid;
    private Optional<Instant> created = Optional.empty();
    private long sequence;
    private SortedMap<String, String> labels = new TreeMap<>();
    private SortedMap<String, String> annotations = new TreeMap<>();
    private Optional<Owner> controller = Optional.empty();
    private boolean deleting;

    ObjectMetaBuilder(String namespace, String name, String uid) {
        this.namespace = namespace;
        this.name = name;
        this.uid = uid;
    }

    public ObjectMetaBuilder namespace(String value) {
        namespace = value;
        return this;
    }

    public ObjectMetaBuilder name(String value) {
        name = value;
        return this;
    }

    public ObjectMetaBuilder uid(String value) {
        uid = value;
        return this;
    }

    public ObjectMetaBuilder created(Optional<Instant> value) {
        created = value;
        return this;
    }

    public ObjectMetaBuilder sequence(long value) {
        sequence = value;
        return this;
    }

    public ObjectMetaBuilder labels(SortedMap<String, String> value) {
        labels = value;
        return this;
    }

    public ObjectMetaBuilder annotations(SortedMap<String, String> value) {
        annotations = value;
        return this;
    }

    public ObjectMetaBuilder controller(Optional<Owner> value) {
        controller = value;
        return this;
    }

    public ObjectMetaBuilder deleting(boolean value) {
        deleting = value;
        return this;
    }

    /** Creates the metadata. */
    public ObjectMeta build() {
        return new ObjectMeta(namespace, name, uid, created, sequence, labels, annotations, controller, deleting);
    }
}
