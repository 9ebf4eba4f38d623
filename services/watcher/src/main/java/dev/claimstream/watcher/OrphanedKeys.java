package dev.claimstream.watcher;

import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.Topics;
import dev.claimstream.watcher.streams.OrphanedKeyReader;
import dev.claimstream.watcher.streams.PublishException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
final class OrphanedKeys {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedKeys.class);
    private static final long RETRY_DELAY_MS = 5000;

    private final OrphanedKeyReader reader;
    private final Map<Kind, Set<String>> keys = new ConcurrentHashMap<>();
    private final Map<Kind, Long> versions = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Optional<String> problem = Optional.empty();

    OrphanedKeys(OrphanedKeyReader reader) {
        this.reader = reader;
    }

    /** Reads the topics; retries every 5 s while the broker does not respond. */
    void read() throws InterruptedException {
        while (!isClosed()) {
            try {
                Map<String, Long> all = reader.versionsIn(Topics.INVENTORY, this::isClosed);
                all.putAll(reader.versionsIn(Topics.CLAIMS, this::isClosed));
                if (!isClosed()) {
                    group(all);
                }
                problem = Optional.empty();
                return;
            } catch (PublishException e) {
                problem = Optional.of(String.valueOf(e.getMessage()));
                LOG.atWarn().addKeyValue("why", e.getMessage()).log("orphaned keys cannot be read; retrying later");
                var unused = closed.await(RETRY_DELAY_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    /** Why the topics cannot be read; empty if they can. */
    Optional<String> problem() {
        return problem;
    }

    private void group(Map<String, Long> all) {
        for (Kind kind : Kind.values()) {
            String prefix = kind.apiName() + "/";
            Map<String, Long> ofKind = all.entrySet().stream()
                    .filter(each -> each.getKey().startsWith(prefix))
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
            versions.put(kind, ofKind.values().stream().reduce(0L, Math::max));
            keys.put(kind, Set.copyOf(ofKind.keySet()));
        }
    }

    /** Returns the highest version of a kind in the topics, once; empty before they are read. */
    OptionalLong takeVersion(Kind kind) {
        Long version = versions.remove(kind);
        return version == null ? OptionalLong.empty() : OptionalLong.of(version);
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
