package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import java.util.List;

/** Helper methods that read a manifest text. */
final class ManifestFixtures {
    private ManifestFixtures() {}

    /** Returns the only object of a text without findings. */
    static <T extends ClusterObject> T readSingle(Class<T> type, String text) {
        ManifestReadResult reading = Manifests.read("f.yaml", text);
        assertThat(reading.findings()).isEmpty();
        assertThat(reading.manifests()).hasSize(1);
        return type.cast(reading.objects().getFirst());
    }

    static List<String> findings(String text) {
        return Manifests.read("f.yaml", text).findings().stream()
                .map(ManifestFinding::toString)
                .toList();
    }

    /** Returns the findings of a {@code v1} claim with these {@code devices}, which start on line 5. */
    static List<String> findingsInDevices(String devices) {
        return findings("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec: {devices:
                %s
                }""".formatted(devices));
    }
}
