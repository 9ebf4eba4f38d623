package dev.claimstream.kubernetes.api;

import dev.claimstream.dra.Kind;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs objects that cannot be read, each of them once. */
final class UnreadableObjects {
    private static final Logger LOG = LoggerFactory.getLogger(UnreadableObjects.class);

    /** Limit of the memory; beyond it objects are logged again. */
    private static final int REPORTED_MAX = 10_000;

    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    void reportUnservedKind(Kind kind) {
        LOG.atInfo()
                .addKeyValue("kind", kind.apiName())
                .log("the API server does not serve this kind; it is treated as empty");
    }

    void report(Kind kind, ApiObjectReader.ObjectReadResult.Failure object) {
        if (reported.size() >= REPORTED_MAX) {
            reported.clear();
        }
        if (reported.add(kind.apiName() + " " + object.name() + " " + object.message())) {
            LOG.atWarn()
                    .addKeyValue("kind", kind.apiName())
                    .addKeyValue("object", object.name())
                    .addKeyValue("why", object.message())
                    .log(
                            object.allocatedClaim().isPresent()
                                    ? "this claim cannot be parsed; it keeps its devices"
                                    : "this object cannot be parsed; it is ignored");
        }
    }
}
