package dev.claimstream.kubernetes.miniature;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A store in memory, for tests. Several clusters can use it one after the other. */
public final class MemoryStore implements ClusterStore {
    private final SortedMap<String, String> texts = new TreeMap<>();

    @Override
    public synchronized SortedMap<String, String> load() {
        return new TreeMap<>(texts);
    }

    @Override
    public synchronized void save(SortedMap<String, Optional<String>> changes) {
        changes.forEach((key, text) -> text.ifPresentOrElse(there -> texts.put(key, there), () -> texts.remove(key)));
    }

    @Override
    public void close() {}
}
