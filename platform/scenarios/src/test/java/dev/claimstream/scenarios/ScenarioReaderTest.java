package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.ReadOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the fields and errors of a scenario document. */
class ScenarioReaderTest {
    private static final String CLAIM = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: c}
            spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
            ---
            """;

    private static ScenarioReader.ScenarioReadResult read(String spec) {
        String text =
                CLAIM + "apiVersion: claimstream.dev/v1\nkind: Scenario\nmetadata: {name: s}\nspec: " + spec + "\n";
        return readText(text);
    }

    private static ScenarioReader.ScenarioReadResult readText(String text) {
        var in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        return new ScenarioReader(ReadOptions.DEFAULT).read("file", in);
    }

    @Test
    void readsEveryField() {
        Scenario scenario =
                read("{node: node-1, policy: first-fit, features: {DRADeviceTaints: false}, claims: [c, team/d], expect: {error: x}}")
                        .scenario()
                        .orElseThrow();
        assertThat(scenario.name()).isEqualTo("s");
        assertThat(scenario.node()).contains("node-1");
        assertThat(scenario.policy()).contains(PlacementPolicy.FIRST_FIT);
        assertThat(scenario.gates()).containsOnly(Map.entry("DRADeviceTaints", false));
        assertThat(scenario.claims()).containsExactly(new ObjectKey("default", "c"), new ObjectKey("team", "d"));
        assertThat(scenario.expectation()).isEqualTo(new Expectation.Failed("x"));
        assertThat(scenario.objects()).hasSize(1);
    }

    @Test
    void setsLockedAndIgnoredGates() {
        Scenario scenario =
                read("{features: {DRAAdminAccess: false, DRASchedulerFilterTimeout: false}, claims: [c], expect: {error: x}}")
                        .scenario()
                        .orElseThrow();
        assertThat(scenario.gates())
                .containsOnly(Map.entry("DRAAdminAccess", false), Map.entry("DRASchedulerFilterTimeout", false));
    }

    @Test
    void comparesOnlySpecifiedAllocationFields() {
        Expectation devices = read("{claims: [c], expect: {results: [{claim: c, allocation: {devices: {}}}]}}")
                .scenario()
                .orElseThrow()
                .expectation();
        assertThat(devices)
                .isInstanceOfSatisfying(
                        Expectation.Allocated.class,
                        results -> assertThat(results.results().getFirst().parts())
                                .containsExactly(Expectation.AllocationField.DEVICES));
        Expectation nodes = read("{claims: [c], expect: {results: [{claim: c, allocation: {nodeSelector: null}}]}}")
                .scenario()
                .orElseThrow()
                .expectation();
        assertThat(nodes)
                .isInstanceOfSatisfying(
                        Expectation.Allocated.class,
                        results -> assertThat(results.results().getFirst().parts())
                                .containsExactly(Expectation.AllocationField.NODE_SELECTOR));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {expect: {doesNotFit: true}}                              | spec.claims: Required value
            {claims: [c]}                                             | spec.expect: Required value
            {claims: [c], expect: {}}                                 | exactly one of results, doesNotFit and error is expected, not 0
            {claims: [c], expect: {doesNotFit: true, error: x}}       | exactly one of results, doesNotFit and error is expected, not 2
            {claims: [c], expect: {doesNotFit: false}}                | must be true
            {claims: [c, c], expect: {doesNotFit: true}}              | the claim occurs twice
            {claims: [], expect: {doesNotFit: true}}                  | file:9: spec.claims: the list is empty: name the claims to decide, or a pod
            {claims: [c], expect: {results: [{claim: c, allocation: {}}, {claim: default/c, allocation: {}}]}} | spec.expect.results[1].claim: the claim occurs twice: leave one of the two out
            {claims: [c], policy: worst-fit, expect: {error: x}}      | policy worst-fit is not known
            {claims: [c], features: {DRANothing: true}, expect: {error: x}} | the feature gate is not known
            {claims: [c], features: {DRADeviceTaints: 1}, expect: {error: x}} | expected a boolean
            {claims: [c], nodes: [n], expect: {error: x}}             | spec.nodes: unknown field
            {claims: c, expect: {error: x}}                           | expected a list
            {claims: [c], expect: {results: [{claim: d, allocation: {}}]}} | must be one of spec.claims
            {claims: [c], expect: {results: [{claim: c}]}}            | spec.expect.results[0].allocation: Required value
            {claims: [c], expect: {results: [{claim: c, allocation: {devices: {results: [{request: x, driver: a, pool: p, device: d}]}}}]}} | must be the name of a request
            {claims: [c], expect: {results: [{claim: c, allocation: {device: {}}}]}} | unknown field
            """)
    void rejectsInvalidScenario(String spec, String message) {
        ScenarioReader.ScenarioReadResult read = read(spec);
        assertThat(read.scenario()).isEmpty();
        assertThat(read.errorText()).contains(message);
        assertThat(read.findings())
                .filteredOn(ManifestFinding::isError)
                .allSatisfy(finding -> assertThat(finding.remedy()).isNotEmpty());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {pod: missing, expect: {results: [{claim: c, allocation: {}}]}} | spec.pod: there is no Pod default/missing in the file
            {pod: p, expect: {doesNotFit: true}}                           | spec.node: there is no Node in the file
            {pod: p, node: node-9, expect: {doesNotFit: true}}             | spec.node: there is no Node node-9 in the file
            """)
    void reportsUnresolvablePodAsOnlyError(String spec, String message) {
        ScenarioReader.ScenarioReadResult read = readText(
                "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: m, image: i}]}\n---\n"
                        + "apiVersion: claimstream.dev/v1\nkind: Scenario\nmetadata: {name: s}\nspec: " + spec + "\n");
        assertThat(read.scenario()).isEmpty();
        assertThat(read.errorText()).contains(message).hasLineCount(1);
    }

    @Test
    void rejectsFileWithoutExactlyOneScenario() {
        assertThat(readText(CLAIM).errorText()).contains("there is no scenario in it");
        String one =
                "apiVersion: claimstream.dev/v1\nkind: Scenario\nmetadata: {name: s}\nspec: {claims: [c], expect: {error: x}}\n---\n";
        assertThat(readText(one + one).errorText()).contains("there are 2 scenarios in it");
    }

    @Test
    void coversEveryFieldInSchema() throws IOException {
        try (InputStream in = Objects.requireNonNull(Scenario.class.getResourceAsStream("scenario.schema.json"))) {
            String schema = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(schema)
                    .contains(
                            "\"node\"",
                            "\"policy\"",
                            "\"features\"",
                            "\"claims\"",
                            "\"expect\"",
                            "\"results\"",
                            "\"doesNotFit\"",
                            "\"error\"",
                            "\"claim\"",
                            "\"allocation\"",
                            "\"devices\"",
                            "\"nodeSelector\"");
            for (PlacementPolicy policy : PlacementPolicy.values()) {
                assertThat(schema).contains('"' + policy.text() + '"');
            }
        }
    }
}
