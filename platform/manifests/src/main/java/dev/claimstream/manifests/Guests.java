package dev.claimstream.manifests;

import dev.claimstream.manifests.tree.Node;

/** Takes the documents among manifests that are no objects of Kubernetes but somebody's own. */
@FunctionalInterface
public interface Guests {
    /** Nobody's. */
    Guests NONE = (file, document) -> false;

    /**
     * Whether this document is taken; else it is read as an object of Kubernetes.
     *
     * @param file as the user named it
     */
    boolean takes(String file, Node.Mapping document);
}
