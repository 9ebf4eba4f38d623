package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.source.SourceText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that correct manifests have no findings. */
class FalseFindingsTest {
    private static final String WORKFLOW = """
        apiVersion: argoproj.io/v1alpha1
        kind: CronWorkflow
        metadata: {name: w}
        spec:
          schedule: "* * * * *"
          workflowSpec:
            entrypoint: main
            templateDefaults:
              podSpecPatch: '{"resourceClaims":[{"name":"%s","resourceClaimTemplateName":"t"}]}'
            templates:
            - name: main
              container: {image: i, resources: {claims: [{name: gpu}]}}
        """;

    private static List<String> rules(SourceText... texts) {
        return new ManifestLinter(FeatureGates.defaults())
                .check(List.of(texts)).stream().map(found -> found.rule().id()).toList();
    }

    @Test
    void findsClaimInDefaultsOfWorkflowTemplates() {
        assertThat(rules(SourceText.of("w.yaml", WORKFLOW.formatted("gpu")))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpu-0", "my-gpu", "gpus"})
    void comparesWholeNameOfClaimInPatch(String name) {
        assertThat(rules(SourceText.of("w.yaml", WORKFLOW.formatted(name)))).containsExactly("unknown-claim");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "./", "dir/", "./dir/", "dir/../dir/"})
    void passesOverPatchesOfKustomizationsInAnyFolder(String folder) {
        SourceText kustomization = SourceText.of(
                folder + "kustomization.yaml", "patches: [{path: ./k/patch.yaml}]\nresources: [a.yaml]\n");
        SourceText patch = SourceText.of(folder + "k/patch.yaml", "kind: Pod\nspec: {x: y}\n");
        SourceText object = SourceText.of(
                folder + "a.yaml",
                "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n");
        assertThat(rules(kustomization, patch, object)).isEmpty();
    }
}
