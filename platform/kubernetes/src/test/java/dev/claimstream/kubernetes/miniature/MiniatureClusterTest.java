package dev.claimstream.kubernetes.miniature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ObjectStore.ApplyResult;
import dev.claimstream.kubernetes.ObjectStore.ApplyResult.ApplyOutcome;
import dev.claimstream.kubernetes.ObjectStore.DeletionResult;
import dev.claimstream.kubernetes.VersionedObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects, controllers, status writes and restarts of a miniature cluster. */
final class MiniatureClusterTest {
    private static final Allocation GPU_0 = allocation("gpu-0");
    private static final ObjectKey A = new ObjectKey("default", "a");

    private final MemoryStore memory = new MemoryStore();
    private final FailingStore store = new FailingStore(memory);
    private MiniatureCluster cluster = MiniatureCluster.open(store);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void restart() {
        cluster.close();
        cluster = MiniatureCluster.open(store);
    }

    private static Allocation allocation(String device) {
        var result = DeviceResult.of("gpu", new DeviceId("gpu.example.com", "p", device));
        return new Allocation(List.of(result), List.of(), Optional.empty(), Optional.empty());
    }

    private List<ApplyOutcome> apply(String... documents) {
        return applyResults(documents).stream().map(ApplyResult::outcome).toList();
    }

    private List<ApplyResult> applyResults(String... documents) {
        return cluster.apply(TestManifests.manifests(documents));
    }

    private ResourceClaim claim(String name) {
        return (ResourceClaim) find(Kind.RESOURCE_CLAIM, name).object();
    }

    private Pod pod(String name) {
        return (Pod) find(Kind.POD, name).object();
    }

    private VersionedObject find(Kind kind, String name) {
        return cluster.find(kind, new ObjectKey("default", name)).orElseThrow();
    }

    private boolean exists(Kind kind, String name) {
        return cluster.find(kind, new ObjectKey("default", name)).isPresent();
    }

    private WriteResult commit(String claim, ClaimConsumer... consumers) {
        VersionedObject now = find(Kind.RESOURCE_CLAIM, claim);
        return cluster.write(new StatusChange(
                now.object().key(), now.object().meta().uid(), now.version(), Optional.of(GPU_0), List.of(consumers)));
    }

    private ClaimConsumer consumer(String pod) {
        return ClaimConsumer.pod(pod, pod(pod).meta().uid());
    }

    // ---- apply

    @Test
    void newObjectGetsNamespaceUidTimeAndSequence() {
        assertThat(apply(TestManifests.claim("a"), TestManifests.claim("b")))
                .containsExactly(ApplyOutcome.CREATED, ApplyOutcome.CREATED);
        ObjectMeta a = claim("a").meta();
        ObjectMeta b = claim("b").meta();
        assertThat(a.namespace()).isEqualTo("default");
        assertThat(a.uid()).isNotEmpty().isNotEqualTo(b.uid());
        assertThat(a.created()).isPresent();
        assertThat(a.sequence()).isPositive().isLessThan(b.sequence());
    }

    @Test
    void reappliedObjectIsUnchangedOrConfigured() {
        apply(TestManifests.claim("a"));
        VersionedObject before = find(Kind.RESOURCE_CLAIM, "a");
        assertThat(apply(TestManifests.claim("a"))).containsExactly(ApplyOutcome.UNCHANGED);
        assertThat(find(Kind.RESOURCE_CLAIM, "a")).isEqualTo(before);
        assertThat(apply(TestManifests.claim("a").replace("{name: a}", "{name: a, labels: {team: a}}")))
                .containsExactly(ApplyOutcome.CONFIGURED);
        assertThat(find(Kind.RESOURCE_CLAIM, "a").version()).isGreaterThan(before.version());
    }

    @Test
    void specOfClaimIsImmutable() {
        apply(TestManifests.claim("a"));
        ApplyResult again = applyResults(TestManifests.claim("a").replace("Name: gpu", "Name: tpu"))
                .getFirst();
        assertThat(again.outcome()).isEqualTo(ApplyOutcome.REJECTED);
        assertThat(again.message())
                .isEqualTo(
                        "ResourceClaim default/a: spec: the field is immutable: delete the object and apply it again");
    }

    @Test
    void claimsOfPodAreImmutableAfterGeneration() {
        apply(TestManifests.template("t"), TestManifests.pod("p", "resourceClaimTemplateName: t"));
        assertThat(apply(TestManifests.pod("p", "resourceClaimTemplateName: t")))
                .containsExactly(ApplyOutcome.UNCHANGED);
        assertThat(applyResults(TestManifests.pod("p", "resourceClaimName: other"))
                        .getFirst()
                        .message())
                .contains("Pod default/p: spec.resourceClaims: the field is immutable");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec.affinity.podAffinity | affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}",
                "spec.affinity.podAntiAffinity | affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}",
                "spec.topologySpreadConstraints | topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]",
                "spec.containers[].ports | initContainers: [{name: beside, image: none, restartPolicy: Always, ports: [{containerPort: 80, hostPort: 80}]}]",
                "spec.volumes | volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]",
            })
    void topologyFieldsOfPodAreImmutable(String field, String more) {
        String plain = TestManifests.pod("p", "resourceClaimName: c");
        String changed = plain.replace("spec: {", "spec: {%s, ".formatted(more));
        apply(plain);
        assertThat(applyResults(changed).getFirst().message())
                .contains("Pod default/p: %s: the field is immutable".formatted(field));
        String other = changed.replace("name: p", "name: q");
        assertThat(apply(other)).containsExactly(ApplyOutcome.CREATED);
        assertThat(apply(other)).containsExactly(ApplyOutcome.UNCHANGED);
    }

    @Test
    void generatedNamesAreUnique() {
        String generated = TestManifests.claim("a").replace("name: a", "generateName: a-");
        var names = applyResults(generated, generated).stream()
                .map(each -> each.key().name())
                .toList();
        assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("a-.{5}"));
    }

    @Test
    void manifestStatusAppliesOnlyAtCreation() {
        apply(
                TestManifests.claimInUse("a", "p"),
                TestManifests.claim("b"),
                TestManifests.pod("p", "resourceClaimName: a"));
        assertThat(claim("a").allocation()).contains(GPU_0);
        assertThat(claim("a").reservedFor()).containsExactly(consumer("p"));
        assertThat(apply(TestManifests.claimInUse("b", "p"))).containsExactly(ApplyOutcome.UNCHANGED);
        assertThat(claim("b").allocation()).isEmpty();
    }

    @Test
    void reservesManifestClaimForPodOfThatName() {
        apply(TestManifests.claimInUse("a", "p"), TestManifests.pod("p", "resourceClaimName: a"));
        restart();
        assertThat(claim("a").reservedFor()).containsExactly(consumer("p"));
        cluster.delete(Kind.POD, new ObjectKey("default", "p"));
        assertThat(claim("a").allocation()).isEmpty();
        assertThat(claim("a").reservedFor()).isEmpty();
    }

    @Test
    void releasesManifestClaimOfAbsentPod() {
        apply(
                TestManifests.claimInUse("a", "gone"),
                TestManifests.claimInUse("b", "q"),
                TestManifests.pod("q", "resourceClaimName: other"));
        for (String name : List.of("a", "b")) {
            assertThat(claim(name).allocation()).isEmpty();
            assertThat(claim(name).reservedFor()).isEmpty();
        }
    }

    @Test
    void keepsManifestClaimWithoutConsumers() {
        String unused = TestManifests.claimInUse("a", "p").replaceAll("  reservedFor.*\n", "");
        apply(unused);
        restart();
        assertThat(claim("a").allocation()).contains(GPU_0);
    }

    @Test
    void keepsManifestClaimOfUnknownConsumerKind() {
        apply(TestManifests.claimInUse("a", "p").replace("resource: pods", "apiGroup: example.com, resource: jobs"));
        assertThat(claim("a").allocation()).contains(GPU_0);
    }

    @Test
    void awaitsPodsOfSameApply() {
        List<String> documents = new ArrayList<>(List.of(TestManifests.claimInUse("a", "p")));
        IntStream.range(0, 1100).mapToObj(i -> TestManifests.claim("c" + i)).forEach(documents::add);
        documents.add(TestManifests.pod("p", "resourceClaimName: a"));
        apply(documents.toArray(String[]::new));
        assertThat(claim("a").reservedFor()).containsExactly(consumer("p"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"status: {phase: Succeeded}", "status: {phase: Failed}"})
    void releasesManifestClaimOfTerminalPod(String status) {
        apply(TestManifests.claimInUse("a", "p"), TestManifests.pod("p", "resourceClaimName: a") + status + "\n");
        assertThat(claim("a").allocation()).isEmpty();
        assertThat(claim("a").reservedFor()).isEmpty();
    }

    @Test
    void keepsManifestClaimUntilItsLastPodEnds() {
        String both = TestManifests.claimInUse("a", "p")
                .replace("reservedFor: [", "reservedFor: [{resource: pods, name: q, uid: uid-of-q}, ");
        apply(
                both,
                TestManifests.finished(TestManifests.pod("p", "resourceClaimName: a")),
                TestManifests.pod("q", "resourceClaimName: a"));
        assertThat(claim("a").reservedFor()).containsExactly(consumer("q"));
        assertThat(claim("a").allocation()).contains(GPU_0);
        apply(TestManifests.finished(TestManifests.pod("q", "resourceClaimName: a")));
        assertThat(claim("a").allocation()).isEmpty();
    }

    private static String manifestGeneratedForPod(String name, String pod) {
        return TestManifests.claimInUse(name, pod)
                .replace(
                        "{name: %s}".formatted(name),
                        "{name: %s, annotations: {resource.kubernetes.io/pod-claim-name: gpu}, ownerReferences: [{apiVersion: v1, kind: Pod, name: %s, uid: uid-of-long-ago, controller: true}]}"
                                .formatted(name, pod));
    }

    @Test
    void keepsManifestClaimGeneratedForItsPod() {
        apply(
                TestManifests.template("t"),
                manifestGeneratedForPod("p-gpu-x", "p"),
                TestManifests.pod("p", "resourceClaimTemplateName: t"));
        assertThat(generatedClaim("p").meta().name()).isEqualTo("p-gpu-x");
        assertThat(claim("p-gpu-x").reservedFor()).containsExactly(consumer("p"));
        assertThat(claim("p-gpu-x").allocation()).contains(GPU_0);
    }

    @Test
    void deletesManifestClaimGeneratedForTerminalPod() {
        apply(
                TestManifests.template("t"),
                manifestGeneratedForPod("p-gpu-x", "p"),
                TestManifests.finished(TestManifests.pod("p", "resourceClaimTemplateName: t")));
        assertThat(exists(Kind.RESOURCE_CLAIM, "p-gpu-x")).isFalse();
    }

    @Test
    void rejectsObjectTooLargeForRecord() {
        String large = "x".repeat(1_000_000);
        ApplyResult applied = applyResults(TestManifests.claim("a")
                        .replace("{name: a}", "{name: a, annotations: {x: %s}}".formatted(large)))
                .getFirst();
        assertThat(applied.outcome()).isEqualTo(ApplyOutcome.REJECTED);
        assertThat(applied.message()).contains("at most 1000000: split it");
    }

    // ---- claim controller

    @Test
    void generatesClaimForPodWithTemplate() {
        apply(TestManifests.template("t"), TestManifests.pod("p", "resourceClaimTemplateName: t"));
        assertThat(pod("p").resourceClaims())
                .hasSize(1)
                .allMatch(entry -> entry.source() instanceof PodClaim.ClaimSource.GeneratedClaim generated
                        && generated.template().equals("t")
                        && generated.claim().matches("p-gpu-.{5}"));
        ResourceClaim made = generatedClaim("p");
        assertThat(made.meta().controller())
                .contains(Owner.pod("p", pod("p").meta().uid()));
        assertThat(made.meta().annotations()).containsEntry("resource.kubernetes.io/pod-claim-name", "gpu");
        assertThat(made.meta().labels()).containsEntry("team", "a");
    }

    private ResourceClaim generatedClaim(String pod) {
        return pod(pod).resourceClaims().stream()
                .map(PodClaim::source)
                .map(source -> claim(((PodClaim.ClaimSource.GeneratedClaim) source).claim()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void generatesClaimWhenTemplateFollowsPod() {
        apply(TestManifests.pod("p", "resourceClaimTemplateName: t"));
        assertThat(cluster.list(Kind.RESOURCE_CLAIM).objects()).isEmpty();
        restart();
        apply(TestManifests.template("t"));
        assertThat(generatedClaim("p").meta().name()).startsWith("p-gpu-");
    }

    @Test
    void deletedPodReleasesClaimsAndDeletesGeneratedOnes() {
        apply(
                TestManifests.claim("a"),
                TestManifests.template("t"),
                TestManifests.pod("p", "resourceClaimName: a"),
                TestManifests.pod("q", "resourceClaimName: a"),
                TestManifests.pod("r", "resourceClaimTemplateName: t"));
        assertThat(commit("a", consumer("p"), consumer("q"))).isInstanceOf(WriteResult.Success.class);
        String made = generatedClaim("r").meta().name();
        commit(made, consumer("r"));

        cluster.delete(Kind.POD, new ObjectKey("default", "p"));
        assertThat(claim("a").reservedFor()).containsExactly(consumer("q"));
        assertThat(claim("a").allocation()).contains(GPU_0);
        cluster.delete(Kind.POD, new ObjectKey("default", "q"));
        assertThat(claim("a").allocation()).isEmpty();
        assertThat(cluster.delete(Kind.POD, new ObjectKey("default", "r"))).contains(DeletionResult.DELETED);
        assertThat(exists(Kind.RESOURCE_CLAIM, made)).isFalse();
    }

    @Test
    void terminalPodReleasesItsClaims() {
        String q = TestManifests.pod("q", "resourceClaimTemplateName: t");
        apply(TestManifests.template("t"), TestManifests.claim("a"), TestManifests.pod("p", "resourceClaimName: a"), q);
        commit("a", consumer("p"));
        assertThat(apply(
                        TestManifests.finished(TestManifests.pod("p", "resourceClaimName: a")),
                        TestManifests.finished(q)))
                .containsExactly(ApplyOutcome.CONFIGURED, ApplyOutcome.CONFIGURED);
        assertThat(claim("a").allocation()).isEmpty();
        assertThat(cluster.list(Kind.RESOURCE_CLAIM).objects()).hasSize(1);
        assertThat(apply(TestManifests.pod("p", "resourceClaimName: a"))).containsExactly(ApplyOutcome.UNCHANGED);
    }

    @Test
    void deletedClaimInUseRemainsUntilPodIsDeleted() {
        apply(TestManifests.claim("a"), TestManifests.pod("p", "resourceClaimName: a"));
        commit("a", consumer("p"));
        assertThat(cluster.delete(Kind.RESOURCE_CLAIM, A)).contains(DeletionResult.TERMINATING);
        assertThat(claim("a").meta().deleting()).isTrue();
        assertThat(applyResults(TestManifests.claim("a")).getFirst().message()).contains("it is being deleted");
        restart();
        assertThat(claim("a").meta().deleting()).isTrue();
        cluster.delete(Kind.POD, new ObjectKey("default", "p"));
        assertThat(exists(Kind.RESOURCE_CLAIM, "a")).isFalse();
    }

    @Test
    void deletesUnusedClaimAtOnce() {
        apply(TestManifests.claim("a"));
        commit("a");
        assertThat(cluster.delete(Kind.RESOURCE_CLAIM, A)).contains(DeletionResult.DELETED);
        assertThat(cluster.delete(Kind.RESOURCE_CLAIM, A)).isEmpty();
    }

    @Test
    void deletedNamespaceDeletesItsObjects() {
        String namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n";
        apply(
                namespace,
                TestManifests.claim("a").replace("name: a", "name: a, namespace: team"),
                TestManifests.pod("p", "resourceClaimName: a").replace("name: p", "name: p, namespace: team"),
                TestManifests.claim("b"));
        assertThat(cluster.delete(Kind.NAMESPACE, ObjectKey.cluster("team"))).contains(DeletionResult.DELETED);
        assertThat(cluster.list(Kind.POD).objects()).isEmpty();
        assertThat(cluster.list(Kind.RESOURCE_CLAIM).objects()).hasSize(1);
    }

    // ---- status

    @Test
    void statusWriteRequiresVersionAndUid() {
        apply(TestManifests.claim("a"));
        VersionedObject now = find(Kind.RESOURCE_CLAIM, "a");
        String uid = now.object().meta().uid();
        assertThat(cluster.write(new StatusChange(A, uid, now.version() + 1, Optional.of(GPU_0), List.of())))
                .isEqualTo(new WriteResult.Conflict());
        assertThat(cluster.write(new StatusChange(A, "other", now.version(), Optional.of(GPU_0), List.of())))
                .isEqualTo(new WriteResult.NotFound());
        assertThat(commit("a"))
                .isEqualTo(
                        new WriteResult.Success(find(Kind.RESOURCE_CLAIM, "a").version()));
        assertThat(cluster.write(new StatusChange(
                        A, uid, find(Kind.RESOURCE_CLAIM, "a").version(), Optional.of(allocation("gpu-1")), List.of())))
                .isEqualTo(new WriteResult.Rejected("status.allocation: Invalid value: field is immutable"));
    }

    @Test
    void invalidationAdvancesClaimVersion() {
        apply(TestManifests.claim("a"));
        VersionedObject before = find(Kind.RESOURCE_CLAIM, "a");
        String uid = before.object().meta().uid();
        assertThat(cluster.write(StatusChange.invalidateDecisions(A, uid, before.version() + 1)))
                .isEqualTo(new WriteResult.Conflict());
        assertThat(cluster.write(StatusChange.invalidateDecisions(A, uid, before.version())))
                .isEqualTo(
                        new WriteResult.Success(find(Kind.RESOURCE_CLAIM, "a").version()));
        assertThat(claim("a")).isEqualTo(before.object());
        assertThat(cluster.write(new StatusChange(A, uid, before.version(), Optional.of(GPU_0), List.of())))
                .isEqualTo(new WriteResult.Conflict());
    }

    @Test
    void deletedPodKeepsNoReservation() {
        apply(TestManifests.claim("a"), TestManifests.pod("p", "resourceClaimName: a"));
        ClaimConsumer gone = consumer("p");
        cluster.delete(Kind.POD, new ObjectKey("default", "p"));
        assertThat(commit("a", gone)).isInstanceOf(WriteResult.Success.class);
        assertThat(claim("a").allocation()).isEmpty();
    }

    // ---- persistence

    @Test
    void restoresObjectsAndVersionsAfterRestart() {
        apply(
                TestManifests.template("t"),
                TestManifests.pod("p", "resourceClaimTemplateName: t"),
                TestManifests.claim("a"),
                TestManifests.claim("b"));
        commit("a");
        cluster.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "b"));
        var claims = cluster.list(Kind.RESOURCE_CLAIM);
        var pods = cluster.list(Kind.POD);
        restart();
        assertThat(cluster.list(Kind.RESOURCE_CLAIM)).isEqualTo(claims);
        assertThat(cluster.list(Kind.POD)).isEqualTo(pods);
        apply(TestManifests.claim("c"));
        assertThat(find(Kind.RESOURCE_CLAIM, "c").version()).isGreaterThan(claims.version());
    }

    @Test
    void unsavedChangeIsNotApplied() {
        var listener = new RecordingListener();
        cluster.watch(Kind.RESOURCE_CLAIM, 0, listener);
        store.saveFault = FailingStore.SaveFault.BEFORE_SAVING;
        assertThatThrownBy(() -> apply(TestManifests.claim("a"))).isInstanceOf(ClusterFault.class);
        assertThat(cluster.list(Kind.RESOURCE_CLAIM).objects()).isEmpty();
        store.saveFault = FailingStore.SaveFault.NONE;
        assertThat(apply(TestManifests.claim("a"))).containsExactly(ApplyOutcome.CREATED);
        listener.await(() -> listener.events().equals(List.of("changed default/a")));
    }

    @Test
    void savedChangeWithoutResponseIsDeliveredLater() {
        apply(TestManifests.claim("b"));
        var listener = new RecordingListener().start(cluster.list(Kind.RESOURCE_CLAIM));
        cluster.watch(Kind.RESOURCE_CLAIM, cluster.list(Kind.RESOURCE_CLAIM).version(), listener);
        store.saveFault = FailingStore.SaveFault.AFTER_SAVING;
        assertThatThrownBy(() -> apply(TestManifests.claim("a"))).isInstanceOf(ClusterFault.class);
        assertThatThrownBy(() -> cluster.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "b")))
                .isInstanceOf(ClusterFault.class);
        store.saveFault = FailingStore.SaveFault.NONE;
        listener.await(() -> listener.events().equals(List.of("changed default/a", "gone default/b")));
        assertThat(apply(TestManifests.claim("a"))).containsExactly(ApplyOutcome.UNCHANGED);
    }

    @Test
    void failingStoreMakesStatusWriteUnknown() {
        apply(TestManifests.claim("a"));
        store.saveFault = FailingStore.SaveFault.AFTER_SAVING;
        assertThat(commit("a")).isInstanceOf(WriteResult.Unknown.class);
        store.saveFault = FailingStore.SaveFault.NONE;
        apply(TestManifests.claim("b"));
        assertThat(claim("a").allocation()).contains(GPU_0);
    }
}
