package dev.claimstream.watcher;

import dev.claimstream.allocation.cell.AllocationTiming;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.WatcherMeter;
import dev.claimstream.watcher.streams.ClaimSpans;
import dev.claimstream.watcher.streams.PublicTopicPublisher;
import dev.claimstream.watcher.streams.PublishException;
import dev.claimstream.wire.PublicRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists and watches one kind and publishes its objects.
 *
 * <p>After each list a marker record says that the kind is synced. If the watch ends, or the cluster does not respond
 * for 2 s, a marker record says that the kind is stale, and the kind is listed again. {@link #run} uses one thread; the
 * queries are safe for use by any thread.
 */
final class KindWatch {
    private static final Logger LOG = LoggerFactory.getLogger(KindWatch.class);
    private static final Duration STALE_AFTER = Duration.ofSeconds(2);
    private static final Duration BACKOFF_MIN = Duration.ofMillis(100);
    private static final Duration BACKOFF_MAX = Duration.ofSeconds(10);
    private static final int FILTER_CAPACITY = 10_000;

    /** Wait for an event while the keys of orphans are still being read. */
    private static final Duration ORPHANS_POLL = Duration.ofMillis(500);

    private static final Duration IDLE_POLL = Duration.ofSeconds(10);

    private final Kind kind;
    private final ClusterWatch cluster;
    private final PublicTopicPublisher publisher;
    private final Epochs epochs;
    private final InstantSource clock;
    private final Meters meters;
    private final ClaimSpans spans;
    private final OrphanedKeys orphanedKeys;
    private final ConfigRecording recording;
    private final Optional<KindWatch> pods;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final RetryPolicy backoff = RetryPolicy.withJitter(BACKOFF_MIN, BACKOFF_MAX);
    private final ChangeFilter changeFilter = new ChangeFilter(FILTER_CAPACITY);
    private final KnownVersions knownVersions = new KnownVersions();
    private Optional<Set<String>> listedKeys = Optional.of(new HashSet<>());
    private Optional<Instant> problemSince = Optional.empty();
    private boolean isStalePublished;
    private OptionalLong listedEpoch = OptionalLong.empty();
    private volatile boolean fresh;
    private volatile boolean synced;
    private volatile Optional<String> problem = Optional.empty();
    private volatile Optional<WatchEvent.WatchEventQueue> queue = Optional.empty();

    /**
     * @param orphanedKeys keys that earlier processes may have left in the topics
     * @param recording decides which parameters of drivers are published
     * @param pods for claims only: the watch of pods, whose ends are published before the deallocation of their claims
     */
    KindWatch(
            Kind kind,
            ClusterWatch cluster,
            PublicTopicPublisher publisher,
            Epochs epochs,
            InstantSource clock,
            Meters meters,
            ClaimSpans spans,
            OrphanedKeys orphanedKeys,
            ConfigRecording recording,
            Optional<KindWatch> pods) {
        this.kind = kind;
        this.cluster = cluster;
        this.publisher = publisher;
        this.epochs = epochs;
        this.clock = clock;
        this.meters = meters;
        this.spans = spans;
        this.orphanedKeys = orphanedKeys;
        this.recording = recording;
        this.pods = pods;
    }

    Kind kind() {
        return kind;
    }

    /** Whether the kind is synced and its watch is open. */
    boolean isFresh() {
        return fresh;
    }

    /** Whether the kind was synced at least once. */
    boolean hasSynced() {
        return synced;
    }

    /** The number of changes that are received and not published. */
    int lag() {
        return queue.map(WatchEvent.WatchEventQueue::size).orElse(0);
    }

    /** Why the kind is not watched at present; empty if it is. */
    Optional<String> problem() {
        return problem;
    }

    /** Lists and watches until {@link #close}; retries faults with backoff. */
    void run() throws InterruptedException {
        while (!isClosed()) {
            try {
                listAndWatch();
            } catch (ClusterFault | PublishException e) {
                awaitRetry(e);
            } catch (CancellationException e) {
                LOG.atDebug().addKeyValue("kind", kind.apiName()).log("closed during the list");
            }
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private void listAndWatch() throws InterruptedException {
        var list = new ListPublisher();
        long version = cluster.list(kind, list);
        list.complete(version);
        knownVersions.replace(version);
        fresh = true;
        synced = true;
        problem = Optional.empty();
        isStalePublished = false;
        problemSince = Optional.empty();
        backoff.reset();
        var events = new WatchEvent.WatchEventQueue();
        queue = Optional.of(events);
        try (var _ = cluster.watch(kind, version, events)) {
            publishEvents(list, events);
        } finally {
            fresh = false;
            events.close();
            queue = Optional.empty();
        }
    }

    /**
     * Publishes a list page by page.
     *
     * <p>Every start of the list, also a restart, has a new epoch. The objects of an epoch are valid as a complete list
     * only with the marker record at its end.
     */
    private final class ListPublisher implements ClusterWatch.PageListener {
        private long epoch;
        private int objects;
        private long version;

        @Override
        public void onListStart() {
            epoch = epochs.next();
            objects = 0;
            listedKeys = listedKeys.map(_ -> new HashSet<>());
            changeFilter.clear();
        }

        /**
         * @throws CancellationException after {@link #close}: the rest of a list can take longer than a process has to
         *     stop
         */
        @Override
        public void onPage(List<VersionedObject> more, long listed) {
            if (isClosed()) {
                throw new CancellationException("closed");
            }
            version = knownVersions.highest(listed);
            List<PublicRecord> records = new ArrayList<>();
            for (VersionedObject each : more) {
                changeFilter.remember(key(each), each.object());
                records.add(upsertedRecord(this, each));
            }
            objects += more.size();
            publish(records);
        }

        void complete(long listed) {
            listedEpoch = OptionalLong.of(epoch); // set first: the list may be in the log despite a fault
            version = knownVersions.highest(listed);
            publish(List.of(PublicRecord.syncMarker(KindWatch.this.stamp(epoch, listed, version), kind, objects)));
            if (listed > 0 && version > listed) {
                LOG.atWarn()
                        .addKeyValue("kind", kind.apiName())
                        .addKeyValue("version", listed)
                        .addKeyValue("known", version)
                        .log("resourceVersions went back: the cluster was restored from a backup");
            }
            LOG.atInfo()
                    .addKeyValue("kind", kind.apiName())
                    .addKeyValue("epoch", epoch)
                    .addKeyValue("objects", objects)
                    .log("kind synced");
        }

        /** The stamp of an object in this list, or of a change after it. */
        private Stamp stamp(long objectVersion) {
            knownVersions.add(objectVersion);
            return KindWatch.this.stamp(epoch, objectVersion, version);
        }
    }

    /** Publishes changes until the watch ends. */
    private void publishEvents(ListPublisher list, WatchEvent.WatchEventQueue changes) throws InterruptedException {
        while (!isClosed()) {
            List<WatchEvent> events = changes.take(listedKeys.isPresent() ? ORPHANS_POLL : IDLE_POLL);
            List<PublicRecord> records = new ArrayList<>();
            List<CountDownLatch> marks = new ArrayList<>();
            Optional<String> end = Optional.empty();
            for (WatchEvent each : events) {
                switch (each) {
                    case WatchEvent.Upserted(VersionedObject object) -> {
                        if (changeFilter.isChanged(key(object), object.object())) {
                            records.add(upsertedRecord(list, object));
                        }
                    }
                    case WatchEvent.Deleted(VersionedObject object) -> records.add(deletedRecord(list, object));
                    case WatchEvent.WatchEnded(String reason) -> end = Optional.of(reason);
                    case WatchEvent.PublishBarrier(CountDownLatch reached) -> marks.add(reached);
                }
            }
            if (events.stream().anyMatch(KindWatch::isRelease)) {
                awaitPods();
            }
            publish(records);
            marks.forEach(CountDownLatch::countDown);
            if (end.isEmpty() && addPublishedVersions()) {
                end = Optional.of("the topics contain a higher version than the list");
            }
            deleteOrphans();
            if (end.isPresent()) {
                LOG.atInfo()
                        .addKeyValue("kind", kind.apiName())
                        .addKeyValue("why", end.get())
                        .log("watch ended");
                publishStale();
                return;
            }
        }
    }

    /** Adds the versions that earlier processes published, once. Returns whether one exceeds the last list. */
    private boolean addPublishedVersions() {
        OptionalLong version = orphanedKeys.takeVersion(kind);
        return version.isPresent() && knownVersions.addPublished(version.getAsLong());
    }

    private static boolean isRelease(WatchEvent event) {
        return event instanceof WatchEvent.Upserted(VersionedObject object)
                && object.object() instanceof ResourceClaim claim
                && claim.allocation().isEmpty();
    }

    /**
     * Waits until the ends of pods that were received earlier are published.
     *
     * <p>The resource claim controller deallocates a claim after it has seen the end of the pod. In the opposite order
     * the deallocation would look like a rejection by the node, and the claim would be allocated again.
     */
    private void awaitPods() throws InterruptedException {
        Optional<WatchEvent.WatchEventQueue> podEvents = pods.flatMap(each -> each.queue);
        if (podEvents.isPresent()) {
            podEvents.get().awaitPodEnds();
        }
    }

    private void publish(List<PublicRecord> records) {
        spans.publish(publisher, records);
        records.forEach(_ -> meters.count(WatcherMeter.WATCHER_RECORDS, kind.apiName()));
    }

    private PublicRecord upsertedRecord(ListPublisher list, VersionedObject object) {
        listedKeys.ifPresent(keys -> keys.add(key(object)));
        return PublicRecord.upsert(list.stamp(object.version()), recording.recorded(object));
    }

    private PublicRecord deletedRecord(ListPublisher list, VersionedObject object) {
        listedKeys.ifPresent(keys -> keys.remove(key(object)));
        changeFilter.forget(key(object));
        return PublicRecord.deletion(list.stamp(object.version()), recording.recorded(object));
    }

    private static String key(VersionedObject object) {
        return new RecordKey(PublicRecord.key(object.object())).text();
    }

    /** Kubernetes allocates a claim when a pod needs it, and deallocates it with its last pod (ADR 37). */
    private Stamp stamp(long epoch, long version, long listVersion) {
        return new Stamp(
                ClusterWatcher.SOURCE,
                epoch,
                version,
                kind == Kind.RESOURCE_CLAIM ? AllocationTiming.WAIT_FOR_CONSUMER : AllocationTiming.IMMEDIATE,
                listVersion);
    }

    /**
     * Publishes tombstones for orphaned keys, once, as soon as they are read and the kind is synced.
     *
     * <p>Consumers know from the complete list that these objects are deleted; compaction needs the tombstones.
     */
    private void deleteOrphans() {
        if (listedKeys.isEmpty()) {
            return;
        }
        Set<String> known = listedKeys.get();
        orphanedKeys.of(kind).ifPresent(all -> {
            List<List<String>> keys = all.stream()
                    .filter(key -> !known.contains(key))
                    .map(key -> RecordKey.parse(key).parts())
                    .toList();
            publisher.sendTombstones(PublicRecord.isInventory(kind) ? Topics.INVENTORY : Topics.CLAIMS, keys);
            orphanedKeys.drop(kind);
            listedKeys = Optional.empty();
        });
    }

    private void awaitRetry(RuntimeException e) throws InterruptedException {
        problem = Optional.of(String.valueOf(e.getMessage()));
        meters.count(WatcherMeter.WATCHER_RETRIES);
        Instant now = clock.instant();
        Instant since = problemSince.orElse(now);
        if (problemSince.isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("kind", kind.apiName())
                    .addKeyValue("why", e.getMessage())
                    .log("kind not watched; retrying");
        }
        problemSince = Optional.of(since);
        if (e instanceof ClusterFault && Duration.between(since, now).compareTo(STALE_AFTER) >= 0) {
            tryPublishStale();
        }
        var unused = closed.await(pauseAfter(e).toMillis(), TimeUnit.MILLISECONDS);
    }

    private Duration pauseAfter(RuntimeException e) {
        return e instanceof ClusterFault fault ? backoff.nextAfter(fault.retryAfter()) : backoff.next();
    }

    private void tryPublishStale() {
        try {
            publishStale();
        } catch (PublishException e) {
            LOG.atDebug().setCause(e).log("not published; retrying later");
        }
    }

    /**
     * Publishes that the kind is stale, with the epoch of its last list.
     *
     * <p>If another process has listed the kind since, its epoch is newer and this record has no effect.
     */
    private void publishStale() {
        if (!isStalePublished) {
            long epoch = listedEpoch.orElseGet(epochs::next);
            publisher.publish(List.of(PublicRecord.staleMarker(stamp(epoch, 0, 0), kind)));
            isStalePublished = true;
        }
    }

    /** Stops {@link #run} at its next step. */
    void close() {
        closed.countDown();
        queue.ifPresent(WatchEvent.WatchEventQueue::wakeUp);
    }
}
