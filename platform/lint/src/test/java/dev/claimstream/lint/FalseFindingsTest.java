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

    private static final String OWN_CLASS = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: mig-1g.nvidia.com}
            spec: {selectors: [{cel: {expression: 'device.driver == "gpu.nvidia.com"'}}]}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: c}
            spec: {devices: {requests: [{name: a, exactly: {deviceClassName: %s}}]}}
            """;

    @ParameterizedTest
    @ValueSource(strings = {"gpu.nvidia.com", "vfio.gpu.nvidia.com", "neuron.aws.com", "mig-1g.nvidia.com"})
    void acceptsClassThatDriverInstalls(String name) {
        assertThat(rules(SourceText.of("a.yaml", OWN_CLASS.formatted(name)))).isEmpty();
    }

    @Test
    void reportsClassThatNoPublicDriverInstalls() {
        assertThat(rules(SourceText.of("a.yaml", OWN_CLASS.formatted("gpu.example.org"))))
                .containsExactly("unknown-class");
    }

    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: p}
            spec:
              resourceClaims: [{name: c, resourceClaimName: %s}]
              containers: [{name: c, image: i, resources: {claims: [{name: c}]}}]
            """;

    @Test
    void acceptsClaimOfPodThatOnlyTheClusterHas() {
        SourceText claims =
                SourceText.of("a.yaml", OWN_CLASS.formatted("gpu.nvidia.com").replace("name: c}", "name: shared-gpu}"));
        assertThat(rules(claims, SourceText.of("b.yaml", POD.formatted("other"))))
                .isEmpty();
        assertThat(rules(claims, SourceText.of("b.yaml", POD.formatted("shared-gpus"))))
                .containsExactly("unknown-template");
        assertThat(rules(SourceText.of("a.yaml", claims.text() + "---\n" + POD.formatted("other"))))
                .containsExactly("unknown-template");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "title: A proposal\nkep-number: 1\nstatus: implementable\nauthors: []\n",
                "metadata:\nmodel: {name: m}\nlicense: l\n",
                "name: job\non: push\nitems: []\n",
                "patchTarget: {kind: Deployment}\nspec: {replicas: 3}\n",
                "kind: vllm-bench\nimage: i\nargs: []\n",
            })
    void passesOverDocumentsWithFieldOfAnObject(String document) {
        SourceText object = SourceText.of("a.yaml", OWN_CLASS.formatted("gpu.nvidia.com"));
        assertThat(rules(SourceText.of("kep.yaml", document), object)).isEmpty();
    }

    @Test
    void passesOverKustomizationWithoutVersion() {
        SourceText object = SourceText.of("a.yaml", OWN_CLASS.formatted("gpu.nvidia.com"));
        assertThat(rules(SourceText.of("kustomization.yaml", "kind: Kustomization\nresources: [a.yaml]\n"), object))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "metadata: {name: a}\nspec: {devices: {}}\n",
                "spec: {devices: {}}\n",
                "items: []\n",
                "kind: Pod\nname: a\n",
                "kind: Pods\nspec: {}\n",
                "metadata: {name: a}\nspec: {}\nother: 1\n"
            })
    void reportsObjectWithoutKindBesideOthers(String document) {
        SourceText object = SourceText.of("a.yaml", OWN_CLASS.formatted("gpu.nvidia.com"));
        assertThat(rules(SourceText.of("b.yaml", document), object)).containsExactly("not-an-object");
    }

    private static final String CLASS = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: large}
            spec: {selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].model == "%s"'}}]}
            """;

    private static final String SLICE = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: node-1}
            spec:
              driver: gpu.example.com
              nodeName: node-1
              pool: {name: node-1, generation: 1, resourceSliceCount: 1}
              devices: [{name: gpu-0, attributes: {model: {string: %s}}}]
            """;

    @Test
    void checksDirectoriesWithDifferentSlicesAlone() {
        List<String> found = rules(
                SourceText.of("all/one/inner/slice.yaml", SLICE.formatted("a")),
                SourceText.of("all/one/class.yaml", CLASS.formatted("a")),
                SourceText.of("all/two/slice.yaml", SLICE.formatted("b")),
                SourceText.of("all/two/class.yaml", CLASS.formatted("b")));
        assertThat(found).isEmpty();
    }

    @Test
    void checksDirectoriesWithEqualSlicesTogether() {
        List<String> found = rules(
                SourceText.of("all/one/slice.yaml", SLICE.formatted("a")),
                SourceText.of("all/two/slice.yaml", SLICE.formatted("a")),
                SourceText.of("all/two/class.yaml", CLASS.formatted("b")));
        assertThat(found).containsExactly("never-matches");
    }

    private static final String CLAIM = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: a}
            spec: {devices: {requests: [{name: r, exactly: {deviceClassName: large}}]}}
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: other}
            spec: {}
            """;

    @Test
    void doesNotMissClassThatTemplateDefines() {
        SourceText template = SourceText.of("c.yaml", "kind: DeviceClass\nmetadata:\n  name: {{ .Values.name }}\n");
        assertThat(rules(SourceText.of("a.yaml", CLAIM))).containsExactly("unknown-class");
        assertThat(rules(SourceText.of("a.yaml", CLAIM), template)).containsExactly("unrendered-template");
    }

    @Test
    void doesNotMissClassThatCustomResourceNames() {
        String resource =
                "apiVersion: example.com/v1\nkind: Domain\nmetadata: {name: d}\nspec: {class: {name: large}}\n";
        assertThat(rules(SourceText.of("a.yaml", CLAIM + "---\n" + resource))).isEmpty();
    }

    @Test
    void takesObjectInTwoVersionsAsOne() {
        String beta = """
                apiVersion: resource.k8s.io/v1beta1
                kind: ResourceClaim
                metadata: {name: a}
                spec: {devices: {requests: [{name: r, deviceClassName: large}]}}
                """;
        assertThat(rules(
                        SourceText.of("a.yaml", CLAIM.replace("name: other", "name: large")),
                        SourceText.of("b.yaml", beta)))
                .containsExactly("beta-version");
    }

    @Test
    void namesPlaceOfExpressionBesideCel() {
        String text = """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: a}
                spec:
                  selectors:
                  - cel:
                    expression: device.driver == "gpu.example.com"
                """;
        assertThat(new ManifestLinter(FeatureGates.defaults()).check(List.of(SourceText.of("a.yaml", text))))
                .singleElement()
                .asString()
                .contains("unknown field: indent it, so that it is below cel: [misplaced-field]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\nspec: {a: large}\n",
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: d}\nspec: {a: large}\n",
                "apiVersion: example.com/v1\nkind: Domain\nmetadata: {name: large}\nspec: {a: b}\n"
            })
    void missesClassThatOtherObjectsMention(String object) {
        assertThat(rules(SourceText.of("a.yaml", CLAIM + "---\n" + object))).containsExactly("unknown-class");
    }

    @Test
    void missesClassWithTypingErrorThatCustomResourceNames() {
        String resource = "---\napiVersion: example.com/v1\nkind: Domain\nmetadata: {name: d}\nspec: {a: large}\n";
        assertThat(rules(SourceText.of("a.yaml", CLAIM.replace("name: other", "name: larges") + resource)))
                .containsExactly("unknown-class");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kind: \"DeviceClass\"", "kind: DeviceClass # of the chart", "- kind: 'DeviceClass'"})
    void findsKindInTemplate(String line) {
        SourceText template = SourceText.of("chart/templates/c.yaml", line + "\nname: {{ .Values.name }}\n");
        assertThat(rules(SourceText.of("chart/a.yaml", CLAIM), template)).containsExactly("unrendered-template");
        assertThat(rules(SourceText.of("other/a.yaml", CLAIM), template))
                .containsExactlyInAnyOrder("unknown-class", "unrendered-template");
    }
}
