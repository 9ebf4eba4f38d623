package dev.claimstream.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the findings about workloads after the reading. */
final class ManifestInputsTest {
    @TempDir
    private Path folder = Path.of("");

    private String findings = "";

    private ManifestInputs.ValidManifests read(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("w.yaml"), text);
        var err = new StringWriter();
        var manifests = ManifestInputs.validManifests(
                List.of(file.toString()),
                false,
                WorkloadTreatment.EXPANDED,
                new ExpressionValidator(FeatureGates.defaults()),
                InputStream.nullInputStream(),
                new PrintWriter(err));
        findings = err.toString();
        return manifests;
    }

    private static String deployment(int replicas, String annotation) {
        return """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web}
                spec:
                  replicas: %d
                  selector: {matchLabels: {a: b}}
                  template:
                    metadata: {labels: {a: b}, annotations: {long: "%s"}}
                    spec: {containers: [{name: c}]}
                """.formatted(replicas, annotation);
    }

    @Test
    void reportsTooLargePodsOncePerTemplate() throws IOException {
        ManifestInputs.ValidManifests manifests = read(deployment(3, "x".repeat(1_500_000)));
        assertThat(manifests.manifests()).isEmpty();
        assertThat(manifests.rejected()).isEqualTo(3);
        assertThat(findings.lines())
                .singleElement()
                .asString()
                .contains("w.yaml:7:", ": spec.template: the object has ", "(web-0)");
    }

    @Test
    void countsWorkloadsWithoutPods() throws IOException {
        ManifestInputs.ValidManifests manifests = read(deployment(0, ""));
        assertThat(manifests.manifests()).isEmpty();
        assertThat(manifests.workloads()).isEqualTo(1);
    }
}
