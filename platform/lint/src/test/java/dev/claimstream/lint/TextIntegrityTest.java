package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.source.SourceText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a fix neither repeats a field nor loses a comment or a line break of a text. */
class TextIntegrityTest {
    private static final String CLAIM = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\n";
    private static final String CLASS = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n";
    private static final String OLD = "apiVersion: resource.k8s.io/v1alpha2\n";

    private static String fix(String text) {
        String fixed = LintFixer.fix("f.yaml", text).text();
        assertThat(LintFixer.fix("f.yaml", fixed).text()).as("a second time").isEqualTo(fixed);
        return fixed;
    }

    private static List<String> findings(String text) {
        return new ManifestLinter(FeatureGates.defaults())
                .check(List.of(SourceText.of("f.yaml", text))).stream()
                        .map(LintFinding::toString)
                        .toList();
    }

    @Test
    void correctsCapitalsBeforeUnusedClaim() {
        String pod = """
            apiVersion: v1
            kind: Pod
            metadata: {name: p}
            spec:
              containers:
              - name: c
                image: i
                Resources:
                  Claims: [{name: g}]
              resourceClaims: [{name: g, resourceClaimName: x}, {name: h, resourceClaimName: y}]
            """;
        assertThat(fix(pod)).isEqualTo(pod.replace("Resources:", "resources:").replace(" Claims:", " claims:"));
    }

    @Test
    void correctsCapitalsBeforeMisplacedFields() {
        assertThat(fix(CLAIM + """
            spec:
              Devices:
                requests:
                - name: a
                  Exactly: {deviceClassName: g}
                  count: 2
              constraints:
              - matchAttribute: a.example.com/b
            """)).isEqualTo(CLAIM + """
                spec:
                  devices:
                    requests:
                    - name: a
                      exactly: {deviceClassName: g, count: 2}
                    constraints:
                    - matchAttribute: a.example.com/b
                """);
        assertThat(fix(CLASS + """
            Metadata: {name: c}
            labels: {a: b}
            """)).isEqualTo(CLASS + """
                metadata: {name: c, labels: {a: b}}
                """);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Spec: {devices: {requests: []}}\nspec: {devices: {requests: []}}\n",
                "SPEC: {devices: {requests: []}}\nSpec: {}\n",
                "SPEC: {devices: {requests: []}}\nSpec: {}\ncount: 2\n",
                "spec: {devices: {requests: [{name: a, exactly: {deviceClassName: g, Count: 3, count: 2}}]}}\n",
            })
    void changesNothingIfTwoFieldsDifferInCapitals(String spec) {
        assertThat(fix(CLAIM + spec)).isEqualTo(CLAIM + spec);
    }

    @Test
    void namesOtherFieldOfTheSameName() {
        String text =
                CLAIM + "spec: {devices: {requests: [{name: a, exactly: {deviceClassName: g, Count: 3, count: 2}}]}}\n";
        assertThat(findings(text))
                .singleElement()
                .asString()
                .startsWith("f.yaml:4:")
                .contains("exactly.Count: unknown field: did you mean count? count is there too: leave one of the two"
                        + " out");
    }

    @Test
    void changesNoCapitalsInObjectsWithAliases() {
        String text = CLAIM + """
            spec:
              devices:
                requests:
                - {name: a, Exactly: &e {deviceClassName: g}}
                - {name: b, exactly: *e}
            """;
        assertThat(fix(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                """
                requests:
                - name: a
                  # deviceClassName: g
                  # count: 1
                  constraints: # of a
                  - matchAttribute: a.example.com/b
                  exactly:
                    deviceClassName: g
                    count: 1
                """,
                """
                requests:
                - name: a
                  constraints:
                  # matchAttribute
                  - matchAttribute: a.example.com/b # matchAttribute
                  exactly: {deviceClassName: g}
                """,
            })
    void keepsFieldsWhoseCommentsWouldBeLost(String devices) {
        String text = CLAIM + "spec:\n  devices:\n" + devices.indent(4);
        assertThat(fix(text)).isEqualTo(text);
    }

    @Test
    void keepsCommentOfMovedQuantity() {
        String text = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: s}
            spec:
              driver: a.example.com
              nodeName: n
              pool: {name: n, generation: 1, resourceSliceCount: 1}
              devices:
              - name: d
                attributes:
                  model: {string: A}
                  # memory 40Gi
                  memory: {quantity: 40Gi} # memory
            """;
        assertThat(fix(text)).isEqualTo(text);
    }

    @Test
    void keepsCommentsOfClaimSource() {
        String text = """
            apiVersion: v1
            kind: Pod
            metadata: {name: p}
            spec:
              containers: [{name: c, image: i, resources: {claims: [{name: g}]}}]
              resourceClaims:
              - name: g
                source: # g
                  # name
                  resourceClaimName: x
            """;
        assertThat(fix(text)).isEqualTo(text);
    }

    @Test
    void keepsCommentsOfConvertedClaim() {
        assertThat(fix(OLD + """
            kind: ResourceClaim
            metadata: {name: a}
            spec:
              # gpu device
              resourceClassName: gpu # device gpu
            """)).isEqualTo(CLAIM + """
                spec:
                  # gpu device
                  devices:
                    requests:
                    - name: device
                      exactly:
                        deviceClassName: gpu
                  # device gpu
                """);
    }

    @Test
    void keepsScalarsOverSeveralLinesBetweenBraces() {
        String text = CLAIM + """
            spec:
              devices:
                requests:
                - {name: d, deviceClassName: g, selectors: [{cel: {expression: "device.driver == 'a\\
                    b.example.com'

                    || true"}}]}
            """;
        assertThat(fix(text)).isEqualTo(text);
    }

    @Test
    void convertsWholeClassWithCommentBelowKind() {
        assertThat(fix(OLD + """
            kind: ResourceClass
            # the ResourceClass of a team

            metadata:
              name: g
            driverName: gpu.example.com
            """)).isEqualTo("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                # the ResourceClass of a team

                metadata:
                  name: g
                spec:
                  selectors:
                  - cel:
                      expression: device.driver == "gpu.example.com"
                """);
        String folded = """
                apiVersion: resource.k8s.io/v1alpha2
                kind:
                  ResourceClass
                metadata: {name: g}
                driverName: d.example.com
                """;
        assertThat(fix(folded)).isEqualTo(folded);
    }
}
