package dev.claimstream.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.selectors.CelSelectors;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/** Manifests of a small fleet as texts, and cells that have decided them. */
final class SampleFleet {
    static final Instant AT = Instant.parse("2026-03-01T12:00:00Z");

    static final String GPU_CLASS = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu}
            spec:
              selectors:
              - cel: {expression: 'device.driver == "gpu.example.com"'}
            ---
            """;

    private SampleFleet() {}

    /** A node with GPUs of one memory size, and the label of its instance type. */
    static String node(String name, String type, int gpus, String memory) {
        var text = new StringBuilder("""
                apiVersion: v1
                kind: Node
                metadata: {name: %1$s, labels: {node.kubernetes.io/instance-type: %2$s, kubernetes.io/hostname: %1$s}}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %1$s-gpus}
                spec:
                  driver: gpu.example.com
                  nodeName: %1$s
                  pool: {name: %1$s, generation: 1, resourceSliceCount: 1}
                  devices:
                """.formatted(name, type));
        for (int i = 0; i < gpus; i++) {
            text.append("  - name: gpu-%d\n    capacity: {memory: {value: %s}}\n".formatted(i, memory));
            text.append("    attributes: {model: {string: m%s}}\n".formatted(memory));
        }
        return text.append("---\n").toString();
    }

    /** A claim for GPUs with an optional selector. */
    static String claim(String name, int count, String selector) {
        String selectors =
                selector.isEmpty() ? "" : "\n        selectors: [{cel: {expression: '%s'}}]".formatted(selector);
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s, namespace: ml}
                spec:
                  devices:
                    requests:
                    - name: gpus
                      exactly:
                        deviceClassName: gpu
                        count: %d%s
                ---
                """.formatted(name, count, selectors);
    }

    /** A pod that uses a claim. */
    static String pod(String name, String claim) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: ml}
                spec:
                  resourceClaims: [{name: gpus, resourceClaimName: %s}]
                  containers: [{name: c, image: i, resources: {claims: [{name: gpus}]}}]
                ---
                """.formatted(name, claim);
    }

    static String atLeast(String memory) {
        return "device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"%s\")) >= 0".formatted(memory);
    }

    static List<ClusterObject> objects(String... texts) {
        String all = String.join("", texts);
        ManifestReadResult read = Manifests.read(
                "sample", new ByteArrayInputStream(all.getBytes(StandardCharsets.UTF_8)), ReadOptions.DEFAULT);
        assertThat(read.findings()).isEmpty();
        return ClusterCompletion.complete(read.manifests()).stream()
                .map(Manifest::object)
                .toList();
    }

    static Cell cell(String... texts) {
        return ManifestCell.of(objects(texts), CellSettings.defaults(), new CelSelectors(), AT);
    }
}
