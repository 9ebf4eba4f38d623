package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.Versioned;

/** Receives the objects of lists and watches before the caller of {@link ApiWatch} does. */
interface Sight {
    /** A list starts: every existing object follows. */
    void begin();

    /** The object was listed, created or updated. */
    void seen(JsonNode json, Versioned object);

    /** The object was deleted. */
    void gone(Versioned object);
}
