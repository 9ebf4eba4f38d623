package dev.claimstream.kubernetes.miniature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim.ClaimSource;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ObjectStore.ApplyResult.ApplyOutcome;
import dev.claimstream.kubernetes.ObjectStore.DeletionResult;
import dev.claimstream.kubernetes.VersionedObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random changes, restarts and store faults of a cluster match a simple model, and watches deliver all changes. */
final class ClusterModelTest {
    private static final int STEPS = 150;
    private static final int NAMES = 4;

    static LongStream seeds() {
        return LongStream.range(0, 40);
    }

    /** The expected state in its simplest form. */
    private static final class Model {
        private final Map<String, Set<String>> consumersOfClaims = new TreeMap<>();
        private final Set<String> allocated = new TreeSet<>();
        private final Set<String> deleting = new TreeSet<>();
        private final Map<String, String> pods = new TreeMap<>();
        private final Set<String> templates = new TreeSet<>();

        /** Releases all claims of a pod. */
        void endPod(String pod) {
            for (String claim : new ArrayList<>(consumersOfClaims.keySet())) {
                Set<String> consumers = consumersOfClaims.get(claim);
                if (consumers != null && consumers.remove(pod) && consumers.isEmpty()) {
                    allocated.remove(claim);
                    if (deleting.remove(claim)) {
                        consumersOfClaims.remove(claim);
                    }
                }
            }
        }
    }

    private final Model model = new Model();
    private final FailingStore store = new FailingStore(new MemoryStore());
    private MiniatureCluster cluster = open();
    private final Map<Kind, RecordingListener> listeners = new HashMap<>();

    private MiniatureCluster open() {
        return MiniatureCluster.open(store, MetadataFactory.SYSTEM, 1000, FeatureGates.defaults());
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void clusterMatchesModel(long seed) {
        var random = new SplittableRandom(seed);
        listen();
        for (int step = 0; step < STEPS; step++) {
            act(random);
            if (random.nextInt(10) == 0) {
                check();
            }
        }
        check();
        listeners.forEach((kind, each) -> each.await(() -> each.objects().equals(currentObjects(kind))));
        cluster.close();
    }

    private void listen() {
        for (Kind kind : List.of(Kind.RESOURCE_CLAIM, Kind.POD)) {
            var listed = cluster.list(kind);
            var each = new RecordingListener().start(listed);
            listeners.put(kind, each);
            cluster.watch(kind, listed.version(), each);
        }
    }

    private Map<ObjectKey, Object> currentObjects(Kind kind) {
        Map<ObjectKey, Object> objects = new TreeMap<>();
        cluster.list(kind).objects().forEach(each -> objects.put(each.object().key(), each.object()));
        return objects;
    }

    private void act(SplittableRandom random) {
        String name = "n" + random.nextInt(NAMES);
        switch (random.nextInt(12)) {
            case 0, 1 -> applyClaim(name);
            case 2, 3 -> applyPod(name, random.nextBoolean() ? "claim" : "template", "n" + random.nextInt(NAMES));
            case 4 -> applyTemplate(name);
            case 5, 6 -> commit(name, random);
            case 7 -> deleteClaim(name);
            case 8 -> deletePod(name);
            case 9 -> finishPod(name);
            case 10 -> restart(random);
            case 11 -> failStore(random);
            default -> throw new IllegalStateException();
        }
    }

    private static ObjectKey key(String name) {
        return new ObjectKey("default", name);
    }

    private ApplyOutcome apply(String document) {
        return cluster.apply(TestManifests.manifests(document)).getFirst().outcome();
    }

    private void applyClaim(String name) {
        ApplyOutcome outcome = apply(TestManifests.claim(name));
        if (model.deleting.contains(name)) {
            assertThat(outcome).isEqualTo(ApplyOutcome.REJECTED);
        } else {
            boolean isNew = model.consumersOfClaims.putIfAbsent(name, new TreeSet<>()) == null;
            assertThat(outcome).isEqualTo(isNew ? ApplyOutcome.CREATED : ApplyOutcome.UNCHANGED);
        }
    }

    private void applyPod(String name, String sort, String of) {
        String source = sort.equals("claim") ? "resourceClaimName: " + of : "resourceClaimTemplateName: " + of;
        ApplyOutcome outcome = apply(TestManifests.pod(name, source));
        String before = model.pods.putIfAbsent(name, source);
        assertThat(outcome)
                .isEqualTo(
                        before == null
                                ? ApplyOutcome.CREATED
                                : isSame(before, source) ? ApplyOutcome.UNCHANGED : ApplyOutcome.REJECTED);
    }

    private static boolean isSame(String before, String source) {
        return before.equals(source) || before.equals("finished " + source);
    }

    private void applyTemplate(String name) {
        assertThat(apply(TestManifests.template(name)))
                .isEqualTo(model.templates.add(name) ? ApplyOutcome.CREATED : ApplyOutcome.UNCHANGED);
    }

    /** Reserves a claim for a pod that may have ended. */
    private void commit(String name, SplittableRandom random) {
        Optional<VersionedObject> found = cluster.find(Kind.RESOURCE_CLAIM, key(name));
        Optional<VersionedObject> pod = cluster.find(Kind.POD, key("n" + random.nextInt(NAMES)));
        if (found.isEmpty() || pod.isEmpty()) {
            return;
        }
        ResourceClaim claim = (ResourceClaim) found.get().object();
        Pod user = (Pod) pod.get().object();
        var consumer = ClaimConsumer.pod(user.meta().name(), user.meta().uid());
        List<ClaimConsumer> consumers = new ArrayList<>(claim.reservedFor());
        if (!consumers.contains(consumer)) {
            consumers.add(consumer);
        }
        WriteResult result = cluster.write(new StatusChange(
                claim.key(), claim.meta().uid(), found.get().version(), Optional.of(gpu(name)), consumers));
        Set<String> known = model.consumersOfClaims.get(name);
        if (known != null && result instanceof WriteResult.Success && !user.finished()) {
            known.add(user.meta().name());
            model.allocated.add(name);
        }
        boolean isNew = known != null && consumers.size() > claim.reservedFor().size();
        assertThat(result instanceof WriteResult.Rejected).isEqualTo(model.deleting.contains(name) && isNew);
    }

    private static Allocation gpu(String name) {
        var result = DeviceResult.of("gpu", new DeviceId("gpu.example.com", "p", name));
        return new Allocation(List.of(result), List.of(), Optional.empty(), Optional.empty());
    }

    private void deleteClaim(String name) {
        Optional<DeletionResult> deleted = cluster.delete(Kind.RESOURCE_CLAIM, key(name));
        Set<String> consumers = model.consumersOfClaims.get(name);
        if (consumers == null) {
            assertThat(deleted).isEmpty();
        } else if (consumers.isEmpty()) {
            assertThat(deleted).contains(DeletionResult.DELETED);
            model.consumersOfClaims.remove(name);
            model.allocated.remove(name);
        } else {
            assertThat(deleted).contains(DeletionResult.TERMINATING);
            model.deleting.add(name);
        }
    }

    private void deletePod(String name) {
        assertThat(cluster.delete(Kind.POD, key(name)).isPresent()).isEqualTo(model.pods.remove(name) != null);
        model.endPod(name);
    }

    private void finishPod(String name) {
        Optional.ofNullable(model.pods.get(name))
                .filter(source -> !source.startsWith("finished "))
                .ifPresent(source -> {
                    assertThat(apply(TestManifests.finished(TestManifests.pod(name, source))))
                            .isEqualTo(ApplyOutcome.CONFIGURED);
                    model.pods.put(name, "finished " + source);
                    model.endPod(name);
                });
    }

    private void restart(SplittableRandom random) {
        if (random.nextInt(3) > 0) {
            return;
        }
        listeners.forEach((kind, each) -> each.await(() -> each.objects().equals(currentObjects(kind))));
        Map<ObjectKey, Object> claims = currentObjects(Kind.RESOURCE_CLAIM);
        cluster.close();
        cluster = open();
        assertThat(currentObjects(Kind.RESOURCE_CLAIM)).isEqualTo(claims);
        listen();
    }

    /** The store fails while a pod is deleted; the deletion may have been saved. */
    private void failStore(SplittableRandom random) {
        String name = "n" + random.nextInt(NAMES);
        boolean kept = random.nextBoolean();
        store.saveFault = kept ? FailingStore.SaveFault.AFTER_SAVING : FailingStore.SaveFault.BEFORE_SAVING;
        try {
            assertThat(cluster.delete(Kind.POD, key(name))).isEmpty();
        } catch (ClusterFault e) {
            if (kept && model.pods.remove(name) != null) {
                model.endPod(name);
            }
        } finally {
            store.saveFault = FailingStore.SaveFault.NONE;
        }
        assertThat(apply(TestManifests.template("settles"))).isIn(ApplyOutcome.CREATED, ApplyOutcome.UNCHANGED);
        model.templates.add("settles");
    }

    // ---- invariants

    private void check() {
        Map<String, Set<String>> consumers = new TreeMap<>();
        Set<String> allocated = new TreeSet<>();
        Set<String> uids = new HashSet<>();
        Map<String, String> made = new TreeMap<>();
        for (VersionedObject each : cluster.list(Kind.RESOURCE_CLAIM).objects()) {
            ResourceClaim claim = (ResourceClaim) each.object();
            assertThat(uids.add(claim.meta().uid())).isTrue();
            String name = claim.meta().name();
            if (claim.meta().controller().isPresent()) {
                made.put(name, claim.meta().controller().get().name());
                continue;
            }
            Set<String> names = new TreeSet<>();
            claim.reservedFor().forEach(consumer -> names.add(consumer.name()));
            consumers.put(name, names);
            if (claim.allocation().isPresent()) {
                allocated.add(name);
            }
            assertThat(claim.meta().deleting()).isEqualTo(model.deleting.contains(name));
        }
        assertThat(consumers).isEqualTo(model.consumersOfClaims);
        assertThat(allocated).isEqualTo(model.allocated);
        checkPods(made);
    }

    private void checkPods(Map<String, String> made) {
        Map<String, String> expected = new TreeMap<>();
        Set<String> names = new TreeSet<>();
        for (VersionedObject each : cluster.list(Kind.POD).objects()) {
            Pod pod = (Pod) each.object();
            names.add(pod.meta().name());
            ClaimSource source = pod.resourceClaims().getFirst().source();
            switch (source) {
                case ClaimSource.GeneratedClaim(String _, String claim) -> {
                    if (!pod.finished()) {
                        expected.put(claim, pod.meta().name());
                    }
                }
                case ClaimSource.TemplateReference(String template) ->
                    assertThat(pod.finished() || !model.templates.contains(template))
                            .isTrue();
                case ClaimSource.ClaimReference _, ClaimSource.NoClaimNeeded _ -> {}
            }
        }
        assertThat(names).isEqualTo(model.pods.keySet());
        assertThat(made).isEqualTo(expected);
    }
}
