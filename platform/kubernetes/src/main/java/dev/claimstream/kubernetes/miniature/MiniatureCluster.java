package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.ObjectStore;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.VersionedObject;
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
public final class MiniatureCluster implements ClusterWatch, ClaimStatusClient, PodGates, ObjectStore, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MiniatureCluster.class);
    private static final int HISTORY_MAX = 20_000;
    private static final int BATCH_MANIFESTS_MAX = 500;
    private static final int BATCH_CHANGES_MAX = 1000;
    private static final long POLL_INTERVAL_MS = 1000;

    private final ClusterPersistence persistence;
    private final MetadataFactory metadataFactory;
    private final WatchCache watchCache;
    private final FeatureGates features;
    private final LinkedBlockingQueue<ClusterTask<?>> tasks = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "cluster");
    private Optional<ClusterState> state = Optional.empty();
    private volatile boolean closed;
    private volatile Optional<String> problem = Optional.empty();

    private MiniatureCluster(
            ClusterPersistence persistence, MetadataFactory metadataFactory, int historyMax, FeatureGates features) {
        this.features = features;
        this.persistence = persistence;
        this.metadataFactory = metadataFactory;
        this.watchCache = new WatchCache(historyMax);
    }

    /**
     * Opens the cluster of a store with the default feature gates. An empty store is an empty cluster. The cluster closes the store.
     *
     * @throws ClusterFault if the store does not respond or contains what this program cannot read
     */
    public static MiniatureCluster open(ClusterStore store) {
        return open(store, FeatureGates.defaults());
    }

    /**
     * Opens the cluster of a store. An empty store is an empty cluster. The cluster closes the store.
     *
     * @param features feature gates of the API server
     * @throws ClusterFault if the store does not respond or contains what this program cannot read
     */
    public static MiniatureCluster open(ClusterStore store, FeatureGates features) {
        return open(store, MetadataFactory.SYSTEM, HISTORY_MAX, features);
    }

    static MiniatureCluster open(
            ClusterStore store, MetadataFactory metadataFactory, int historyMax, FeatureGates features) {
        MiniatureCluster cluster =
                new MiniatureCluster(new ClusterPersistence(store), metadataFactory, historyMax, features);
        try {
            cluster.load();
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        cluster.thread.setDaemon(true);
        cluster.thread.start();
        return cluster;
    }

    private void load() {
        ClusterState loaded = persistence.load();
        watchCache.load(loaded.all(), loaded.version());
        reconcileAll(loaded);
        persist(loaded);
        state = Optional.of(loaded);
    }

    private void reconcileAll(ClusterState loaded) {
        var controller = new ResourceClaimController(loaded, metadataFactory);
        controller.reconcileAll();
        controller.releaseAbsent(loaded.claimsWithUnresolvedUids());
    }

    // ---- requests

    @Override
    public List<ApplyResult> apply(List<Manifest> manifests) {
        List<ClusterTask<List<ApplyResult>>> parts = new ArrayList<>();
        List<ObjectKey> claims = new ArrayList<>();
        for (int from = 0; from < manifests.size(); from += BATCH_MANIFESTS_MAX) {
            int to = Math.min(from + BATCH_MANIFESTS_MAX, manifests.size());
            List<Manifest> part = manifests.subList(from, to);
            parts.add(submit(worked -> applyPart(worked, part, claims, to == manifests.size())));
        }
        return parts.stream().flatMap(part -> part.await().stream()).toList();
    }

    /**
     * Applies one part of the manifests. The controller runs after the last part, because a claim may name a pod that follows it.
     *
     * @param claims claims created by this part and by the parts before it; only the thread of the cluster changes the list
     */
    private List<ApplyResult> applyPart(
            ClusterState worked, List<Manifest> manifests, List<ObjectKey> claims, boolean isLast) {
        var controller = new ResourceClaimController(worked, metadataFactory);
        var applying = new ManifestApplier(worked, metadataFactory, controller, features);
        List<ApplyResult> applied = manifests.stream().map(applying::apply).toList();
        applied.stream()
                .filter(each ->
                        each.kind() == Kind.RESOURCE_CLAIM && each.outcome() == ApplyResult.ApplyOutcome.CREATED)
                .forEach(each -> claims.add(each.key()));
        if (isLast) {
            controller.reconcileAll();
            controller.releaseAbsent(claims);
        }
        return applied;
    }

    @Override
    public Optional<DeletionResult> delete(Kind kind, ObjectKey key) {
        return submit(worked -> new ObjectDeletion(worked, new ResourceClaimController(worked, metadataFactory))
                        .delete(new ObjectId(kind, key)))
                .await();
    }

    @Override
    public WriteResult write(ClaimStatusClient.StatusChange change) {
        try {
            return submit(worked -> {
                        WriteResult result = new StatusWrites(worked).write(change);
                        new ResourceClaimController(worked, metadataFactory).reconcileAll();
                        return result;
                    })
                    .await();
        } catch (ClusterFault e) {
            return new WriteResult.Unknown(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public Optional<VersionedObject> find(Kind kind, ObjectKey key) {
        return watchCache.find(kind, key);
    }

    @Override
    public Optional<VersionedObject> read(ObjectKey claim) {
        return find(Kind.RESOURCE_CLAIM, claim);
    }

    @Override
    public Optional<VersionedObject> readClass(String name) {
        return find(Kind.DEVICE_CLASS, new ObjectKey("", name));
    }

    /** Returns the pod without a gate, because no admission policy adds gates here. */
    @Override
    public Optional<GatedPod> readPod(ObjectKey pod) {
        return find(Kind.POD, pod).map(found -> new GatedPod((Pod) found.object(), found.version(), false));
    }

    @Override
    public List<GatedPod> listGatedPods(String namespace) {
        return List.of();
    }

    @Override
    public List<GatedPod> listPods(String namespace) {
        return watchCache.list(Kind.POD).objects().stream()
                .filter(each -> each.object().meta().namespace().equals(namespace))
                .map(each -> new GatedPod((Pod) each.object(), each.version(), false))
                .toList();
    }

    /** Returns whether the pod is unbound, because this cluster has no scheduler. */
    @Override
    public boolean isBlocked(GatedPod pod) {
        return pod.pod().nodeName().isEmpty();
    }

    @Override
    public WriteResult markDeallocation(GatedPod pod, String note) {
        return new WriteResult.Success(pod.version());
    }

    @Override
    public boolean isManaged(ResourceClaim claim) {
        return true;
    }

    @Override
    public WriteResult removeGate(GatedPod pod, Optional<String> node) {
        return new WriteResult.Success(pod.version());
    }

    @Override
    public long list(Kind kind, PageListener listing) {
        ObjectList listed = watchCache.list(kind);
        listing.onListStart();
        listing.onPage(listed.objects(), listed.version());
        return listed.version();
    }

    @Override
    public Subscription watch(Kind kind, long version, WatchListener listener) {
        var watching = new MiniatureWatch(watchCache, kind, listener, () -> closed);
        watching.start(version);
        return watching;
    }

    private <T> ClusterTask<T> submit(Function<ClusterState, T> work) {
        ClusterTask<T> task = new ClusterTask<>(work);
        tasks.add(task);
        if (closed) {
            failAll();
        }
        return task;
    }

    /** Returns why the cluster takes no changes now; empty if it does. The cluster retries by itself. */
    public Optional<String> problem() {
        return problem;
    }

    // ---- worker thread

    private void run() {
        while (!closed) {
            try {
                Optional<ClusterTask<?>> first =
                        Optional.ofNullable(tasks.poll(POLL_INTERVAL_MS, TimeUnit.MILLISECONDS));
                if (first.isPresent() || state.isEmpty()) {
                    runTasks(first);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                closed = true;
            }
        }
        failAll();
    }

    private void runTasks(Optional<ClusterTask<?>> first) {
        List<ClusterTask<?>> taken = new ArrayList<>();
        first.ifPresent(taken::add);
        try {
            ClusterState worked = state();
            Optional<ClusterTask<?>> next = first;
            while (next.isPresent()) {
                next.get().run(worked);
                next = worked.changeCount() < BATCH_CHANGES_MAX ? Optional.ofNullable(tasks.poll()) : Optional.empty();
                next.ifPresent(taken::add);
            }
            persist(worked);
            problem = Optional.empty();
            taken.forEach(ClusterTask::complete);
        } catch (RuntimeException e) {
            state = Optional.empty();
            problem = Optional.of(String.valueOf(e.getMessage()));
            if (!(e instanceof ClusterFault)) {
                LOG.atError().setCause(e).log("a request to the simulated cluster failed");
            }
            taken.forEach(task -> task.fail(e));
        }
    }

    /** Returns the objects; after a failure it reloads them, because only the store knows what is durable. */
    private ClusterState state() {
        if (state.isEmpty()) {
            ClusterState loaded = persistence.load();
            watchCache.publish(watchCache.changesTo(loaded), loaded.version());
            reconcileAll(loaded);
            state = Optional.of(loaded);
        }
        return state.get();
    }

    private void persist(ClusterState worked) {
        List<ObjectChange> changes = worked.drainChanges();
        if (!changes.isEmpty()) {
            persistence.save(changes, worked.version());
            watchCache.publish(changes, worked.version());
        }
    }

    private void failAll() {
        for (Optional<ClusterTask<?>> task = Optional.ofNullable(tasks.poll());
                task.isPresent();
                task = Optional.ofNullable(tasks.poll())) {
            task.get().fail(new ClusterFault("the cluster is closed"));
        }
    }

    /** Stops the cluster. Changes that were answered are durable. */
    @Override
    public void close() {
        closed = true;
        tasks.add(new ClusterTask<>(ClusterState::version));
        watchCache.wake();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        persistence.close();
    }
}
