package dev.claimstream.history;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What an input of a cell observes, as far as the history folds it. */
public sealed interface HistoryObservation {
    /** An input that the history does not fold, for example a tick. */
    record OtherInput() implements HistoryObservation {}

    /**
     * The origin of an observed state.
     *
     * @param epoch number of the list of the source
     * @param version resourceVersion; within one uid and epoch a lower version has no effect
     */
    record Origin(String source, long epoch, long version) {
        /** Whether this is a state before another one of the same object. */
        boolean isBefore(Origin other) {
            return source.equals(other.source)
                    && (epoch < other.epoch || (epoch == other.epoch && version < other.version));
        }
    }

    /**
     * The state of a claim.
     *
     * @param classes device class per request, and per request/alternative
     * @param allocation the devices in its status; empty without an allocation
     * @param pods names of the pods that it is reserved for
     */
    record ClaimState(
            Origin origin,
            String uid,
            String namespace,
            String name,
            Map<String, String> classes,
            Map<String, String> labels,
            Optional<List<AllocatedDevice>> allocation,
            List<String> pods)
            implements HistoryObservation {
        public ClaimState {
            classes = Map.copyOf(classes);
            labels = Map.copyOf(labels);
            allocation = allocation.map(List::copyOf);
            pods = List.copyOf(pods);
        }
    }

    /** A claim is deleted. */
    record ClaimDeletion(String source, String uid) implements HistoryObservation {}

    /** A pod that uses claims. */
    record PodState(Origin origin, String namespace, String name, Map<String, String> labels)
            implements HistoryObservation {
        public PodState {
            labels = Map.copyOf(labels);
        }
    }

    /** A pod is deleted. */
    record PodDeletion(String namespace, String name) implements HistoryObservation {}

    /**
     * The devices of a slice.
     *
     * @param node the node that has the devices; empty if several nodes reach them
     */
    record SliceState(
            Origin origin,
            String uid,
            String driver,
            String pool,
            String node,
            List<SliceDevice> devices,
            SliceCounters counters)
            implements HistoryObservation {
        public SliceState {
            devices = List.copyOf(devices);
        }

        /** A slice without counters. */
        public SliceState(
                Origin origin, String uid, String driver, String pool, String node, List<SliceDevice> devices) {
            this(origin, uid, driver, pool, node, devices, SliceCounters.NONE);
        }
    }

    /**
     * A device of a slice.
     *
     * @param shareable whether several claims can share it
     * @param capacity total amount per capacity, as quantities
     * @param product its product by its attributes; empty if they do not name it
     */
    record SliceDevice(String name, boolean shareable, Map<String, String> capacity, String product) {
        public SliceDevice {
            capacity = Map.copyOf(capacity);
        }
    }

    /** A slice is deleted. */
    record SliceDeletion(String uid) implements HistoryObservation {}

    /**
     * A source has listed all objects of a kind. Objects of an earlier list of this source are deleted.
     *
     * @param partition partition of the public topic, of which each has this record
     */
    record ListEnd(String source, ListedKind kind, long epoch, int partition, int partitions)
            implements HistoryObservation {}

    /** The kinds whose lists count. */
    enum ListedKind {
        CLAIM,
        POD,
        SLICE
    }

    /** The commit outcome of a decision. */
    record CommitReport(String claimUid, long number, String outcome, long atMicros) implements HistoryObservation {}

    /** An allocation from before a rebuild of the cell. */
    record RestoredAllocation(LedgerFact.AllocationFact allocation) implements HistoryObservation {}
}
