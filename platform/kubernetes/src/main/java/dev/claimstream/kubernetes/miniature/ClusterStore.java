package dev.claimstream.kubernetes.miniature;

import java.util.Optional;
import java.util.SortedMap;

/** Where a cluster in miniature keeps what it holds: texts by key. */
public interface ClusterStore extends AutoCloseable {
    /**
     * Everything that is kept. From here on nothing is added that was sent earlier, by whomever.
     *
     * @throws dev.claimstream.kubernetes.ClusterFault where the store does not answer
     */
    SortedMap<String, String> load();

    /**
     * Keeps all of it or nothing, and returns when it is safe; what is absent is removed.
     *
     * @throws dev.claimstream.kubernetes.ClusterFault where nobody knows whether it is kept: {@link #load} tells
     */
    void save(SortedMap<String, Optional<String>> changes);

    @Override
    void close();
}
