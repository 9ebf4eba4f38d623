package dev.claimstream.watcher;

import dev.claimstream.allocation.cell.AllocationTiming;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;
import dev.claimstream.watcher.streams.Outlet;
import dev.claimstream.watcher.streams.OutletFault;
import dev.claimstream.wire.Published;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
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
    private static final Duration SILENT_AFTER = Duration.ofSeconds(2);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final int REMEMBERED = 10_000;

    private final Kind kind;
    private final ClusterWatch cluster;
    private final Outlet outlet;
    private final Epochs epochs;
    private final InstantSource clock;
    private final Meters meters;
    private final LeftByKind left;
    private final Optional<KindWatch> pods;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE, new SplittableRandom());
    private final LastTold lastTold = new LastTold(REMEMBERED);
    private Optional<Set<String>> standing = Optional.of(new HashSet<>());
    private Optional<Instant> troubleSince = Optional.empty();
    private boolean staleIsSaid;
    private OptionalLong shownEpoch = OptionalLong.empty();
    private volatile boolean fresh;
    private volatile boolean everListed;
    private volatile Optional<String> trouble = Optional.empty();
    private volatile Optional<Told.Line> line = Optional.empty();

    /**
     * @param orphanedKeys keys that earlier processes may have left in the topics
     * @param pods for claims only: the watch of pods, whose ends are published before the deallocation of their claims
     */
    KindWatch(
            Kind kind,
            ClusterWatch cluster,
            Outlet outlet,
            Epochs epochs,
            InstantSource clock,
            Meters meters,
            LeftByKind left,
            Optional<KindWatch> pods) {
        this.kind = kind;
        this.cluster = cluster;
        this.outlet = outlet;
        this.epochs = epochs;
        this.clock = clock;
        this.meters = meters;
        this.left = left;
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
    boolean wasListed() {
        return everListed;
    }

    /** The number of changes that are received and not published. */
    int lag() {
        return line.map(Told.Line::size).orElse(0);
    }

    /** Why the kind is not watched at present; empty if it is. */
    Optional<String> trouble() {
        return trouble;
    }

    /** Lists and watches until {@link #close}; retries faults with backoff. */
    void run() throws InterruptedException {
        while (!isClosed()) {
            try {
                follow();
            } catch (ClusterFault | OutletFault e) {
                troubled(e);
            } catch (CancellationException e) {
                LOG.atDebug().addKeyValue("kind", kind.apiName()).log("closed while it listed");
            }
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private void follow() throws InterruptedException {
        var shown = new Shown();
        long version = cluster.list(kind, shown);
        shown.end(version);
        fresh = true;
        everListed = true;
        trouble = Optional.empty();
        staleIsSaid = false;
        troubleSince = Optional.empty();
        backoff.reset();
        var told = new Told.Line();
        line = Optional.of(told);
        try (var _ = cluster.watch(kind, version, told)) {
            tell(shown.epoch, told);
        } finally {
            fresh = false;
            told.leave();
            line = Optional.empty();
        }
    }

    /**
     * Publishes a list page by page.
     *
     * <p>Every start of the list, also a restart, has a new epoch. The objects of an epoch are valid as a complete list
     * only with the marker record at its end.
     */
    private final class Shown implements ClusterWatch.Listing {
        private long epoch;
        private int objects;

        @Override
        public void begin() {
            epoch = epochs.next();
            objects = 0;
            standing = standing.map(_ -> new HashSet<>());
            lastTold.clear();
        }

        /**
         * @throws CancellationException after {@link #close}: the rest of a list can take longer than a process has to
         *     stop
         */
        @Override
        public void page(List<Versioned> more) {
            if (isClosed()) {
                throw new CancellationException("closed");
            }
            List<Published> records = new ArrayList<>();
            for (Versioned each : more) {
                lastTold.remember(key(each), each.object());
                records.add(seen(epoch, each));
            }
            objects += more.size();
            publish(records);
        }

        void end(long version) {
            shownEpoch = OptionalLong.of(epoch); // set first: the list may be in the log despite a fault
            publish(List.of(Published.listed(stamp(epoch, version), kind, objects)));
            LOG.atInfo()
                    .addKeyValue("kind", kind.apiName())
                    .addKeyValue("epoch", epoch)
                    .addKeyValue("objects", objects)
                    .log("kind listed");
        }
    }

    /** Publishes changes until the watch ends. */
    private void tell(long epoch, Told.Line changes) throws InterruptedException {
        while (!isClosed()) {
            List<Told> told = changes.take();
            List<Published> records = new ArrayList<>();
            List<CountDownLatch> marks = new ArrayList<>();
            Optional<String> end = Optional.empty();
            for (Told each : told) {
                switch (each) {
                    case Told.Changed(Versioned object) -> {
                        if (lastTold.isNews(key(object), object.object())) {
                            records.add(seen(epoch, object));
                        }
                    }
                    case Told.Gone(Versioned object) -> records.add(gone(epoch, object));
                    case Told.Ended(String why) -> end = Optional.of(why);
                    case Told.Mark(CountDownLatch reached) -> marks.add(reached);
                }
            }
            if (told.stream().anyMatch(KindWatch::isRelease)) {
                awaitPods();
            }
            publish(records);
            marks.forEach(CountDownLatch::countDown);
            cleanUp();
            if (end.isPresent()) {
                LOG.atInfo()
                        .addKeyValue("kind", kind.apiName())
                        .addKeyValue("why", end.get())
                        .log("watch ended");
                sayStale();
                return;
            }
        }
    }

    private static boolean isRelease(Told told) {
        return told instanceof Told.Changed(Versioned object)
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
        Optional<Told.Line> told = pods.flatMap(each -> each.line);
        if (told.isPresent()) {
            told.get().awaitPodEnds();
        }
    }

    private void publish(List<Published> records) {
        outlet.publish(records);
        records.forEach(_ -> meters.count(Meter.WATCHER_RECORDS, kind.apiName()));
    }

    private Published seen(long epoch, Versioned object) {
        standing.ifPresent(keys -> keys.add(key(object)));
        return Published.seen(stamp(epoch, object.version()), object.object());
    }

    private Published gone(long epoch, Versioned object) {
        standing.ifPresent(keys -> keys.remove(key(object)));
        lastTold.forget(key(object));
        return Published.gone(stamp(epoch, object.version()), object.object());
    }

    private static String key(Versioned object) {
        return new RecordKey(Published.key(object.object())).text();
    }

    /** Kubernetes allocates a claim when a pod needs it, and deallocates it with its last pod (ADR 37). */
    private Stamp stamp(long epoch, long version) {
        return new Stamp(
                ClusterWatcher.SOURCE,
                epoch,
                version,
                kind == Kind.RESOURCE_CLAIM ? AllocationTiming.WAIT_FOR_CONSUMER : AllocationTiming.IMMEDIATE);
    }

    /**
     * Publishes tombstones for orphaned keys, once, as soon as they are read and the kind is synced.
     *
     * <p>Consumers know from the complete list that these objects are deleted; compaction needs the tombstones.
     */
    private void cleanUp() {
        if (standing.isEmpty()) {
            return;
        }
        Set<String> known = standing.get();
        left.of(kind).ifPresent(all -> {
            List<List<String>> keys = all.stream()
                    .filter(key -> !known.contains(key))
                    .map(key -> RecordKey.parse(key).parts())
                    .toList();
            outlet.forget(Published.isInventory(kind) ? Topics.INVENTORY : Topics.CLAIMS, keys);
            left.drop(kind);
            standing = Optional.empty();
        });
    }

    private void troubled(RuntimeException e) throws InterruptedException {
        trouble = Optional.of(String.valueOf(e.getMessage()));
        meters.count(Meter.WATCHER_RETRIES);
        Instant now = clock.instant();
        Instant since = troubleSince.orElse(now);
        if (troubleSince.isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("kind", kind.apiName())
                    .addKeyValue("why", e.getMessage())
                    .log("kind not followed");
        }
        troubleSince = Optional.of(since);
        if (e instanceof ClusterFault && Duration.between(since, now).compareTo(SILENT_AFTER) >= 0) {
            trySayStale();
        }
        var unused = closed.await(pauseAfter(e).toMillis(), TimeUnit.MILLISECONDS);
    }

    private Duration pauseAfter(RuntimeException e) {
        return e instanceof ClusterFault fault ? backoff.nextAfter(fault.pause()) : backoff.next();
    }

    private void trySayStale() {
        try {
            sayStale();
        } catch (OutletFault e) {
            LOG.atDebug().setCause(e).log("said again later");
        }
    }

    /**
     * Publishes that the kind is stale, with the epoch of its last list.
     *
     * <p>If another process has listed the kind since, its epoch is newer and this record has no effect.
     */
    private void sayStale() {
        if (!staleIsSaid) {
            long epoch = shownEpoch.orElseGet(epochs::next);
            outlet.publish(List.of(Published.stale(stamp(epoch, 0), kind)));
            staleIsSaid = true;
        }
    }

    /** Stops {@link #run} at its next step. */
    void close() {
        closed.countDown();
    }
}
