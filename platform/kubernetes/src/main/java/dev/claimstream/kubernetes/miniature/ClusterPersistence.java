package dev.claimstream.kubernetes.miniature;

import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Persists a {@link ClusterState} in a store: one entry per object, and one for the last version and the format. */
final class ClusterPersistence implements AutoCloseable {
    /** Increase it if an older program cannot read the new format. */
    private static final int FORMAT = 1;

    private static final String VERSION_KEY = "Cluster//count";

    private final ClusterStore store;

    ClusterPersistence(ClusterStore store) {
        this.store = store;
    }

    /** @throws ClusterFault if the store does not respond or contains something else */
    ClusterState load() {
        SortedMap<String, String> texts = store.load();
        try {
            long version = version(Optional.ofNullable(texts.remove(VERSION_KEY)));
            List<StoredObject> stored =
                    texts.entrySet().stream().map(ClusterPersistence::read).toList();
            return ClusterState.of(stored, version);
        } catch (IllegalArgumentException e) {
            throw new ClusterFault(
                    "the stored state of the cluster cannot be read: %s. Start with an empty folder, or start the version that wrote it"
                            .formatted(e.getMessage()),
                    e);
        }
    }

    private static StoredObject read(Map.Entry<String, String> entry) {
        return StoredObjectCodec.read(entry.getKey(), entry.getValue());
    }

    private static long version(Optional<String> count) {
        if (count.isEmpty()) {
            return 0;
        }
        if (!(TreeReader.json(count.get()) instanceof Tree.Mapping fields)
                || !(fields.fields().get("version") instanceof Tree.Numeral(String version))
                || !(fields.fields().get("format") instanceof Tree.Numeral(String format))) {
            throw new IllegalArgumentException("%s is not a count: %s".formatted(VERSION_KEY, count.get()));
        }
        if (Integer.parseInt(format) > FORMAT) {
            throw new IllegalArgumentException("format %s is newer than %d".formatted(format, FORMAT));
        }
        return Long.parseLong(version);
    }

    /** @throws ClusterFault if the outcome of the write is not known */
    void save(List<ObjectChange> changes, long version) {
        SortedMap<String, Optional<String>> texts = new TreeMap<>();
        changes.forEach(change -> texts.put(
                change.object().id().text(),
                change.isDeleted() ? Optional.empty() : Optional.of(StoredObjectCodec.of(change.object()))));
        texts.put(VERSION_KEY, Optional.of(versionText(version)));
        store.save(texts);
    }

    private static String versionText(long version) {
        return Tree.mapping(fields -> fields.put("format", FORMAT).put("version", version))
                .json();
    }

    @Override
    public void close() {
        store.close();
    }
}
