package dev.claimstream.kubernetes;

import dev.claimstream.dra.Kind;
import java.util.ArrayList;
import java.util.List;

/** Lists and watches the objects of a cluster, like {@code list} and {@code watch} of an API server. */
public interface ClusterWatch {
    /**
     * Lists all objects of a kind page by page. At most one page is in memory.
     *
     * @return version of the list, from which a watch continues without a gap
     * @throws ClusterFault if the cluster does not answer
     */
    long list(Kind kind, Listing listing);

    /**
     * Lists all objects of a kind at once. Use it for kinds with few objects.
     *
     * @throws ClusterFault if the cluster does not answer
     */
    default Listed list(Kind kind) {
        List<Versioned> objects = new ArrayList<>();
        long version = list(kind, new Listing() {
            @Override
            public void begin() {
                objects.clear();
            }

            @Override
            public void page(List<Versioned> more) {
                objects.addAll(more);
            }
        });
        return new Listed(objects, version);
    }

    /**
     * Reports every change of a kind after a version, in order, until the watch ends or is closed.
     *
     * <p>One thread calls the listener.
     *
     * @throws ClusterFault if the cluster does not answer
     */
    Subscription watch(Kind kind, long version, Listener listener);

    /**
     * A complete list of one kind.
     *
     * @param version version of the list, from which a watch continues without a gap
     */
    record Listed(List<Versioned> objects, long version) {
        public Listed {
            objects = List.copyOf(objects);
        }
    }

    /** Receives the pages of a list. */
    interface Listing {
        /** The list starts or restarts. Discard the pages received before. */
        void begin();

        /** The next page of objects. */
        void page(List<Versioned> objects);
    }

    /** Receives the events of a watch. */
    interface Listener {
        /** The object was created or updated. */
        void changed(Versioned object);

        /**
         * The object was deleted.
         *
         * @param object last state of the object, with the version of the deletion
         */
        void gone(Versioned object);

        /** The watch has ended and its state is stale: relist. */
        void ended(String why);
    }

    /** A running watch. */
    interface Subscription extends AutoCloseable {
        @Override
        void close();
    }
}
