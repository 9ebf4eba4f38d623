package dev.claimstream.kubernetes.api;

import dev.claimstream.dra.Kind;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs objects that cannot be read, each of them once. */
final class Untaken {
    private static final Logger LOG = LoggerFactory.getLogger(Untaken.class);

    /** Limit of the memory; beyond it objects are logged again. */
    private static final int REMEMBERED_MAX = 10_000;

    private final Set<String> told = ConcurrentHashMap.newKeySet();

    void notServed(Kind kind) {
        LOG.atInfo().addKeyValue("kind", kind.apiName()).log("the API server does not serve this kind: there are none");
    }

    void tell(Kind kind, ApiObjects.Read.NotTaken object) {
        if (told.size() >= REMEMBERED_MAX) {
            told.clear();
        }
        if (told.add(kind.apiName() + " " + object.name() + " " + object.why())) {
            LOG.atWarn()
                    .addKeyValue("kind", kind.apiName())
                    .addKeyValue("object", object.name())
                    .addKeyValue("why", object.why())
                    .log(
                            object.held().isPresent()
                                    ? "this claim cannot be read, it keeps its devices"
                                    : "this object cannot be read, it is left out");
        }
    }
}
