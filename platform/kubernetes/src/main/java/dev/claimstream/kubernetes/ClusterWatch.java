package dev.claimstream.kubernetes;

import dev.claimstream.dra.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists and watches the objects of a cluster, like {@code list} and {@code watch} of an API server. */
public interface ClusterWatch {
    /**
     * Lists all objects of a kind page by page. At most one page is in memory.
     *
     * @return version of the list, from which a watch continues without a gap
     * @throws ClusterFault if the cluster does not respond
     */
    long list(Kind kind, PageListener listing);

    /**
     * Lists all objects of a kind at once. Use it for kinds with few objects.
     *
     * @throws ClusterFault if the cluster does not respond
     */
    default ObjectList list(Kind kind) {
        List<VersionedObject> objects = new ArrayList<>();
        long version = list(kind, new PageListener() {
            @Override
            public void onListStart() {
                objects.clear();
            }

            @Override
            public void onPage(List<VersionedObject> more, long version) {
                objects.addAll(more);
            }
        });
        return new ObjectList(objects, version);
    }

    /**
     * Reports every change of a kind after a version, in order, until the watch ends or is closed.
     *
     * <p>One thread calls the listener.
     *
     * @throws ClusterFault if the cluster does not respond
     */
    Subscription watch(Kind kind, long version, WatchListener listener);

    /**
     * Returns an id of the cluster that does not depend on its address; empty if the cluster has none.
     *
     * @throws ClusterFault if the cluster does not respond
     */
    default Optional<String> identity() {
        return Optional.empty();
    }

    /**
     * A complete list of one kind.
     *
     * @param version version of the list, from which a watch continues without a gap
     */
    record ObjectList(List<VersionedObject> objects, long version) {
        public ObjectList {
            objects = List.copyOf(objects);
        }
    }

    /** Receives the pages of a list. */
    interface PageListener {
        /** The list starts or restarts. Discard the pages received before. */
        void onListStart();

        /**
         * The next page of objects.
         *
         * @param version version of the list
         */
        void onPage(List<VersionedObject> objects, long version);
    }

    /** Receives the events of a watch. */
    interface WatchListener {
        /** The object was created or updated. */
        void onUpsert(VersionedObject object);

        /**
         * The object was deleted.
         *
         * @param object last state of the object, with the version of the deletion
         */
        void onDelete(VersionedObject object);

        /** The watch has ended and its state is stale: relist. */
        void onEnd(String reason);
    }

    /** A running watch. */
    interface Subscription extends AutoCloseable {
        @Override
        void close();
    }
}
