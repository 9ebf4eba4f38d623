package dev.claimstream.kubernetes.miniature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.Manifests;
import java.util.List;

/** Manifests in YAML. */
final class TestManifests {
    private TestManifests() {}

    static List<Manifest> manifests(String... documents) {
        var reading = Manifests.read("test", String.join("\n---\n", documents));
        assertThat(reading.hasErrors()).as(reading.findings().toString()).isFalse();
        return reading.manifests();
    }

    static String claim(String name) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
                """.formatted(name);
    }

    /** A claim with device {@code gpu-0}, reserved for a pod. */
    static String claimInUse(String name, String pod) {
        return claim(name) + """
                status:
                  allocation:
                    devices: {results: [{request: gpu, driver: gpu.example.com, pool: p, device: gpu-0}]}
                  reservedFor: [{resource: pods, name: %s, uid: uid-of-long-ago}]
                """.formatted(pod);
    }

    static String template(String name) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: %s}
                spec:
                  metadata: {labels: {team: a}}
                  spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
                """.formatted(name);
    }

    /** A pod with one claim entry named {@code gpu}, for example {@code resourceClaimName: a}. */
    static String pod(String name, String source) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec: {resourceClaims: [{name: gpu, %s}]}
                """.formatted(name, source);
    }

    static String finished(String pod) {
        return pod + "status: {phase: Succeeded}\n";
    }
}
