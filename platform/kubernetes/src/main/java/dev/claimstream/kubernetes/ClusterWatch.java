package dev.claimstream.kubernetes;

import dev.claimstream.dra.Kind;
import java.util.ArrayList;
import java.util.List;

/** Lists and watches what a cluster holds, as {@code list} and {@code watch} of an API server do. */
public interface ClusterWatch {
    /**
     * Shows everything of a kind that stands, page by page: no more than a page is held.
     *
     * @return the version of the whole, from which a watch goes on without a gap
     * @throws ClusterFault where the cluster does not answer
     */
    long list(Kind kind, Listing listing);

    /**
     * The same as a whole, where there is not much of it.
     *
     * @throws ClusterFault where the cluster does not answer
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
     * Tells every change of a kind after a version, in order, from one thread, until it is closed or has ended.
     *
     * @throws ClusterFault where the cluster does not answer
     */
    Subscription watch(Kind kind, long version, Listener listener);

    /**
     * A list.
     *
     * @param version of the whole, from which a watch goes on without a gap
     */
    record Listed(List<Versioned> objects, long version) {
        public Listed {
            objects = List.copyOf(objects);
        }
    }

    /** Who is shown a list. */
    interface Listing {
        /** It begins, perhaps anew: then what was shown of it is not what stands. */
        void begin();

        /** The next objects. */
        void page(List<Versioned> objects);
    }

    /** Who is told. */
    interface Listener {
        /** It is new, or has changed. */
        void changed(Versioned object);

        /** It is gone; as it was last, with the version of its end. */
        void gone(Versioned object);

        /** Nothing more will be told: list again. */
        void ended(String why);
    }

    /** A watch that runs. */
    interface Subscription extends AutoCloseable {
        @Override
        void close();
    }
}
