package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.scenarios.validity.Rule;
import dev.claimstream.scenarios.validity.Validator;
import dev.claimstream.scenarios.validity.Violation;
import dev.claimstream.selectors.CelSelectors;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the validator with valid allocations, and with mutations that break one rule each. */
class ValidatorTest {
    /**
     * A mutation that breaks one rule.
     *
     * @param original text that occurs once in the file
     * @param replacement its replacement
     */
    private record Mutation(Rule rule, String original, String replacement) {
        @Override
        public String toString() {
            return "%s: %s -> %s".formatted(rule, original.strip(), replacement.strip());
        }
    }

    static Stream<Mutation> breaks() {
        return Stream.of(
                new Mutation(Rule.ONE_ALLOCATION_EACH, "card, another-card]", "card, another-card, held]"),
                new Mutation(Rule.FEATURE_GATE, "DRAPrioritizedList: true", "DRAPrioritizedList: false"),
                new Mutation(Rule.FEATURE_GATE, "DRADerivedAttributes: true", "DRADerivedAttributes: false"),
                new Mutation(
                        Rule.REQUEST_KNOWN,
                        "device: disk-1} # the last",
                        "device: disk-1}\n"
                                + "          - {request: none, driver: gpu.example.com, pool: gpus, device: gpu-2}"),
                new Mutation(Rule.DEVICE_PUBLISHED, "device: gpu-0\n", "device: gpu-9\n"),
                new Mutation(
                        Rule.NODE_REACHED, "bindsToNode: true, allNodes: true", "bindsToNode: true, nodeName: node-2"),
                new Mutation(Rule.CLASS_SELECTOR, "startsWith(\"gpu\")", "startsWith(\"xpu\")"),
                new Mutation(Rule.REQUEST_SELECTOR, "serial == \"s3\"", "serial == \"s4\""),
                new Mutation(Rule.COUNT, "count: 2\n", "count: 3\n"),
                new Mutation(
                        Rule.ALL_DEVICES,
                        "          - {request: disks, driver: disk.example.com, pool: disks, device: disk-1} # the last\n",
                        ""),
                new Mutation(
                        Rule.ALTERNATIVE,
                        "device: disk-1} # the last",
                        "device: disk-1}\n"
                                + "          - {request: net/slow, driver: nic.example.com, pool: nics, device: nic-0,"
                                + " shareID: 00000000-0000-0000-0000-000000000004,"
                                + " consumedCapacity: {bandwidth: \"2\", queues: \"1\"}, skipNodeOperations: [\"*\"]}"),
                new Mutation(Rule.ADMIN_ACCESS, "device: gpu-3, adminAccess: true", "device: gpu-3"),
                new Mutation(Rule.TAINTS, "taints: [{key: repair", "taints: [{key: broken"),
                new Mutation(Rule.IN_USE, "pool: gpus, device: gpu-3}", "pool: gpus, device: gpu-1}"),
                new Mutation(Rule.ALLOCATED_TWICE, "pool: cards, device: card-1}", "pool: cards, device: card-0}"),
                new Mutation(Rule.SHARE_ID, "000000000003", "000000000002"),
                new Mutation(Rule.SHARE_ID, "000000000003", "000000000001"),
                new Mutation(Rule.SHARE_ID, "            shareID: 00000000-0000-0000-0000-000000000003\n", ""),
                new Mutation(Rule.CAPACITY, "bandwidth: {value: \"10\"", "bandwidth: {value: \"7\""),
                new Mutation(
                        Rule.CAPACITY,
                        "capacity: {requests: {bandwidth: \"3\"}}",
                        "capacity: {requests: {bandwidth: \"3\", lanes: \"1\"}}"),
                new Mutation(Rule.REQUEST_POLICY, "max: \"8\"", "max: \"3\""),
                new Mutation(Rule.CONSUMED_CAPACITY, "bandwidth: \"4\", queues", "bandwidth: \"3\", queues"),
                new Mutation(Rule.CONSUMED_CAPACITY, "bandwidth: \"4\", queues: \"1\"", "bandwidth: \"4\""),
                new Mutation(Rule.COUNTERS, "memory: {value: \"16\"", "memory: {value: \"15\""),
                new Mutation(Rule.COMPATIBILITY_GROUPS, "compatibilityGroups: [x]", "compatibilityGroups: [z]"),
                new Mutation(Rule.COMPATIBILITY_GROUPS, ", compatibilityGroups: [x]", ""),
                new Mutation(
                        Rule.MATCH_ATTRIBUTE,
                        "root: {string: p0}, serial: {string: s1}",
                        "root: {string: p1}, serial: {string: s1}"),
                new Mutation(Rule.MATCH_ATTRIBUTE, "root: {string: p0}, serial: {string: s1}", "serial: {string: s1}"),
                new Mutation(Rule.MATCH_ATTRIBUTE, "[l1, l2]", "[l2, l3]"),
                new Mutation(Rule.MATCH_ATTRIBUTE, "serial != \"s2\"", "serial == \"s0\""),
                new Mutation(Rule.DISTINCT_ATTRIBUTE, "serial: {string: s1}", "serial: {string: s0}"),
                new Mutation(Rule.NODE_SELECTOR, "values: [a]}]}]} # of nic", "values: [b]}]}]}"),
                new Mutation(Rule.CONFIG, "FromClass, requests: [gpus]", "FromClass, requests: [disks]"),
                new Mutation(
                        Rule.CONFIG,
                        "          - {source: FromClass, opaque: {driver: gpu.example.com, parameters: {of: class}}}\n",
                        "          - {source: FromClass, requests: [gpu], opaque: {driver: gpu.example.com, parameters: {of: class}}}\n"),
                new Mutation(Rule.TOLERATIONS, "[{key: repair, operator: Exists}] # of gpu-0", "[]"),
                new Mutation(Rule.BINDING_CONDITIONS, "bindingConditions: [ready] # of the result", ""),
                new Mutation(Rule.NODE_OPERATIONS, "status: {declaredFeatures: [DRAOptionalNodeOperations]}\n", ""),
                new Mutation(
                        Rule.NODE_OPERATIONS,
                        "# by default\n            skipNodeOperations: [\"*\"]",
                        "# by default\n            skipNodeOperations: []"));
    }

    @Test
    void acceptsValidAllocations() {
        assertThat(violations(text())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("breaks")
    void reportsOnlyBrokenRule(Mutation broken) {
        String text = text();
        assertThat(text.indexOf(broken.original))
                .as("it is there")
                .isNotNegative()
                .isEqualTo(text.lastIndexOf(broken.original));
        List<Violation> violations = violations(text.replace(broken.original, broken.replacement));
        assertThat(violations.stream().map(Violation::rule).distinct())
                .as(() -> violations.toString())
                .containsExactly(broken.rule);
    }

    @Test
    void rejectsMoreThan32DevicesForClaim() {
        String devices = IntStream.range(0, 33)
                .mapToObj(i -> "{name: d-%d, allNodes: true}".formatted(i))
                .collect(Collectors.joining(", "));
        String results = IntStream.range(0, 33)
                .mapToObj(i -> "{request: r, driver: card.example.com, pool: cards, device: d-%d}".formatted(i))
                .collect(Collectors.joining(", "));
        String text = """
                {apiVersion: v1, kind: Node, metadata: {name: node-1}}
                ---
                {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: any}, spec: {}}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: cards}
                spec:
                  driver: card.example.com
                  perDeviceNodeSelection: true
                  pool: {name: cards, generation: 1, resourceSliceCount: 1}
                  devices: [%s]
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec: {devices: {requests: [{name: r, exactly: {deviceClassName: any, count: 33}}]}}
                ---
                apiVersion: claimstream.dev/v1
                kind: Scenario
                metadata: {name: many}
                spec:
                  node: node-1
                  claims: [c]
                  expect: {results: [{claim: c, allocation: {devices: {results: [%s]}}}]}
                """.formatted(devices, results);
        assertThat(violations(text)).extracting(Violation::rule).containsExactly(Rule.RESULTS_MAX);
    }

    @Test
    void coversEveryRule() {
        Set<Rule> tried =
                breaks().map(Mutation::rule).collect(Collectors.toCollection(() -> EnumSet.of(Rule.RESULTS_MAX)));
        assertThat(tried).containsExactlyInAnyOrder(Rule.values());
    }

    private static List<Violation> violations(String text) {
        var in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        var read = new ScenarioReader(ReadOptions.DEFAULT.with(ReadOptions.Strictness.SERVED)).read("file", in);
        Scenario scenario = read.scenario().orElseThrow(() -> new IllegalStateException(read.errorText()));
        List<Allocation> allocations = ((Expectation.Allocated) scenario.expectation())
                .results().stream()
                        .map(Expectation.ExpectedAllocation::allocation)
                        .toList();
        FeatureGates features = FeatureGates.defaults().with(scenario.gates());
        return new Validator(scenario.objects(), features, new CelSelectors())
                .violations(scenario.node().orElseThrow(), scenario.claims(), allocations);
    }

    private static String text() {
        try (var in = Objects.requireNonNull(ValidatorTest.class.getResourceAsStream("validity/valid.yaml"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
