package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.manifests.source.SourceText;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the rules and locations of findings in typical manifests. */
class ManifestLinterTest {
    private static final ManifestLinter LINT = new ManifestLinter(FeatureGates.defaults());

    private static List<String> lint(ManifestLinter lint, String... texts) {
        List<SourceText> sources = IntStream.range(0, texts.length)
                .mapToObj(i -> SourceText.of("f%d.yaml".formatted(i), texts[i]))
                .toList();
        return lint.check(sources).stream()
                .map(each -> "%d:%d %s"
                        .formatted(
                                each.finding().location().line(),
                                each.finding().location().column(),
                                each.rule().id()))
                .toList();
    }

    static Stream<Arguments> manifests() {
        return Stream.of(
                of(
                        "classes named as extended resources, with nodes",
                        """
                        apiVersion: resource.k8s.io/v1
                        kind: DeviceClass
                        metadata:
                          name: example.com/gpu
                        spec:
                          selectors:
                          - cel:
                              expression: 'device.driver == "example.com/gpu"'
                          suitableNodes:
                            nodeSelectorTerms: []
                        """,
                        "4:3 class-name",
                        "8:37 driver-name",
                        "9:3 suitable-nodes"),
                of(
                        "a flat request with a quantity among the attributes",
                        """
                        apiVersion: resource.k8s.io/v1
                        kind: ResourceClaimTemplate
                        metadata: {name: t}
                        spec:
                          spec:
                            devices:
                              requests:
                              - name: gpu
                                deviceClassName: gpu.example.com
                                selectors:
                                - cel:
                                    expression: 'device.attributes["example.com/gpu-memory"].quantity >= quantity("40Gi")'
                        """,
                        "9:9 flat-request",
                        "10:9 flat-request",
                        "12:43 unknown-domain",
                        "12:79 quantity-operator"),
                of("alternatives by a constraint", """
                        apiVersion: resource.k8s.io/v1
                        kind: ResourceClaim
                        metadata: {name: c}
                        spec:
                          devices:
                            requests:
                            - {name: a, exactly: {deviceClassName: g}}
                            - {name: b, exactly: {deviceClassName: g}}
                            constraints:
                            - requests: [a, b]
                              anyOf: true
                        """, "11:7 any-of"),
                of("a claim of the first API", """
                        apiVersion: resource.k8s.io/v1alpha2
                        kind: ResourceClaim
                        metadata: {name: c}
                        spec:
                          resourceClassName: g
                        """, "1:1 removed-api", "5:22 alpha-claim"),
                of("kinds that are not looked at", """
                        apiVersion: argoproj.io/v1alpha1
                        kind: Workflow
                        metadata: {name: w}
                        spec: {templates: [{podSpecPatch: x}]}
                        ---
                        apiVersion: v1
                        kind: ConfigMap
                        metadata: {name: m}
                        data: {a: b}
                        """),
                of(
                        "the pods of a Deployment",
                        """
                        apiVersion: apps/v1
                        kind: Deployment
                        metadata: {name: d}
                        spec:
                          selector: {matchLabels: {app: d}}
                          template:
                            metadata: {labels: {app: d}}
                            spec:
                              resourceClaims:
                              - {name: a, source: {resourceClaimTemplateName: t}}
                              - {name: b, resourceClaimTemplateName: t, resourceClaimName: c}
                              containers:
                              - name: main
                                image: i
                                env: [{name: A, value: 1}]
                                resources:
                                  claims: [{name: a}, {name: c}, {name: a}]
                                livenessprobe: {}
                        """,
                        "10:19 claim-source",
                        "11:9 invalid-value",
                        "11:9 unused-claim",
                        "15:25 wrong-type",
                        "17:31 unknown-claim",
                        "17:42 duplicate",
                        "18:9 misspelt-field"),
                of(
                        "a pod whose fields have other types",
                        """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: p}
                        spec:
                          containers: {name: main}
                          terminationGracePeriodSeconds: "30"
                          nodeSelector: {gpu: true}
                          priorityClassName: high
                          securityContext: {runAsUser: 1000, runAsNonRoot: "yes"}
                        """,
                        "5:3 wrong-type",
                        "6:3 wrong-type",
                        "7:18 wrong-type",
                        "9:38 wrong-type"),
                of(
                        "an expression over several lines",
                        """
                        apiVersion: resource.k8s.io/v1
                        kind: DeviceClass
                        metadata: {name: c}
                        spec:
                          selectors:
                          - cel:
                              expression: |-
                                device.driver == "a" &&
                                device.atributes["a"].b
                          - cel:
                              expression: >
                                device.driver == "a" &&
                                device.capacity["a"].b.value > quantity("1")
                        """,
                        "9:15 cel-compile",
                        "13:31 typed-accessor",
                        "13:38 quantity-operator"),
                of(
                        "what a template does not pass on, what a container names twice, and no type of a device",
                        """
                        apiVersion: resource.k8s.io/v1
                        kind: ResourceClaimTemplate
                        metadata: {name: t, namespace: default}
                        spec:
                          metadata: {name: foo, labels: {a: b}}
                          spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
                        ---
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: p, namespace: default}
                        spec:
                          resourceClaims: [{name: g, resourceClaimTemplateName: t}]
                          containers:
                          - {name: c, image: i, resources: {claims: [{name: g}, {name: g, request: r}]}}
                          - {name: d, image: i, resources: {claims: [{name: g, request: r}, {name: g, request: r}]}}
                        ---
                        apiVersion: resource.k8s.io/v1
                        kind: DeviceClass
                        metadata: {name: gpu}
                        spec: {selectors: [{cel: {expression: type(device) == kubernetes.DRADevice}}]}
                        """,
                        "5:14 forbidden",
                        "14:57 duplicate",
                        "15:69 duplicate",
                        "20:39 cel-compile"),
                of("a gang of another scheduler, in a list", """
                        apiVersion: v1
                        kind: List
                        items:
                        - apiVersion: scheduling.x-k8s.io/v1alpha1
                          kind: PodGroup
                          metadata: {name: g}
                          spec: {minMember: 8, scheduleTimeoutSeconds: 300}
                        """, "4:15 pod-group"));
    }

    private static Arguments of(String name, String text, String... expected) {
        return Arguments.of(name, text, Arrays.asList(expected));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("manifests")
    void reportsMistakesAtTheirLocations(String name, String text, List<String> expected) {
        assertThat(lint(LINT, text)).as(name).containsExactlyElementsOf(expected);
    }

    @Test
    void lintsSeveralTextsAsOneSet() {
        String slice = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: gpu.example.com
                  nodeName: node-1
                  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
                  devices: [{name: gpu-0, attributes: {model: {string: a}}}]
                """;
        String deviceClass = """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu}
                spec: {selectors: [{cel: {expression: device.driver == "gpu.example.org"}}]}
                """;
        assertThat(lint(LINT, deviceClass)).isEmpty();
        assertThat(lint(LINT, slice, deviceClass)).containsExactly("4:27 never-matches");
        assertThat(lint(LINT, slice, slice)).as("equal objects").isEmpty();
        assertThat(lint(LINT, slice, slice.replace("string: a", "string: b"))).containsExactly("3:12 duplicate-object");
    }

    @Test
    void reportsFindingsInOrderOfFiles() {
        String bad = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClam
                metadata: {name: x}
                """;
        List<LintFinding> found = LINT.check(
                List.of(SourceText.of("b.yaml", bad), SourceText.of("a.yaml", bad), SourceText.of("c.yaml", "")));
        assertThat(found)
                .extracting(each -> each.finding().location().toString())
                .containsExactly("b.yaml:2", "a.yaml:2");
        assertThat(found.getFirst())
                .hasToString("b.yaml:2:1: kind: no matches for kind \"ResourceClam\" in version \"resource.k8s.io/v1\""
                        + " (ResourceClam): did you mean ResourceClaim? [unknown-kind]");
    }

    @Test
    void appliesFeatureGatesToExpressionsAndFields() {
        String text = """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu}
                spec:
                  extendedResourceName: example.com/gpu
                  selectors: [{cel: {expression: device.allowMultipleAllocations}}]
                """;
        FeatureGates without = FeatureGates.of(KubernetesVersion.V1_36)
                .with(Feature.CONSUMABLE_CAPACITY, false)
                .with(Feature.EXTENDED_RESOURCE, false);
        assertThat(lint(LINT, text)).isEmpty();
        assertThat(lint(new ManifestLinter(without), text)).containsExactly("5:3 gate-off", "6:40 cel-compile");
    }

    @Test
    void evaluatesSelectorOnlyOnDevicesOfItsClass() {
        String slice = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %1$s-slice}
                spec:
                  driver: %1$s.example.com
                  nodeName: node-1
                  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
                  devices: [{name: a, attributes: {%2$s: {int: 1}}}]
                """;
        String claim = """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu}
                spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec:
                  devices:
                    requests:
                    - name: a
                      exactly:
                        deviceClassName: gpu
                        selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].index == 1'}}]
                """;
        String gpu = slice.formatted("gpu", "index");
        String nic = slice.formatted("nic", "port");
        assertThat(lint(LINT, gpu, nic, claim)).isEmpty();
        assertThat(lint(LINT, gpu, nic, claim.replace("index ==", "minor =="))).containsExactly("15:28 selector-fails");
        assertThat(lint(LINT, gpu, nic, claim.replace("== 1", "== 2"))).containsExactly("15:28 never-matches");
        assertThat(lint(LINT, gpu, nic, claim.replace("deviceClassName: gpu", "deviceClassName: other")))
                .as("a class that is not among the manifests may keep the others away")
                .containsExactly("14:9 unknown-class");
    }

    @Test
    void reportsCapacityNameThatCannotBePublished() {
        assertThat(lint(LINT, """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec:
                  devices:
                    requests:
                    - name: r
                      exactly: {deviceClassName: gpu, capacity: {requests: {gpu.example.com/memory: 1, "MEM ORY": 1}}}
                """)).containsExactly("7:7 impossible-name");
    }

    @Test
    void reportsInvalidAmountsAndComparisonsOfSlice() {
        assertThat(lint(LINT, """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: rack}
                spec:
                  driver: gpu.example.com
                  perDeviceNodeSelection: true
                  pool: {name: rack, generation: 1, resourceSliceCount: 2}
                  devices:
                  - name: gpu-0
                    nodeSelector:
                      nodeSelectorTerms:
                      - matchExpressions:
                        - {key: rack, operator: In, values: [a]}
                        - {key: rack, operator: Lt, values: [a]}
                    consumesCounters: [{counterSet: set, counters: {memory: {value: "-1"}}}]
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: counters}
                spec:
                  driver: gpu.example.com
                  nodeName: node-1
                  pool: {name: rack, generation: 1, resourceSliceCount: 2}
                  sharedCounters: [{name: set, counters: {memory: {value: 8}, slices: {value: "-3"}}}]
                """))
                .containsExactly("9:5 negative-amount", "14:37 node-comparison", "17:1 negative-amount");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "apps/v1, Deployment, spec.template.spec",
        "apps/v1, StatefulSet, spec.template.spec",
        "apps/v1, DaemonSet, spec.template.spec",
        "apps/v1, ReplicaSet, spec.template.spec",
        "batch/v1, Job, spec.template.spec",
        "batch/v1, CronJob, spec.jobTemplate.spec.template.spec"
    })
    void lintsPodTemplateOfWorkload(String version, String kind, String path) {
        var text = new StringBuilder("apiVersion: %s%nkind: %s%nmetadata: {name: w}%n".formatted(version, kind));
        String indent = "";
        for (String field : path.split("\\.", -1)) {
            text.append("%s%s:%n".formatted(indent, field));
            indent += "  ";
        }
        int line = 4 + path.split("\\.", -1).length;
        text.append("%sresourceClaims: [{name: gpus, resourceClaimTemplateName: gpus}]%n".formatted(indent));
        text.append("%scontainers: [{name: a, image: a, resources: {claims: [{name: gpu}]}}]%n".formatted(indent));
        assertThat(lint(LINT, text.toString()))
                .contains(
                        "%d:%d unused-claim".formatted(line, indent.length() + 18),
                        "%d:%d unknown-claim".formatted(line + 1, indent.length() + 55));
    }
}
