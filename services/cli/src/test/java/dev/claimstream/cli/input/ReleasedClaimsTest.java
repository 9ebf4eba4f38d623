package dev.claimstream.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.Manifests;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the notes about claims in manifests whose allocation does not count. */
final class ReleasedClaimsTest {
    private static final String ALLOCATED = """
            spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
            status:
              allocation: {devices: {results: [{request: r, driver: d.example.com, pool: p, device: gpu-0}]}}
            """;

    private static List<String> notes(String text) {
        List<Manifest> written = Manifests.read("f.yaml", text).manifests();
        assertThat(written).isNotEmpty();
        return ReleasedClaims.notes(written, ClusterCompletion.complete(written));
    }

    private static String claim(String metadata, String more) {
        return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {%s}\n%s%s\n"
                .formatted(metadata, ALLOCATED, more);
    }

    private static String pod(String name, String phase) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, uid: u-%1$s}
                spec: {containers: [{name: c}]}
                status: {phase: %s}
                """.formatted(name, phase);
    }

    @Test
    void returnsNoNoteForAllocatedClaim() {
        assertThat(notes(claim("name: a", ""))).isEmpty();
        assertThat(notes(claim("generateName: a-", ""))).isEmpty();
    }

    @Test
    void namesGeneratedClaimByItsCompletedName() {
        assertThat(notes(claim("generateName: a-", "  reservedFor: [{resource: pods, name: p, uid: u-p}]")
                        + pod("p", "Succeeded")))
                .singleElement()
                .asString()
                .matches("claim default/a-[a-z0-9]+ is released: its consumers have finished \\(default/p\\)");
    }

    @Test
    void reportsOmittedClaimOfEndedPod() {
        String owner = "ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u-p, controller: true}]";
        assertThat(notes(claim("name: a, " + owner, "") + pod("p", "Failed")))
                .containsExactly(
                        "claim default/a is skipped: the pod that it was created for has finished (default/p)");
    }

    @Test
    void reportsReleaseOfDeletedClaim() {
        String deleting =
                "name: a, deletionTimestamp: 2026-01-01T00:00:00Z, finalizers: [resource.kubernetes.io/delete-protection]";
        assertThat(notes(claim(deleting, "")))
                .containsExactly("claim default/a is released: it is being deleted, and no pod uses it");
    }
}
