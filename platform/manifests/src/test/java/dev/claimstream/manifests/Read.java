package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import java.util.List;

/** Short words for tests that read a text. */
final class Read {
    private Read() {}

    /** The only object of a text in which nothing is wrong. */
    static <T extends ClusterObject> T one(Class<T> type, String text) {
        ManifestReadResult reading = Manifests.read("f.yaml", text);
        assertThat(reading.findings()).isEmpty();
        assertThat(reading.manifests()).hasSize(1);
        return type.cast(reading.objects().getFirst());
    }

    /** The findings of a text, one line each. */
    static List<String> findings(String text) {
        return Manifests.read("f.yaml", text).findings().stream()
                .map(ManifestFinding::toString)
                .toList();
    }

    /** Findings of a claim in {@code v1} whose devices are these, from line 5 on. */
    static List<String> inDevices(String devices) {
        return findings("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec: {devices:
                %s
                }""".formatted(devices));
    }
}
