package dev.claimstream.kubernetes.miniature;

import java.util.Optional;
import java.util.SortedMap;

/** Persistent key-value store of a {@link MiniatureCluster}. Values are texts. */
public interface ClusterStore extends AutoCloseable {
    /**
     * Returns all entries and fences earlier users of the store: none of their writes can arrive later.
     *
     * @throws dev.claimstream.kubernetes.ClusterFault if the store does not respond
     */
    SortedMap<String, String> load();

    /**
     * Writes all entries atomically and returns when they are durable. An absent value removes the key.
     *
     * @throws dev.claimstream.kubernetes.ClusterFault if the outcome is not known; {@link #load} shows it
     */
    void save(SortedMap<String, Optional<String>> changes);

    @Override
    void close();
}
