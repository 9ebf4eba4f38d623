package dev.claimstream.kubernetes.miniature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pod groups that share claims, with and without the feature gate. */
class PodGroupsTest {
    private static final FeatureGates ON = FeatureGates.defaults().with(Feature.WORKLOAD_RESOURCE_CLAIMS, true);
    private static final String GROUP = """
            apiVersion: scheduling.k8s.io/v1beta1
            kind: PodGroup
            metadata: {name: g}
            spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}
            """;

    private final MemoryStore store = new MemoryStore();
    private MiniatureCluster cluster = MiniatureCluster.open(store, ON);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void apply(String... documents) {
        assertThat(cluster.apply(TestManifests.manifests(documents)))
                .allSatisfy(applied -> assertThat(applied.message()).isEmpty());
    }

    private static String member(String name) {
        return TestManifests.pod(name, "resourceClaimTemplateName: t")
                .replace("spec: {", "spec: {schedulingGroup: {podGroupName: g}, ");
    }

    private <T> Optional<T> find(Class<T> type, Kind kind, String name) {
        return cluster.find(kind, new ObjectKey("default", name)).map(found -> type.cast(found.object()));
    }

    private String generatedClaim() {
        PodClaim entry = find(PodGroup.class, Kind.POD_GROUP, "g")
                .orElseThrow()
                .resourceClaims()
                .getFirst();
        return ((PodClaim.ClaimSource.GeneratedClaim) entry.source()).claim();
    }

    @Test
    void generatesOneClaimForGroupAndItsPods() {
        apply(member("a"), TestManifests.template("t"), GROUP, member("b"));
        String claim = generatedClaim();
        PodGroup group = find(PodGroup.class, Kind.POD_GROUP, "g").orElseThrow();
        assertThat(claim).startsWith("g-gpu-");
        assertThat(find(ResourceClaim.class, Kind.RESOURCE_CLAIM, claim)
                        .orElseThrow()
                        .meta()
                        .controller())
                .contains(Owner.podGroup("g", group.meta().uid()));
        for (String pod : List.of("a", "b")) {
            assertThat(find(Pod.class, Kind.POD, pod).orElseThrow().resourceClaims())
                    .containsExactly(new PodClaim("gpu", new PodClaim.ClaimSource.GeneratedClaim("t", claim)));
        }
    }

    @Test
    void claimOfGroupRemainsUntilGroupIsDeleted() {
        apply(TestManifests.template("t"), GROUP, member("a"));
        String name = generatedClaim();
        var now = cluster.find(Kind.RESOURCE_CLAIM, new ObjectKey("default", name))
                .orElseThrow();
        PodGroup group = find(PodGroup.class, Kind.POD_GROUP, "g").orElseThrow();
        var result = DeviceResult.of("gpu", new DeviceId("gpu.example.com", "p", "gpu-0"));
        var allocation = new Allocation(List.of(result), List.of(), Optional.empty(), Optional.empty());
        cluster.write(new StatusChange(
                now.object().key(),
                now.object().meta().uid(),
                now.version(),
                Optional.of(allocation),
                List.of(ClaimConsumer.podGroup("g", group.meta().uid()))));

        cluster.delete(Kind.POD, new ObjectKey("default", "a"));
        assertThat(find(ResourceClaim.class, Kind.RESOURCE_CLAIM, name)
                        .orElseThrow()
                        .allocation())
                .contains(allocation);
        cluster.close();
        cluster = MiniatureCluster.open(store, ON);
        assertThat(generatedClaim()).isEqualTo(name);
        cluster.delete(Kind.POD_GROUP, new ObjectKey("default", "g"));
        assertThat(find(ResourceClaim.class, Kind.RESOURCE_CLAIM, name)).isEmpty();
    }

    @Test
    void ignoresGroupClaimsWithoutFeatureGate() {
        cluster.close();
        cluster = MiniatureCluster.open(store);
        apply(TestManifests.template("t"), GROUP, member("a"));
        assertThat(find(PodGroup.class, Kind.POD_GROUP, "g").orElseThrow().resourceClaims())
                .isEmpty();
        assertThat(find(Pod.class, Kind.POD, "a")
                        .orElseThrow()
                        .resourceClaims()
                        .getFirst()
                        .source())
                .isInstanceOfSatisfying(
                        PodClaim.ClaimSource.GeneratedClaim.class,
                        generated -> assertThat(generated.claim()).startsWith("a-gpu-"));
    }
}
