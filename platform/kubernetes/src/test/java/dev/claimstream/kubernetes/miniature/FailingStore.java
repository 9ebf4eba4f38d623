package dev.claimstream.kubernetes.miniature;

import dev.claimstream.kubernetes.ClusterFault;
import java.util.Optional;
import java.util.SortedMap;

/** A store in memory that can fail before or after it saves. */
final class FailingStore implements ClusterStore {
    private final MemoryStore memory;
    volatile SaveFault saveFault = SaveFault.NONE;

    enum SaveFault {
        NONE,
        BEFORE_SAVING,
        AFTER_SAVING
    }

    FailingStore(MemoryStore memory) {
        this.memory = memory;
    }

    @Override
    public SortedMap<String, String> load() {
        return memory.load();
    }

    @Override
    public void save(SortedMap<String, Optional<String>> changes) {
        if (saveFault != SaveFault.BEFORE_SAVING) {
            memory.save(changes);
        }
        if (saveFault != SaveFault.NONE) {
            throw new ClusterFault("the store is silent");
        }
    }

    @Override
    public void close() {}
}
