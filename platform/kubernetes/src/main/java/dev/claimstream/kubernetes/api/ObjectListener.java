package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.VersionedObject;

/** Receives the objects of lists and watches before the caller of {@link ApiWatch} does. */
interface ObjectListener {
    /** A list starts: every existing object follows. */
    void onListStart();

    /** The object was listed, created or updated. */
    void onUpsert(JsonNode json, VersionedObject object);

    /** The object was deleted. */
    void onDelete(VersionedObject object);
}
