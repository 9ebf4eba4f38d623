package dev.claimstream.watcher;

import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.Topics;
import dev.claimstream.watcher.streams.Leftovers;
import dev.claimstream.watcher.streams.OutletFault;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What earlier processes have left in the public topics, by kind: unknown until it is read, and of no use once it is cleaned up. Safe for many threads. */
final class LeftByKind {
    private static final Logger LOG = LoggerFactory.getLogger(LeftByKind.class);
    private static final long READ_AGAIN_MS = 5000;

    private final Leftovers topics;
    private final Map<Kind, Set<String>> keys = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    LeftByKind(Leftovers topics) {
        this.topics = topics;
    }

    /** Reads them, and waits for a broker that does not answer. */
    void read() throws InterruptedException {
        while (!isClosed()) {
            try {
                Set<String> all = topics.in(Topics.INVENTORY, this::isClosed);
                all.addAll(topics.in(Topics.CLAIMS, this::isClosed));
                if (!isClosed()) {
                    take(all);
                }
                return;
            } catch (OutletFault e) {
                LOG.atWarn().addKeyValue("why", e.getMessage()).log("leftovers are looked for again later");
                var unused = closed.await(READ_AGAIN_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    private void take(Set<String> all) {
        for (Kind kind : Kind.values()) {
            String prefix = kind.apiName() + "/";
            keys.put(kind, all.stream().filter(key -> key.startsWith(prefix)).collect(Collectors.toSet()));
        }
    }

    /** The keys of a kind, once they are known, until they are dropped. */
    Optional<Set<String>> of(Kind kind) {
        return Optional.ofNullable(keys.get(kind));
    }

    /** Those of a kind are cleaned up: as many as stand, they need not be held. */
    void drop(Kind kind) {
        keys.remove(kind);
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Ends {@link #read} at its next step. */
    void close() {
        closed.countDown();
    }
}
