package dev.claimstream.kubernetes;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.manifests.Manifest;
import java.util.List;
import java.util.Optional;

/** What a user changes in a cluster. */
public interface ObjectStore {
    /**
     * Makes or changes objects, each on its own, in this order.
     *
     * @return per manifest what became of it
     * @throws ClusterFault where the cluster does not answer
     */
    List<Applied> apply(List<Manifest> manifests);

    /**
     * Deletes an object. One that is still in use, such as a claim with consumers, goes when it is not used any more.
     *
     * @return what became of it; absent where there is no such object
     * @throws ClusterFault where the cluster does not answer
     */
    Optional<Deleted> delete(Kind kind, ObjectKey key);

    /** The object as it stands. */
    Optional<Versioned> find(Kind kind, ObjectKey key);

    /** How a deletion went. */
    enum Deleted {
        GONE,
        /** It goes once nobody uses it. */
        TERMINATING
    }

    /**
     * What became of a manifest.
     *
     * @param key where the object stands; with the name that it was given
     * @param message why it was refused, and what to do; empty otherwise
     */
    record Applied(Kind kind, ObjectKey key, Outcome outcome, String message) {
        /** The cases, by the words that {@code kubectl apply} uses. */
        public enum Outcome {
            CREATED("created"),
            CONFIGURED("configured"),
            UNCHANGED("unchanged"),
            REFUSED("refused");

            private final String text;

            Outcome(String text) {
                this.text = text;
            }

            /** The word. */
            public String text() {
                return text;
            }
        }
    }
}
