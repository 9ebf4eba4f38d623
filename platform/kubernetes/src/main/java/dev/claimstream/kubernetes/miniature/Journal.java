package dev.claimstream.kubernetes.miniature;

import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Persists a {@link World} in a store: one entry per object, and one for the last version and the format. */
final class Journal implements AutoCloseable {
    /** Increase it if an older program cannot read the new format. */
    private static final int FORMAT = 1;

    private static final String COUNT = "Cluster//count";

    private final ClusterStore store;

    Journal(ClusterStore store) {
        this.store = store;
    }

    /** @throws ClusterFault if the store does not answer or contains something else */
    World load() {
        SortedMap<String, String> texts = store.load();
        try {
            long version = version(Optional.ofNullable(texts.remove(COUNT)));
            List<Stored> kept = texts.entrySet().stream().map(Journal::read).toList();
            return World.of(kept, version);
        } catch (IllegalArgumentException e) {
            throw new ClusterFault(
                    "what was kept of the cluster cannot be read: %s. Begin with an empty folder, or start the version that wrote it"
                            .formatted(e.getMessage()),
                    e);
        }
    }

    private static Stored read(Map.Entry<String, String> entry) {
        return StoredText.read(entry.getKey(), entry.getValue());
    }

    private static long version(Optional<String> count) {
        if (count.isEmpty()) {
            return 0;
        }
        if (!(TreeReader.json(count.get()) instanceof Tree.Mapping fields)
                || !(fields.fields().get("version") instanceof Tree.Numeral(String version))
                || !(fields.fields().get("format") instanceof Tree.Numeral(String format))) {
            throw new IllegalArgumentException("%s is no count: %s".formatted(COUNT, count.get()));
        }
        if (Integer.parseInt(format) > FORMAT) {
            throw new IllegalArgumentException("format %s is newer than %d".formatted(format, FORMAT));
        }
        return Long.parseLong(version);
    }

    /** @throws ClusterFault if the outcome of the write is not known */
    void save(List<Event> changes, long version) {
        SortedMap<String, Optional<String>> texts = new TreeMap<>();
        changes.forEach(change -> texts.put(
                change.object().id().text(),
                change.gone() ? Optional.empty() : Optional.of(StoredText.of(change.object()))));
        texts.put(COUNT, Optional.of(count(version)));
        store.save(texts);
    }

    private static String count(long version) {
        return Tree.mapping(fields -> fields.put("format", FORMAT).put("version", version))
                .json();
    }

    @Override
    public void close() {
        store.close();
    }
}
