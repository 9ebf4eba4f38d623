package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests when completion removes reservations and deallocates claims of finished or replaced consumers. */
class ReservationsTest {
    private static String claim(String metadata, String reservedFor) {
        return """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: c%s}
            spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
            status:
              allocation:
                devices: {results: [{request: gpu, driver: gpu.example.com, pool: p, device: gpu-0}]}
              reservedFor: [%s]
            ---
            """.formatted(metadata, reservedFor);
    }

    private static String pod(String metadata, String more) {
        return "{apiVersion: v1, kind: Pod, metadata: {name: p%s}, spec: {%s resourceClaims: [{name: gpu, resourceClaimName: c}]}%s}\n---\n"
                .formatted(
                        metadata,
                        more.contains("nodeName") ? more + ", " : "",
                        more.contains("status") ? ", " + more : "");
    }

    private static List<ClusterObject> complete(String text) {
        FeatureGates features = FeatureGates.defaults().with(Feature.WORKLOAD_RESOURCE_CLAIMS, true);
        ManifestReadResult reading = Manifests.read("f.yaml", text);
        assertThat(reading.hasErrors()).as("%s", reading.findings()).isFalse();
        List<Manifest> once = ClusterCompletion.complete(reading.manifests(), features);
        assertThat(ClusterCompletion.complete(once, features)).isEqualTo(once);
        return once.stream().map(Manifest::object).toList();
    }

    private static Optional<ResourceClaim> findClaim(List<ClusterObject> objects) {
        return objects.stream()
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .findFirst();
    }

    private static void assertReleased(ResourceClaim claim) {
        assertThat(claim.allocation()).isEmpty();
        assertThat(claim.reservedFor()).isEmpty();
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                           | 'status: {phase: Succeeded}'",
                "', uid: u'                                   | 'status: {phase: Succeeded}'",
                "', uid: u'                                   | 'status: {phase: Failed}'",
                "', uid: u, deletionTimestamp: 2026-01-01T00:00:00Z' | ''",
                "', uid: another'                             | ''",
                "', uid: another'                             | 'nodeName: n1'",
            })
    void releasesClaimOfFinishedPod(String metadata, String more) {
        String reserved = claim("", "{resource: pods, name: p, uid: u}");
        assertReleased(findClaim(complete(reserved + pod(metadata, more))).orElseThrow());
        assertReleased(findClaim(complete(pod(metadata, more) + reserved)).orElseThrow());
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "', uid: u'                                   | ''",
                "', uid: u'                                   | 'status: {phase: Running}'",
                "', uid: u, deletionTimestamp: 2026-01-01T00:00:00Z' | 'nodeName: n1'",
            })
    void keepsClaimOfPodThatMayRun(String metadata, String more) {
        ResourceClaim claim = findClaim(complete(claim("", "{resource: pods, name: p, uid: u}") + pod(metadata, more)))
                .orElseThrow();
        assertThat(claim.allocation()).isPresent();
        assertThat(claim.reservedFor()).containsExactly(ClaimConsumer.pod("p", "u"));
    }

    @Test
    void keepsClaimOfAbsentPod() {
        ResourceClaim claim = findClaim(complete(claim("", "{resource: pods, name: p, uid: u}")))
                .orElseThrow();
        assertThat(claim.allocation()).isPresent();
        assertThat(claim.reservedFor()).containsExactly(ClaimConsumer.pod("p", "u"));
    }

    @Test
    void matchesPodWithoutUidToConsumerByName() {
        List<ClusterObject> objects = complete(claim("", "{resource: pods, name: p, uid: u}") + pod("", ""));
        String uid = objects.stream()
                .filter(Pod.class::isInstance)
                .findFirst()
                .orElseThrow()
                .meta()
                .uid();
        assertThat(findClaim(objects).orElseThrow().reservedFor()).containsExactly(ClaimConsumer.pod("p", uid));
    }

    @Test
    void keepsAllocationUntilLastPodFinishes() {
        String both = "{resource: pods, name: p, uid: u}, {resource: pods, name: q, uid: v}";
        String q =
                "{apiVersion: v1, kind: Pod, metadata: {name: q, uid: v}, spec: {resourceClaims: [{name: gpu, resourceClaimName: c}]}}";
        ResourceClaim claim = findClaim(complete(claim("", both) + pod(", uid: u", "status: {phase: Failed}") + q))
                .orElseThrow();
        assertThat(claim.allocation()).isPresent();
        assertThat(claim.reservedFor()).containsExactly(ClaimConsumer.pod("q", "v"));
    }

    @Test
    void keepsAllocationThatWasNeverReserved() {
        assertThat(findClaim(complete(claim("", ""))).orElseThrow().allocation())
                .isPresent();
    }

    @Test
    void keepsConsumersOfOtherKinds() {
        ResourceClaim claim = findClaim(complete(claim("", "{apiGroup: example.com, resource: jobs, name: p, uid: u}")
                        + pod(", uid: u", "status: {phase: Succeeded}")))
                .orElseThrow();
        assertThat(claim.allocation()).isPresent();
    }

    @Test
    void releasesUnusedClaimThatIsBeingDeleted() {
        ResourceClaim claim = findClaim(complete(claim(", deletionTimestamp: 2026-01-01T00:00:00Z", "")))
                .orElseThrow();
        assertReleased(claim);
        assertThat(claim.meta().deleting()).isTrue();
    }

    @Test
    void releasesClaimOfReplacedPodGroup() {
        String claim = claim("", "{apiGroup: scheduling.k8s.io, resource: podgroups, name: g, uid: u}");
        String group =
                "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g, uid: %s}, spec: {}}";
        assertReleased(findClaim(complete(claim + group.formatted("v"))).orElseThrow());
        assertThat(findClaim(complete(claim + group.formatted("u")))
                        .orElseThrow()
                        .allocation())
                .isPresent();
        assertThat(findClaim(complete(claim)).orElseThrow().allocation()).isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "', uid: u' | 'status: {phase: Succeeded}' | false",
                "''         | 'status: {phase: Failed}'    | false",
                "', uid: v' | ''                           | false",
                "', uid: u' | ''                           | true",
            })
    void dropsGeneratedClaimOfFinishedPod(String metadata, String more, boolean isLeft) {
        String owned =
                ", annotations: {resource.kubernetes.io/pod-claim-name: gpu}, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}]";
        List<ClusterObject> objects = complete(claim(owned, "{resource: pods, name: p, uid: u}") + pod(metadata, more));
        assertThat(findClaim(objects).isPresent()).isEqualTo(isLeft);
        assertThat(objects.getLast().meta().sequence()).isEqualTo(objects.size());
    }
}
