package dev.claimstream.manifests;

import dev.claimstream.manifests.tree.DocumentNode;

/** Handles documents between the manifests that are not Kubernetes objects. */
@FunctionalInterface
public interface ForeignDocumentPolicy {
    /** Handles no document. */
    ForeignDocumentPolicy NONE = (file, document) -> false;

    /**
     * Handles a document if it is one of its own; otherwise it is read as a Kubernetes object.
     *
     * @param file as the user named it
     * @return whether the document was handled
     */
    boolean handle(String file, DocumentNode.DocumentMapping document);
}
