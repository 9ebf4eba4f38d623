package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.Manifest.CelExpression.ExpressionUsage;
import dev.claimstream.manifests.ReadOptions.Strictness;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how {@code derivedAttributes} of requests and alternatives are read and validated. */
class DerivedAttributeReaderTest {
    private static final DerivedAttribute NUMA = new DerivedAttribute("derived/numa", "1");
    private static final String UNUSED =
            "Invalid value: must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this"
                    + " request (derived/numa)";

    private static List<String> findingsOf(String attributes) {
        return ManifestFixtures.findingsInDevices(
                "{requests: [{name: a, exactly: {deviceClassName: g, derivedAttributes: [%s]}}],".formatted(attributes)
                        + " constraints: [{matchAttribute: derived/numa}]}");
    }

    private static ResourceClaim claim(String version, String request) {
        return ManifestFixtures.readSingle(ResourceClaim.class, """
                apiVersion: resource.k8s.io/%s
                kind: ResourceClaim
                metadata: {name: c, namespace: ns}
                spec:
                  devices:
                    requests: [%s]
                    constraints: [{matchAttribute: derived/numa}]
                """.formatted(version, request));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta2"})
    void readsDerivedAttributesOfRequest(String version) {
        ResourceClaim claim = claim(
                version,
                "{name: a, exactly: {deviceClassName: g, derivedAttributes: [{name: derived/numa, expression: '1'}]}}");
        assertThat(claim.spec().requests())
                .singleElement()
                .isInstanceOfSatisfying(
                        DeviceRequest.Exactly.class,
                        exactly ->
                                assertThat(exactly.spec().derivedAttributes()).containsExactly(NUMA));
    }

    @Test
    void readsDerivedAttributesOfFlatRequest() {
        ResourceClaim claim = claim(
                "v1beta1", "{name: a, deviceClassName: g, derivedAttributes: [{name: derived/numa, expression: '1'}]}");
        assertThat(claim.spec().requests())
                .singleElement()
                .isInstanceOfSatisfying(
                        DeviceRequest.Exactly.class,
                        exactly ->
                                assertThat(exactly.spec().derivedAttributes()).containsExactly(NUMA));
    }

    @Test
    void readsDerivedAttributesOfEachAlternative() {
        ResourceClaim claim = claim(
                "v1",
                "{name: a, firstAvailable: [{name: x, deviceClassName: g}, {name: z, deviceClassName: g, derivedAttributes:"
                        + " [{name: derived/numa, expression: '1'}]}]}");
        assertThat(claim.spec().requests())
                .singleElement()
                .isInstanceOfSatisfying(
                        DeviceRequest.FirstAvailable.class,
                        first -> assertThat(first.alternatives())
                                .extracting(DeviceRequest.Alternative::spec)
                                .extracting(RequestSpec::derivedAttributes)
                                .containsExactly(List.of(), List.of(NUMA)));
    }

    @Test
    void marksExpressionAsDerivedAttribute() {
        ManifestReadResult reading = Manifests.read("f.yaml", """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec:
                  devices:
                    requests:
                    - name: a
                      exactly:
                        deviceClassName: g
                        derivedAttributes:
                        - name: derived/numa
                          expression: device.driver
                    constraints: [{matchAttribute: derived/numa}]
                """);
        String field = "spec.devices.requests[0].exactly.derivedAttributes[0].expression";
        Manifest manifest = reading.manifests().getFirst();
        assertThat(manifest.expressions())
                .containsExactly(new Manifest.CelExpression(field, ExpressionUsage.DERIVED_ATTRIBUTE, "device.driver"));
        assertThat(manifest.locationOf(field).line()).isEqualTo(12);
    }

    @Test
    void rejectsMoreThan32DerivedAttributes() {
        String many = IntStream.range(0, 33)
                .mapToObj("{name: derived/n%d, expression: '1'}"::formatted)
                .collect(Collectors.joining(","));
        assertThat(findingsOf(many))
                .singleElement()
                .asString()
                .contains("exactly.derivedAttributes: Too many: must have at most 32 items (33)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{expression: '1'} | [0].name: Required value",
                "{name: derived/numa} | [0].expression: Required value",
                "{name: derived/numa, expression: ''} | [0].expression: Required value",
                "{name: derived/numa, expression: '1', value: 1} | [0].value: unknown field",
                "{name: derived/numa, expression: 1} | [0].expression: expected a text",
                "{name: derived/numa, expression: '1'}, {name: derived/numa, expression: '2'} | [1]: Duplicate value",
            })
    void reportsInvalidDerivedAttribute(String attributes, String finding) {
        assertThat(findingsOf(attributes)).first().asString().contains("exactly.derivedAttributes" + finding);
    }

    @Test
    void rejectsNameWithoutDomain() {
        assertThat(ManifestFixtures.findingsInDevices(
                        "{requests: [{name: a, exactly: {deviceClassName: g, derivedAttributes: [{name: numa,"
                                + " expression: '1'}]}}]}"))
                .first()
                .asString()
                .contains("a fully qualified name must be a domain and a name separated by a slash (numa)");
    }

    @Test
    void rejectsExpressionOver10Kibibytes() {
        assertThat(findingsOf("{name: derived/numa, expression: '%s'}".formatted("1".repeat(10 * 1024 + 1))))
                .singleElement()
                .asString()
                .contains("expression: Too long: may not be more than 10240 bytes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{matchAttribute: derived/numa}",
                "{distinctAttribute: derived/numa}",
                "{matchAttribute: derived/numa, requests: [a]}",
                "{matchAttribute: derived/numa, requests: [a/x]}",
                "{matchAttribute: derived/other}, {distinctAttribute: derived/numa, requests: [b, a/x]}",
            })
    void acceptsAttributeUsedByConstraintOnItsRequest(String constraints) {
        assertThat(findingsWithConstraints(constraints)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{matchAttribute: derived/other}",
                "{matchAttribute: derived/numa, requests: [b]}",
                "{matchAttribute: derived/numa, requests: [a/z]}",
                "{matchAttribute: derived/numa, requests: [b, a/z]}",
            })
    void rejectsAttributeWithoutConstraintOnItsRequest(String constraints) {
        assertThat(findingsWithConstraints(constraints))
                .singleElement()
                .asString()
                .contains("requests[0].firstAvailable[0].derivedAttributes[0].name: " + UNUSED)
                .endsWith(
                        "write devices.constraints[]: {requests: [a/x], matchAttribute: derived/numa}, or leave it out");
    }

    private static List<String> findingsWithConstraints(String constraints) {
        return ManifestFixtures.findingsInDevices(
                "{requests: [{name: a, firstAvailable: [{name: x, deviceClassName: g, derivedAttributes: [{name:"
                        + " derived/numa, expression: '1'}]}, {name: z, deviceClassName: g}]}, {name: b, exactly: {deviceClassName:"
                        + " g}}], constraints: [" + constraints + "]}");
    }

    @Test
    void keepsInvalidAttributeOfServedObject() {
        String text = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec: {devices: {requests: [{name: a, exactly: {deviceClassName: g, derivedAttributes: [{name: numa, expression: ''}]}}]}}
                """;
        ManifestReadResult reading = Manifests.read(
                "f.yaml",
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                ReadOptions.DEFAULT.with(Strictness.SERVED));
        assertThat(reading.hasErrors()).isFalse();
        assertThat(reading.objects())
                .singleElement()
                .isInstanceOfSatisfying(
                        ResourceClaim.class,
                        claim -> assertThat(claim.spec().requests())
                                .singleElement()
                                .isInstanceOfSatisfying(
                                        DeviceRequest.Exactly.class,
                                        exactly -> assertThat(exactly.spec().derivedAttributes())
                                                .containsExactly(new DerivedAttribute("numa", ""))));
    }

    @Test
    void rejectsDerivedAttributesOutsideExactly() {
        assertThat(ManifestFixtures.findingsInDevices("{requests: [{name: a, derivedAttributes: []}]}"))
                .first()
                .asString()
                .contains("derivedAttributes: unknown field: put it under exactly:");
    }
}
