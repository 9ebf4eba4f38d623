package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.source.SourceText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that mistakes are found, and that their remedy names the place or the spelling in v1. */
class MissedMistakesTest {
    private static final String HEAD = "apiVersion: resource.k8s.io/v1\nkind: %s\nmetadata: {name: a}\n";

    private static List<String> findings(String text) {
        return new ManifestLinter(FeatureGates.defaults())
                .check(List.of(SourceText.of("f.yaml", text))).stream()
                        .map(LintFinding::toString)
                        .toList();
    }

    @Test
    void keepsFieldsOfUnknownWrapper() {
        String pod = """
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec:
                  containers: [{name: c, image: i}]
                  priorityClass: high
                  affinity:
                    podAntiAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                      - podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {}}
                """;
        assertThat(findings(pod))
                .anySatisfy(found -> assertThat(found)
                        .contains("podAffinityTerm: unknown field: write its fields in its place: topologyKey"))
                .anySatisfy(found -> assertThat(found)
                        .contains("spec.priorityClass: unknown field: did you mean priorityClassName?"));
    }

    @Test
    void reportsEmptyClassOfOneRequestThatIsReplaceableInAnother() {
        String slice = HEAD.formatted("ResourceSlice") + """
            spec:
              driver: gpu.example.com
              nodeName: node
              pool: {name: node, generation: 1, resourceSliceCount: 1}
              devices: [{name: d}]
            ---
            """;
        String classes = HEAD.formatted("DeviceClass").replace("name: a", "name: none") + """
                spec: {selectors: [{cel: {expression: 'device.driver == "tpu.example.com"'}}]}
                ---
                """
                + HEAD.formatted("DeviceClass").replace("name: a", "name: gpu") + """
                spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
                ---
                """;
        String first = HEAD.formatted("ResourceClaim") + """
            spec:
              devices:
                requests:
                - name: r
                  firstAvailable: [{name: x, deviceClassName: none}, {name: z, deviceClassName: gpu}]
            """;
        String exactly = "---\n" + HEAD.formatted("ResourceClaim").replace("name: a", "name: b")
                + "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: none}}]}}\n";
        assertThat(findings(slice + classes + first)).isEmpty();
        assertThat(findings(slice + classes + first + exactly))
                .singleElement()
                .asString()
                .contains("never-matches");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpu-rdma.example.com|device.driver == \"gpu.example.com\"",
                "a|device.attributes[\"gpu.example.com\"].rdmaCapable",
                "gpu-vf.intel.com|device.driver == \"gpu.intel.com\"",
                "harmonic|device.driver == \"hydra.netcom.example.com\""
            })
    void reportsUnusedClaimOfAccelerator(String name, String expression) {
        assertThat(pod("c", name, expression)).singleElement().asString().contains("no container gets them");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sriov-vf|device.driver != \"a.example.com\"",
                "a|device.driver == \"sriovnetwork.k8snetworkplumbingwg.io\"",
                "mlnx.rdma|device.attributes[\"a.example.com\"].rdma"
            })
    void warnsAboutUnusedClaimOfNetworkDevice(String name, String expression) {
        assertThat(pod("c", name, expression)).singleElement().asString().contains("warning", "network");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a|device.driver == \"dra.net\"",
                "mlnx.rdma|device.attributes[\"dra.net\"].rdma",
                "multinic|device.driver != \"a.example.com\"",
                "dra.net|device.driver != \"a.example.com\""
            })
    void acceptsUnusedClaimOfSandbox(String name, String expression) {
        assertThat(pod("c", name, expression)).isEmpty();
    }

    @Test
    void doesNotInferNetworkFromNameOfPodClaim() {
        assertThat(findings(podText("neural-net")))
                .singleElement()
                .asString()
                .doesNotContain("act on the network", "acts on the network");
    }

    private static List<String> pod(String claim, String className, String expression) {
        return findings(HEAD.formatted("DeviceClass").replace("name: a", "name: " + className)
                + "spec:\n  selectors:\n  - cel:\n      expression: " + expression + "\n---\n"
                + HEAD.formatted("ResourceClaimTemplate").replace("name: a", "name: t")
                + "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: " + className
                + "}}]}}}\n---\n"
                + podText(claim));
    }

    private static String podText(String claim) {
        return """
            apiVersion: v1
            kind: Pod
            metadata: {name: p}
            spec:
              containers: [{name: m, image: i}]
              resourceClaims: [{name: %s, resourceClaimTemplateName: t}]
            """.formatted(claim);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{name: a, exactly: {deviceClassName: g, cuont: 1}}|did you mean count?",
                "{name: a, exactly: {deviceClassName: g, conut: 1}}|did you mean count?",
                "{name: a, exactly: {deviceClassName: g, toleration: []}}|did you mean tolerations?",
                "{nmae: a, exactly: {deviceClassName: g}}|did you mean name?"
            })
    void namesFieldWithExchangedLetters(String request, String remedy) {
        String text = HEAD.formatted("ResourceClaim") + "spec: {devices: {requests: [" + request + "]}}\n";
        assertThat(findings(text)).anySatisfy(found -> assertThat(found).contains(remedy));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ResourceClaim|devices: {requests: []}|put it under spec:",
                "ResourceClaimTemplate|devices: {requests: []}|put it under spec.spec:",
                "ResourceClaimTemplate|spec: {requests: []}|put it under spec.spec.devices:",
                "ResourceClaimTemplate|spec: {constraints: []}|put it under spec.spec.devices:",
                "ResourceClaim|spec: {devices: {matchAttribute: a/b}}|put it into a constraint",
                "ResourceClaim|spec: {devices: {opaque: {driver: x}}}|put it into a configuration",
                "ResourceClaim|spec: {devices: {cuont: 3}}|did you mean count? Put it into a request",
            })
    void namesPlaceOfMisplacedField(String kind, String field, String remedy) {
        assertThat(findings(HEAD.formatted(kind) + field + "\n"))
                .anySatisfy(found -> assertThat(found).contains("unknown field").contains(remedy))
                .noneSatisfy(found -> assertThat(found).contains("leave it out"));
    }

    @Test
    void namesPlaceOfClaimsInContainer() {
        assertThat(findings("""
            apiVersion: v1
            kind: Pod
            metadata: {name: p}
            spec:
              containers:
              - {name: c, image: i, claims: [{name: g}], resourceClaims: []}
            """))
                .anySatisfy(found -> assertThat(found).contains("].claims: unknown field: put it under resources:"))
                .anySatisfy(
                        found -> assertThat(found).contains("].resourceClaims: unknown field: put it under spec of"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "device.driver <> \"a.example.com\"|CEL has no operator <>: write !=",
                "device.capacity[\"a.b\"].m > 10|compare with a.compareTo(b) >= 0",
            })
    void explainsOperatorThatCelLacks(String expression, String remedy) {
        assertThat(findings(HEAD.formatted("DeviceClass") + "spec:\n  selectors:\n  - cel:\n      expression: "
                        + expression + "\n"))
                .singleElement()
                .asString()
                .contains(remedy);
    }
}
