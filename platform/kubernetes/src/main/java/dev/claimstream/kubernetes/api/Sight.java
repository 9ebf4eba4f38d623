package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.Versioned;

/** Is shown what lists and watches bring, before anybody else. */
interface Sight {
    /** Everything that stands is shown from here on. */
    void begin();

    /** It stands like this. */
    void seen(JsonNode json, Versioned object);

    /** It is gone. */
    void gone(Versioned object);
}
