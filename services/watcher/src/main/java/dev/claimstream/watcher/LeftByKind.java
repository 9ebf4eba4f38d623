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

/**
 * Orphaned keys by kind: keys of the public topics whose object may no longer exist. Safe for use by several threads.
 *
 * <p>The keys of a kind are unknown until the topics are read, and dropped after the tombstones are published.
 */
final class LeftByKind {
    private static final Logger LOG = LoggerFactory.getLogger(LeftByKind.class);
    private static final long READ_AGAIN_MS = 5000;

    private final Leftovers topics;
    private final Map<Kind, Set<String>> keys = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    LeftByKind(Leftovers topics) {
        this.topics = topics;
    }

    /** Reads the topics; retries every 5 s while the broker does not respond. */
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

    /** Returns the keys of a kind; empty before they are read and after {@link #drop}. */
    Optional<Set<String>> of(Kind kind) {
        return Optional.ofNullable(keys.get(kind));
    }

    /** Drops the keys of a kind after its tombstones are published, to free their memory. */
    void drop(Kind kind) {
        keys.remove(kind);
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Stops {@link #read} at its next step. */
    void close() {
        closed.countDown();
    }
}
