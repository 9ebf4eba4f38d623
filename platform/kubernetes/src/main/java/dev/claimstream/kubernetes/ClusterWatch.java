package dev.claimstream.kubernetes;

import dev.claimstream.dra.Kind;
import java.util.List;

/** Lists and watches what a cluster holds, as {@code list} and {@code watch} of an API server do. */
public interface ClusterWatch {
    /**
     * Everything of a kind that stands.
     *
     * @throws ClusterFault where the cluster does not answer
     */
    Listed list(Kind kind);

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
