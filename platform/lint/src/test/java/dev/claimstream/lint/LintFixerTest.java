package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.source.SourceText;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the fixes, and that a fix changes no other part of the text. */
class LintFixerTest {
    private static final ManifestLinter LINT = new ManifestLinter(FeatureGates.defaults());

    private static String fix(String text) {
        LintFixer.FixResult fixed = LintFixer.fix("f.yaml", text);
        assertThat(LintFixer.fix("f.yaml", fixed.text())).as("a second time").satisfies(again -> {
            assertThat(again.isChanged()).isFalse();
            assertThat(again.text()).isEqualTo(fixed.text());
        });
        return fixed.text();
    }

    private static List<String> rules(String text) {
        return LINT.check(List.of(SourceText.of("f.yaml", text))).stream()
                .map(diagnosis -> diagnosis.rule().id())
                .toList();
    }

    @Test
    void keepsCommentsAndOrder() {
        assertThat(fix("""
                # before everything
                apiVersion: resource.k8s.io/v1   # served
                kind: ResourceClaim
                metadata:
                  name: gpus

                spec:
                  devices:
                    requests:
                    # the first
                    - name: a   # its name
                      # of which class
                      deviceClassName: gpu.example.com  # managed

                      selectors:
                      - cel:
                          expression: >-
                            device.driver == "gpu.example.com" &&
                            device.capacity["gpu.example.com"].memory >= quantity("40Gi")
                    # the second
                    - deviceClassName: nic.example.com
                      count: 2
                      name: b
                    # the end
                """)).isEqualTo("""
                # before everything
                apiVersion: resource.k8s.io/v1   # served
                kind: ResourceClaim
                metadata:
                  name: gpus

                spec:
                  devices:
                    requests:
                    # the first
                    - name: a   # its name
                      exactly:
                        # of which class
                        deviceClassName: gpu.example.com  # managed

                        selectors:
                        - cel:
                            expression: >-
                              device.driver == "gpu.example.com" &&
                              device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0
                    # the second
                    - name: b
                      exactly:
                        deviceClassName: nic.example.com
                        count: 2
                    # the end
                """);
    }

    @Test
    void keepsFlowStyle() {
        assertThat(fix("""
                {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a}, spec: {devices: {requests: [
                  {name: a, deviceClassName: g, count: 2}, {name: b, deviceClassName: h}]}}}
                """)).isEqualTo("""
                {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a}, spec: {devices: {requests: [
                  {name: a, exactly: {deviceClassName: g, count: 2}}, {name: b, exactly: {deviceClassName: h}}]}}}
                """);
    }

    @Test
    void keepsJson() {
        String text = """
                {
                    "apiVersion": "resource.k8s.io/v1beta1",
                    "kind": "ResourceClaim",
                    "metadata": {"name": "a"},
                    "spec": {
                        "devices": {
                            "requests": [
                                {
                                    "name": "a",
                                    "deviceClassName": "g",
                                    "count": 2
                                }
                            ]
                        }
                    }
                }
                """;
        assertThat(fix(text)).isEqualTo(text.replace("v1beta1", "v1").replace("""
                                    "deviceClassName": "g",
                                    "count": 2
                """, """
                                    "exactly": {
                                      "deviceClassName": "g",
                                      "count": 2
                                    }
                """));
    }

    @Test
    void keepsLineEndings() {
        String text = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: a}
                spec:
                  devices:
                    requests:
                    - name: a
                      deviceClassName: g
                      count: 2
                """;
        assertThat(fix(text.replace("\n", "\r\n"))).isEqualTo(fix(text).replace("\n", "\r\n"));
    }

    @Test
    void mergesAnyOfConstraintIntoOneRequest() {
        assertThat(fix("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: t}
                spec:
                  spec:
                    devices:
                      requests:
                      - name: nic
                        exactly: {deviceClassName: nic.example.com}
                      - name: big
                        deviceClassName: gpu.example.com
                        count: 1
                      # or
                      - name: small
                        exactly:
                          deviceClassName: gpu.example.com
                          count: 2
                      constraints:
                      - requests: [big, small]
                        anyOf: true
                      - requests: [big, nic]
                        matchAttribute: resource.kubernetes.io/pcieRoot
                      config: []
                """)).isEqualTo("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: t}
                spec:
                  spec:
                    devices:
                      requests:
                      - name: nic
                        exactly: {deviceClassName: nic.example.com}
                      - name: big-or-small
                        firstAvailable:
                        - name: big
                          deviceClassName: gpu.example.com
                          count: 1
                        # or
                        - name: small
                          deviceClassName: gpu.example.com
                          count: 2
                      constraints:
                      - requests: [big-or-small/big, nic]
                        matchAttribute: resource.kubernetes.io/pcieRoot
                      config: []
                """);
    }

    @Test
    void movesConstraintsToExistingList() {
        assertThat(fix("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec:
                  devices:
                    requests:
                    - name: a
                      exactly:
                        deviceClassName: g
                        constraints:
                        - matchAttribute: example.com/root  # one
                    - name: b
                      constraints: [{requests: [a, b], distinctAttribute: example.com/card}]
                      exactly: {deviceClassName: h}
                    constraints:
                      - requests: [b]
                        matchAttribute: example.com/numa
                """)).isEqualTo("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec:
                  devices:
                    requests:
                    - name: a
                      exactly:
                        deviceClassName: g
                    - name: b
                      exactly: {deviceClassName: h}
                    constraints:
                      - requests: [b]
                        matchAttribute: example.com/numa
                      - requests: [a]
                        matchAttribute: example.com/root  # one
                      - requests: [a, b]
                        distinctAttribute: example.com/card
                """);
    }

    @Test
    void convertsClassAndClaimOfV1alpha2() {
        String text = fix("""
                # the class
                apiVersion: resource.k8s.io/v1alpha2 # old
                kind: ResourceClass
                metadata:
                  name: big
                structuredParameters:
                  generatedFrom: {driverName: gpu.example.com}
                ---
                apiVersion: resource.k8s.io/v1alpha2
                kind: ResourceClaim
                metadata:
                  name: four
                spec:
                  resourceClassName: big
                  parameters:
                    count: 4
                """);
        assertThat(text).isEqualTo("""
                # the class
                apiVersion: resource.k8s.io/v1 # old
                kind: DeviceClass
                metadata:
                  name: big
                spec:
                  selectors:
                  - cel:
                      expression: device.driver == "gpu.example.com"
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata:
                  name: four
                spec:
                  devices:
                    requests:
                    - name: device
                      exactly:
                        deviceClassName: big
                        count: 4
                """);
        assertThat(rules(text)).isEmpty();
    }

    @Test
    void convertsV1beta1Objects() {
        String text = fix("""
                apiVersion: v1
                kind: List
                items:
                - apiVersion: resource.k8s.io/v1beta1
                  kind: ResourceSlice
                  metadata: {name: s}
                  spec:
                    driver: gpu.example.com
                    nodeName: node-1
                    pool: {name: node-1, generation: 1, resourceSliceCount: 1}
                    devices:
                    - name: gpu-0
                      basic: # what it has
                        attributes:
                          model: a100
                          index: 0
                          memory: {quantity: 80Gi}
                - apiVersion: resource.k8s.io/v1beta1
                  kind: ResourceClaim
                  metadata: {name: c}
                  spec: {devices: {requests: [{name: a, deviceClassName: example.com/gpu}]}}
                """);
        assertThat(text).contains("""
                    - name: gpu-0
                      # what it has
                      attributes:
                        model: {string: a100}
                        index: {int: 0}
                      capacity:
                        memory: {value: 80Gi}
                """).contains("{name: a, exactly: {deviceClassName: gpu.example.com}}");
        assertThat(rules(text)).isEmpty();
    }

    static Stream<Arguments> expressions() {
        return Stream.of(
                Arguments.of(
                        "'device.attributes[\"d.example.com/model\"].stringValue == \"it''s\"'",
                        "'device.attributes[\"d.example.com\"].model == \"it''s\"'"),
                Arguments.of(
                        "\"device.capacity[\\\"d\\\"].memory > quantity(\\\"1Gi\\\") || device.driver == \\\"d\\\"\"",
                        "\"device.capacity[\\\"d\\\"].memory.compareTo(quantity(\\\"1Gi\\\")) > 0 || device.driver == \\\"d\\\"\""),
                Arguments.of(
                        "device.attributes[\"d\"].memory >= quantity(\"1Gi\")",
                        "device.capacity[\"d\"].memory.compareTo(quantity(\"1Gi\")) >= 0"),
                Arguments.of(
                        "device.attributes[\"d/memory\"].quantity >= quantity('1Gi')",
                        "device.capacity[\"d\"].memory.compareTo(quantity('1Gi')) >= 0"),
                Arguments.of(
                        "semver(\"8.0.0\") <= device.attributes.d.cuda",
                        "semver(\"8.0.0\").compareTo(device.attributes.d.cuda) <= 0"),
                Arguments.of(
                        "\"!(device.attributes['d'].x.string == 'a') && device.capacity['d'].m.value.isGreaterThan(quantity('1'))\"",
                        "\"!(device.attributes['d'].x == 'a') && device.capacity['d'].m.isGreaterThan(quantity('1'))\""));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("expressions")
    void fixesExpressionInsideItsQuotes(String wrong, String right) {
        assertThat(fix(classWithExpression(wrong))).isEqualTo(classWithExpression(right));
    }

    private static String classWithExpression(String expression) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: c}
                spec:
                  selectors:
                  - cel:
                      expression: %s # which
                """.formatted(expression);
    }

    static Stream<Arguments> expressionsThatAreLeft() {
        return Stream.of(
                Arguments.of("1 + device.capacity['d'].m > quantity('1')"),
                Arguments.of("device.attributes['d']['gpu-model'] == 'a'"),
                Arguments.of("device.attributes['d/gpu-model'].stringValue == 'a'"),
                Arguments.of("device.driver == 'example.com/gpu'"),
                Arguments.of("device.attributes['d'].x.exists(y, y == 'a')"),
                Arguments.of("device.attributes['d'].version.major() > 1"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("expressionsThatAreLeft")
    void keepsAmbiguousExpressions(String expression) {
        String text = classWithExpression("\"" + expression + "\"");
        assertThat(fix(text)).isEqualTo(text);
    }

    static Stream<Arguments> untouched() {
        return Stream.of(
                Arguments.of("aliases", """
                        apiVersion: resource.k8s.io/v1
                        kind: ResourceClaim
                        metadata: {name: c}
                        spec: {devices: {requests: [&a {name: a, deviceClassName: g}, *a]}}
                        """),
                Arguments.of("another kind", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"),
                Arguments.of("what is no manifest", "just a text\n"),
                Arguments.of("what cannot be read", "a: [\n"),
                Arguments.of("nothing", ""),
                Arguments.of("two containers", """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: p}
                        spec:
                          resourceClaims: [{name: a, resourceClaimName: a}]
                          containers: [{name: x, image: i}, {name: y, image: i}]
                        """));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("untouched")
    void keepsUnsupportedText(String name, String text) {
        assertThat(fix(text)).as(name).isEqualTo(text);
    }

    @Test
    void fixesEachObjectOfList() {
        String claims = """
                apiVersion: v1
                kind: List
                items:
                # the first
                - apiVersion: resource.k8s.io/v1
                  kind: ResourceClaim
                  metadata: {name: a}
                  spec: {devices: {requests: [{name: r, deviceClassName: c}]}}
                  # behind the first
                -   apiVersion: resource.k8s.io/v1
                    kind: ResourceClaim
                    metadata: {name: b}
                    spec:
                      devices:
                        requests:
                        - name: r
                          deviceClassName: c  # of b""";
        assertThat(fix(claims))
                .isEqualTo(claims.replace("{name: r, deviceClassName: c}", "{name: r, exactly: {deviceClassName: c}}")
                        .replace("deviceClassName: c  # of b", "exactly:\n            deviceClassName: c  # of b"));
    }

    @Test
    void fixesObjectsOfJsonListOnOneOrManyLines() {
        String item =
                "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceClaim\", \"metadata\": {\"name\": \"%s\"},"
                        + " \"spec\": {\"devices\": {\"requests\": [{\"name\": \"r\", \"deviceClassName\": \"c\"}]}}}";
        String right = item.replace("\"deviceClassName\": \"c\"", "\"exactly\": {\"deviceClassName\": \"c\"}");
        for (String separator : List.of(", ", ",\n\t", ",\r\n  ")) {
            String list = "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [%s" + separator + "%s]}";
            assertThat(fix(list.formatted(item.formatted("a"), item.formatted("b"))))
                    .isEqualTo(list.formatted(right.formatted("a"), right.formatted("b")));
        }
    }

    @Test
    void keepsMisplacedFieldOfJsonAsFinding() {
        String json = """
                {
                    "apiVersion": "resource.k8s.io/v1",
                    "kind": "ResourceClaim",
                    "metadata": {"name": "a"},
                    "spec": {
                        "devices": {
                            "requests": [{
                                "name": "r",
                                "exactly": {"deviceClassName": "c", "tolerations": [{"key": "a", "operator": "Exists"}]},
                                "tolerations": [{"key": "b", "operator": "Exists"}]
                            }],
                            "adminAccess": true
                        },
                        "constraints": [{"matchAttribute": "a.b/c"}]
                    }
                }
                """;
        assertThat(fix(json)).isEqualTo(json);
        assertThat(rules(json)).containsExactlyInAnyOrder("flat-request", "misplaced-field", "misplaced-field");
    }

    @Test
    void keepsTextWithVariables() {
        String text = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: gpu-$INDEX}
                spec: {devices: {requests: [{name: r, deviceClassName: c}]}}
                """;
        assertThat(fix(text)).isEqualTo(text);
        assertThat(rules(text)).containsExactly("unrendered-template");
    }

    @Test
    @Timeout(60)
    void fixesManyObjectsInTimeThatGrowsWithTheirNumber() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            text.append("""
                    ---
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceClaim
                    metadata: {name: claim-%d}
                    spec:
                      devices:
                        requests:
                        - name: a
                          exactly: {deviceClassName: c, count: 1}
                          count: 2
                        - name: b
                          deviceClassname: c
                    """.formatted(i));
        }
        LintFixer.FixResult fixed = LintFixer.fix("f.yaml", text.toString());
        assertThat(fixed.counts())
                .containsOnly(Map.entry(LintRule.MISSPELT_FIELD, 3_000), Map.entry(LintRule.FLAT_REQUEST, 3_000));
    }

    @Test
    void correctsDocumentWithDirectiveForTags() {
        String text = """
                %TAG !e! tag:yaml.org,2002:
                ---
                apiVersion: resource.k8s.io/v1beta1
                kind: ResourceClaim
                metadata: {name: !e!str a}
                spec: {devices: {requests: [{name: r, deviceClassName: g}]}}
                """;
        assertThat(fix(text)).startsWith("%TAG !e! tag:yaml.org,2002:\n---\napiVersion: resource.k8s.io/v1\n");
    }
}
