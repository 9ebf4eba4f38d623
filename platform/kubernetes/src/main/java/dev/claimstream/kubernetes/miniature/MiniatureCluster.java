package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Features;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.ObjectStore;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.manifests.Manifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small API server with resourceclaim controller and garbage collector, limited to what claims need.
 *
 * <p>It has no scheduler, no kubelet and no admission beyond the validation of {@link Manifest}s. Every answer and every watch event is
 * durable. An interrupted change is either durable as a whole or absent, and the controller continues from the objects.
 *
 * <p>One thread changes the objects. It writes concurrent changes to the store in one batch. All methods are safe for use by several
 * threads.
 */
public final class MiniatureCluster implements ClusterWatch, ClaimStatus, PodGates, ObjectStore, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MiniatureCluster.class);
    private static final int HISTORY_MAX = 20_000;
    private static final int MANIFESTS_AT_ONCE = 500;
    private static final int CHANGES_AT_ONCE = 1000;
    private static final long LOOK_AGAIN_MS = 1000;

    private final Journal journal;
    private final Births births;
    private final Shown shown;
    private final Features features;
    private final LinkedBlockingQueue<Task<?>> tasks = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "cluster");
    private Optional<World> world = Optional.empty();
    private volatile boolean closed;
    private volatile Optional<String> trouble = Optional.empty();

    private MiniatureCluster(Journal journal, Births births, int historyMax, Features features) {
        this.features = features;
        this.journal = journal;
        this.births = births;
        this.shown = new Shown(historyMax);
    }

    /**
     * Opens the cluster of a store with the default feature gates. An empty store is an empty cluster. The cluster closes the store.
     *
     * @throws ClusterFault if the store does not answer or contains what this program cannot read
     */
    public static MiniatureCluster open(ClusterStore store) {
        return open(store, Features.defaults());
    }

    /**
     * Opens the cluster of a store. An empty store is an empty cluster. The cluster closes the store.
     *
     * @param features feature gates of the API server
     * @throws ClusterFault if the store does not answer or contains what this program cannot read
     */
    public static MiniatureCluster open(ClusterStore store, Features features) {
        return open(store, Births.REAL, HISTORY_MAX, features);
    }

    static MiniatureCluster open(ClusterStore store, Births births, int historyMax, Features features) {
        MiniatureCluster cluster = new MiniatureCluster(new Journal(store), births, historyMax, features);
        try {
            cluster.begin();
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        cluster.thread.setDaemon(true);
        cluster.thread.start();
        return cluster;
    }

    private void begin() {
        World loaded = journal.load();
        shown.begin(loaded.all(), loaded.version());
        settleAll(loaded);
        keep(loaded);
        world = Optional.of(loaded);
    }

    private void settleAll(World loaded) {
        var controller = new Controller(loaded, births);
        controller.settle();
        controller.releaseAbsent(loaded.fromOutside());
    }

    // ---- requests

    @Override
    public List<Applied> apply(List<Manifest> manifests) {
        List<Task<List<Applied>>> parts = new ArrayList<>();
        List<ObjectKey> claims = new ArrayList<>();
        for (int from = 0; from < manifests.size(); from += MANIFESTS_AT_ONCE) {
            int to = Math.min(from + MANIFESTS_AT_ONCE, manifests.size());
            List<Manifest> part = manifests.subList(from, to);
            parts.add(submit(worked -> applied(worked, part, claims, to == manifests.size())));
        }
        return parts.stream().flatMap(part -> part.await().stream()).toList();
    }

    /**
     * Applies one part of the manifests. The controller runs after the last part, because a claim may name a pod that follows it.
     *
     * @param claims claims created by this part and by the parts before it; only the thread of the cluster changes the list
     */
    private List<Applied> applied(World worked, List<Manifest> manifests, List<ObjectKey> claims, boolean isLast) {
        var controller = new Controller(worked, births);
        var applying = new Applying(worked, births, controller, features);
        List<Applied> applied = manifests.stream().map(applying::apply).toList();
        applied.stream()
                .filter(each -> each.kind() == Kind.RESOURCE_CLAIM && each.outcome() == Applied.Outcome.CREATED)
                .forEach(each -> claims.add(each.key()));
        if (isLast) {
            controller.settle();
            controller.releaseAbsent(claims);
        }
        return applied;
    }

    @Override
    public Optional<Deleted> delete(Kind kind, ObjectKey key) {
        return submit(worked -> new Deleting(worked, new Controller(worked, births)).delete(new ObjectId(kind, key)))
                .await();
    }

    @Override
    public Answer write(ClaimStatus.Change change) {
        try {
            return submit(worked -> {
                        Answer answer = new StatusWrites(worked).write(change);
                        new Controller(worked, births).settle();
                        return answer;
                    })
                    .await();
        } catch (ClusterFault e) {
            return new Answer.Unknown(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public Optional<Versioned> find(Kind kind, ObjectKey key) {
        return shown.find(kind, key);
    }

    @Override
    public Optional<Versioned> read(ObjectKey claim) {
        return find(Kind.RESOURCE_CLAIM, claim);
    }

    /** Returns the pod without a gate, because no admission policy adds gates here. */
    @Override
    public Optional<GatedPod> readPod(ObjectKey pod) {
        return find(Kind.POD, pod).map(found -> new GatedPod((Pod) found.object(), found.version(), false));
    }

    @Override
    public List<GatedPod> gatedIn(String namespace) {
        return List.of();
    }

    @Override
    public List<GatedPod> podsIn(String namespace) {
        return shown.list(Kind.POD).objects().stream()
                .filter(each -> each.object().meta().namespace().equals(namespace))
                .map(each -> new GatedPod((Pod) each.object(), each.version(), false))
                .toList();
    }

    /** Returns whether the pod is unbound, because this cluster has no scheduler. */
    @Override
    public boolean isHeld(GatedPod pod) {
        return pod.pod().nodeName().isEmpty();
    }

    @Override
    public Answer touch(GatedPod pod, String note) {
        return new Answer.Written(pod.version());
    }

    @Override
    public boolean isOurs(ResourceClaim claim) {
        return true;
    }

    @Override
    public Answer open(GatedPod pod, Optional<String> node) {
        return new Answer.Written(pod.version());
    }

    @Override
    public long list(Kind kind, Listing listing) {
        Listed listed = shown.list(kind);
        listing.begin();
        listing.page(listed.objects());
        return listed.version();
    }

    @Override
    public Subscription watch(Kind kind, long version, Listener listener) {
        var watching = new Watching(shown, kind, listener, () -> closed);
        watching.start(version);
        return watching;
    }

    private <T> Task<T> submit(Function<World, T> work) {
        Task<T> task = new Task<>(work);
        tasks.add(task);
        if (closed) {
            refuseAll();
        }
        return task;
    }

    /** Returns why the cluster takes no changes now; empty if it does. The cluster retries by itself. */
    public Optional<String> trouble() {
        return trouble;
    }

    // ---- worker thread

    private void run() {
        while (!closed) {
            try {
                Optional<Task<?>> first = Optional.ofNullable(tasks.poll(LOOK_AGAIN_MS, TimeUnit.MILLISECONDS));
                if (first.isPresent() || world.isEmpty()) {
                    carryOut(first);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                closed = true;
            }
        }
        refuseAll();
    }

    private void carryOut(Optional<Task<?>> first) {
        List<Task<?>> taken = new ArrayList<>();
        first.ifPresent(taken::add);
        try {
            World worked = world();
            Optional<Task<?>> next = first;
            while (next.isPresent()) {
                next.get().workOn(worked);
                next = worked.changed() < CHANGES_AT_ONCE ? Optional.ofNullable(tasks.poll()) : Optional.empty();
                next.ifPresent(taken::add);
            }
            keep(worked);
            trouble = Optional.empty();
            taken.forEach(Task::kept);
        } catch (RuntimeException e) {
            world = Optional.empty();
            trouble = Optional.of(String.valueOf(e.getMessage()));
            if (!(e instanceof ClusterFault)) {
                LOG.atError().setCause(e).log("the cluster could not do what it was asked for");
            }
            taken.forEach(task -> task.failed(e));
        }
    }

    /** Returns the objects; after a failure it reloads them, because only the store knows what is durable. */
    private World world() {
        if (world.isEmpty()) {
            World loaded = journal.load();
            shown.tell(shown.upTo(loaded), loaded.version());
            settleAll(loaded);
            world = Optional.of(loaded);
        }
        return world.get();
    }

    private void keep(World worked) {
        List<Event> changes = worked.takeChanges();
        if (!changes.isEmpty()) {
            journal.save(changes, worked.version());
            shown.tell(changes, worked.version());
        }
    }

    private void refuseAll() {
        for (Optional<Task<?>> task = Optional.ofNullable(tasks.poll());
                task.isPresent();
                task = Optional.ofNullable(tasks.poll())) {
            task.get().failed(new ClusterFault("the cluster is closed"));
        }
    }

    /** Stops the cluster. Changes that were answered are durable. */
    @Override
    public void close() {
        closed = true;
        tasks.add(new Task<>(World::version));
        shown.wake();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        journal.close();
    }
}
