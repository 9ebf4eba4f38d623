package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the validation rules and messages of the API server for the {@code resource.k8s.io} group. */
class ApiLimitsTest {
    private static String repeated(int count, String each) {
        return IntStream.range(0, count)
                .mapToObj(i -> each.replace("#", Integer.toString(i)))
                .collect(Collectors.joining(","));
    }

    private static List<String> findingsInSlice(String rest) {
        return ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: d
                  pool: {name: p, generation: 1, resourceSliceCount: 1}
                %s
                """.formatted(rest.indent(2)));
    }

    private static List<String> findingsInDevice(String fields) {
        return findingsInSlice("allNodes: true\ndevices: [{name: a, %s}]".formatted(fields));
    }

    private static List<String> findingsInRequest(String fields) {
        return ManifestFixtures.findingsInDevices(
                "{requests: [{name: a, exactly: {deviceClassName: gpu, %s}}]}".formatted(fields));
    }

    private static void assertSingleFinding(List<String> findings, String end) {
        assertThat(findings).singleElement().asString().startsWith("f.yaml:").contains(end);
    }

    @Test
    void limitsListsOfClaim() {
        assertSingleFinding(
                ManifestFixtures.findingsInDevices(
                        "{requests: [%s]}".formatted(repeated(33, "{name: r#, exactly: {deviceClassName: g}}"))),
                "spec.devices.requests: Too many: must have at most 32 items (33): ");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices("{requests: [{name: a, firstAvailable: [%s]}]}"
                        .formatted(repeated(9, "{name: r#, deviceClassName: g}"))),
                "spec.devices.requests[0].firstAvailable: Too many: must have at most 8 items (9): ");
        assertSingleFinding(
                findingsInRequest("selectors: [%s]".formatted(repeated(33, "{cel: {expression: 'true'}}"))),
                "exactly.selectors: Too many: must have at most 32 items (33)");
        assertThat(findingsInRequest("tolerations: [%s]".formatted(repeated(17, "{operator: Exists}"))))
                .as("the API server does not count them")
                .isEmpty();
        assertSingleFinding(
                ManifestFixtures.findingsInDevices(
                        "{constraints: [%s]}".formatted(repeated(33, "{matchAttribute: a/b}"))),
                "spec.devices.constraints: Too many: must have at most 32 items (33)");
    }

    @Test
    void rejectsRequestThatIsNotExactlyOneType() {
        assertSingleFinding(
                ManifestFixtures.findingsInDevices("{requests: [{name: a}]}"),
                "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices(
                        "{requests: [{name: a, exactly: {deviceClassName: g}, firstAvailable: [{name: b,"
                                + " deviceClassName: g}]}]}"),
                "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices("{requests: [{name: a, firstAvailable: []}]}"),
                "firstAvailable: Required value");
    }

    @Test
    void rejectsCountThatContradictsAllocationMode() {
        assertSingleFinding(
                findingsInRequest("count: -1"),
                "exactly.count: Invalid value: must be greater than zero (-1): write 1 or more");
        assertSingleFinding(
                findingsInRequest("allocationMode: All, count: 2"),
                "exactly.count: Invalid value: must not be specified when allocationMode is 'All' (2)");
        assertSingleFinding(
                findingsInRequest("allocationMode: Some"),
                "exactly.allocationMode: Unsupported value: supported values: \"All\", \"ExactCount\" (Some)");
        assertSingleFinding(
                findingsInRequest("count: two"), "exactly.count: expected a whole number, found a text (two)");
        assertSingleFinding(
                findingsInRequest("count: \"2\""), "exactly.count: expected a whole number, found a text (2)");
        assertSingleFinding(
                findingsInRequest("count: 2.5"), "exactly.count: Invalid value: not a whole number of 64 bits (2.5)");
        assertSingleFinding(findingsInRequest("count: 99999999999999999999"), "not a whole number of 64 bits");
    }

    @Test
    void rejectsInvalidNames() {
        assertSingleFinding(
                ManifestFixtures.findingsInDevices("{requests: [{name: A_b, exactly: {deviceClassName: g}}]}"),
                "requests[0].name: Invalid value: a lowercase RFC 1123 label must consist of");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices("{requests: [{name: a, exactly: {deviceClassName: 'g/h'}}]}"),
                "deviceClassName: Invalid value: a lowercase RFC 1123 subdomain must");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices(
                        "{requests: [{name: %s, exactly: {deviceClassName: g}}]}".formatted("a".repeat(64))),
                "requests[0].name: Too long: may not be more than 63 bytes");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices(
                        "{requests: [{name: a, exactly: {deviceClassName: g}}, {name: a, exactly:"
                                + " {deviceClassName: g}}]}"),
                "spec.devices.requests[1]: Duplicate value (a)");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices("{constraints: [{matchAttribute: numa}]}"),
                "matchAttribute: Invalid value: a fully qualified name must be a domain and a name separated by a slash"
                        + " (numa): put the domain before it, for example gpu.example.com/numa");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices("{constraints: [{}]}"),
                "constraints[0]: Required value: exactly one of \"matchAttribute\" or \"distinctAttribute\"");
        assertSingleFinding(
                findingsInSlice("nodeName: Node_1"), "spec.nodeName: Invalid value: a lowercase RFC 1123 subdomain");
        assertSingleFinding(
                ManifestFixtures.findings(
                        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: c, namespace: n1},"
                                + " spec: {}}"),
                "metadata.namespace: Invalid value: not allowed on this type (n1)");
        assertSingleFinding(
                ManifestFixtures.findings(
                        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {}, spec: {}}"),
                "metadata.name: Required value: name or generateName is required");
        assertSingleFinding(
                ManifestFixtures.findings(
                        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: c, labels: {a:"
                                + " 'b c'}}, spec: {}}"),
                "metadata.labels[a]: Invalid value: a valid label must be an empty string or");
    }

    @Test
    void rejectsReferencesToUnknownRequests() {
        assertSingleFinding(
                ManifestFixtures.findingsInDevices(
                        "{requests: [{name: a, firstAvailable: [{name: b, deviceClassName: g}]}], constraints:"
                                + " [{requests: [a, a/b, a/c], matchAttribute: d/e}]}"),
                "spec.devices.constraints[0].requests[2]: Invalid value: must be the name of a request in the claim or"
                        + " the name of a request and a subrequest separated by '/' (a/c): write one of a, a/b");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices(
                        "{requests: [{name: a, exactly: {deviceClassName: g}}], config: [{requests: [a, a],"
                                + " opaque: {driver: d, parameters: {}}}]}"),
                "spec.devices.config[0].requests[1]: Duplicate value (a)");
    }

    @Test
    void limitsExpressionsAndParameters() {
        assertSingleFinding(findingsInRequest("selectors: [{}]"), "selectors[0].cel: Required value");
        assertSingleFinding(findingsInRequest("selectors: [{cel: {}}]"), "selectors[0].cel.expression: Required value");
        assertSingleFinding(
                findingsInRequest("selectors: [{cel: {expression: '%s'}}]".formatted("x".repeat(10_241))),
                "cel.expression: Too long: may not be more than 10240 bytes");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices(
                        "{config: [{opaque: {driver: d, parameters: {a: '%s'}}}]}".formatted("x".repeat(10_240))),
                "config[0].opaque.parameters: Too long: may not be more than 10240 bytes");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices("{config: [{opaque: {driver: d, parameters: 5}}]}"),
                "parameters: Invalid value: must be a valid JSON object");
        assertSingleFinding(
                ManifestFixtures.findingsInDevices("{config: [{opaque: {driver: d}}]}"), "parameters: Required value");
        assertSingleFinding(ManifestFixtures.findingsInDevices("{config: [{}]}"), "config[0].opaque: Required value");
    }

    @Test
    void rejectsSliceWithoutExactlyOneNodeScope() {
        assertSingleFinding(
                findingsInSlice("devices: []"),
                "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`,"
                        + " `perDeviceNodeSelection` is required");
        assertSingleFinding(
                findingsInSlice("allNodes: true\nnodeName: a"),
                "but multiple fields are set ({`nodeName`, `allNodes`})");
        assertSingleFinding(
                findingsInSlice("nodeName: a\nallNodes: false"),
                "spec.allNodes: Invalid value: must be either unset or set to true (false)");
        assertSingleFinding(
                findingsInSlice("nodeSelector: {nodeSelectorTerms: [{}, {}]}"),
                "spec.nodeSelector.nodeSelectorTerms: Invalid value: must have exactly one node selector term");
        assertSingleFinding(
                findingsInSlice("nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Is}]}]}"),
                "matchExpressions[0].operator: Invalid value: not a valid selector operator (Is)");
        assertSingleFinding(
                findingsInSlice("perDeviceNodeSelection: true\ndevices: [{name: a}]"),
                "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required");
        assertSingleFinding(
                findingsInDevice("nodeName: x"), "can only be set if `perDeviceNodeSelection` is set to true");
    }

    @Test
    void limitsListsOfSlice() {
        assertSingleFinding(
                findingsInSlice("allNodes: true\ndevices: [%s]".formatted(repeated(129, "{name: d#}"))),
                "spec.devices: Too many: must have at most 128 items (129)");
        assertSingleFinding(
                findingsInSlice("allNodes: true\ndevices: [%s, {name: x, taints: [{key: k, effect: None}]}]"
                        .formatted(repeated(64, "{name: d#}"))),
                "spec.devices: Too many: must have at most 64 items (65)");
        assertSingleFinding(
                findingsInSlice("allNodes: true\ndevices: [{name: a}, {name: a}]"),
                "spec.devices[1]: Duplicate value (a)");
        assertSingleFinding(
                findingsInSlice("allNodes: true\ndevices: []\nsharedCounters: [{name: c, counters: {m: {value: 1}}}]"),
                "spec: Invalid value: only one of `sharedCounters` or `devices` is allowed");
        assertSingleFinding(
                findingsInSlice("allNodes: true\nsharedCounters: [%s]"
                        .formatted(repeated(9, "{name: c#, counters: {m: {value: 1}}}"))),
                "spec.sharedCounters: Too many: must have at most 8 items (9)");
        assertSingleFinding(
                findingsInSlice("allNodes: true\nsharedCounters: [{name: c}]"),
                "sharedCounters[0].counters: Required value");
        assertThat(ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec: {allNodes: true, pool: {generation: -1}}
                """))
                .extracting(line -> line.replaceAll(".*: (spec[^:]*: [^:]*).*", "$1"))
                .containsExactly(
                        "spec.driver: Required value",
                        "spec.pool.name: Required value",
                        "spec.pool.resourceSliceCount: Invalid value",
                        "spec.pool.generation: Invalid value");
    }

    @Test
    void limitsListsOfDevice() {
        assertSingleFinding(
                findingsInDevice("attributes: {%s}".formatted(repeated(33, "a#: {int: 1}"))),
                "spec.devices[0]: Invalid value: the total number of attributes and capacities must not exceed 32 (33)");
        assertSingleFinding(
                findingsInDevice("attributes: {a: {ints: [%s]}}".formatted(repeated(49, "#"))),
                "the total number of attribute values must not exceed 48 (49)");
        assertSingleFinding(
                findingsInDevice("attributes: {a: {string: %s}}".formatted("x".repeat(65))),
                "attributes[a].string: Too long: may not be more than 64 bytes");
        assertSingleFinding(
                findingsInDevice("attributes: {a: {version: '1.35'}}"),
                "attributes[a].version: Invalid value: must be a string compatible with semver.org spec 2.0.0 (1.35)");
        assertSingleFinding(
                findingsInDevice("attributes: {a: {version: 1.35}}"),
                "attributes[a].version: expected a text, found a number (1.35): put the value in double quotes");
        assertSingleFinding(findingsInDevice("attributes: {a-b: {int: 1}}"), "a valid C identifier must start with");
        assertSingleFinding(
                findingsInDevice("attributes: {%s: {int: 1}}".formatted("x".repeat(33))),
                "may not be more than 32 bytes");
        assertSingleFinding(findingsInDevice("attributes: {/b: {int: 1}}"), "the domain must not be empty");
        assertSingleFinding(
                findingsInDevice("attributes: {a: {strings: []}}"),
                "attributes[a].strings: Invalid value: must not be empty");
        assertSingleFinding(
                findingsInDevice("taints: [%s]".formatted(repeated(17, "{key: k#, effect: None}"))),
                "taints: Too many: must have at most 16 items (17)");
        assertSingleFinding(findingsInDevice("taints: [{key: k}]"), "taints[0].effect: Required value");
        assertSingleFinding(
                findingsInDevice("taints: [{key: k, effect: Never}]"),
                "Unsupported value: supported values: \"NoExecute\", \"NoSchedule\", \"None\" (Never)");
        assertSingleFinding(
                findingsInDevice("bindingConditions: [a]"),
                "bindingFailureConditions: Invalid value: bindingFailureConditions are required to use"
                        + " bindingConditions");
        assertSingleFinding(
                findingsInDevice(
                        "consumesCounters: [%s]".formatted(repeated(3, "{counterSet: c#, counters: {m: {value: 1}}}"))),
                "consumesCounters: Too many: must have at most 2 items (3)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{value: 10Gi, requestPolicy: {default: 1Gi}}                                       | ",
                "{value: ten}                                                                       | quantities must match",
                "{value: 10Qi}                                                                      | quantities must match",
                "{value: 10, requestPolicy: {validValues: [1, 2]}}                                  | default: Required value: required when validValues is defined",
                "{value: 10, requestPolicy: {validRange: {min: 1}}}                                 | default: Required value: required when validRange is defined",
                "{value: 10, requestPolicy: {default: 1, validRange: {}}}                           | min: Required value",
                "{value: 10, requestPolicy: {default: 1, validValues: [2, 1]}}                      | values must be sorted in ascending order",
                "{value: 10, requestPolicy: {default: 1, validValues: [1, 11]}}                     | option is larger than capacity value: 10",
                "{value: 10, requestPolicy: {default: 3, validValues: [1, 2]}}                      | default value is not valid according to the requestPolicy",
                "{value: 10, requestPolicy: {default: 3, validValues: [3], validRange: {min: 1}}}   | exactly one policy can be specified",
                "{value: 10, requestPolicy: {default: 1, validRange: {min: 2, max: 4}}}             | default is less than min: 2",
                "{value: 10, requestPolicy: {default: 3, validRange: {min: 2, max: 4, step: 2}}}    | value is not a multiple of a given step (2) from (2)",
                "{value: 10, requestPolicy: {default: 2, validRange: {min: 2, step: 0}}}            | must be greater than zero",
                "{value: 10, requestPolicy: {default: 2, validRange: {min: 2, max: 12}}}            | max is larger than capacity value: 10",
            })
    void validatesRequestPolicyOfCapacity(String capacity, String finding) {
        List<String> findings =
                findingsInDevice("allowMultipleAllocations: true, capacity: {m: %s}".formatted(capacity));
        if (finding == null) {
            assertThat(findings).isEmpty();
        } else {
            assertSingleFinding(findings, finding);
        }
    }

    @Test
    void rejectsRequestPolicyOfDedicatedDevice() {
        assertSingleFinding(
                findingsInDevice("capacity: {m: {value: 1, requestPolicy: {default: 1}}}"),
                "capacity[m].requestPolicy: Forbidden: allowMultipleAllocations must be true");
    }

    @Test
    void rejectsStatusThatContradictsSpec() {
        String claim = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec: {devices: {requests: [{name: a, exactly: {deviceClassName: g}}]}}
                status: %s
                """;
        String result = "{allocation: {devices: {results: [{request: %s, driver: d, pool: p, device: x%s}]}}}";
        assertSingleFinding(
                ManifestFixtures.findings(claim.formatted(result.formatted("b", ""))),
                "status.allocation.devices.results[0].request: Invalid value: must be the name of a request");
        assertSingleFinding(
                ManifestFixtures.findings(claim.formatted(result.formatted("a", ", shareID: ABC"))),
                "results[0].shareID: Invalid value: uid must be in RFC 4122 normalized form");
        assertSingleFinding(
                ManifestFixtures.findings(claim.formatted("{reservedFor: [{resource: pods, name: p, uid: u}]}")),
                "status.reservedFor: Forbidden: may not be specified when `allocated` is not set");
        assertSingleFinding(
                ManifestFixtures.findings(claim.formatted("{allocation: {}, reservedFor: [%s]}"
                        .formatted(repeated(257, "{resource: pods, name: p#, uid: u#}")))),
                "status.reservedFor: Too many: must have at most 256 items (257)");
        assertSingleFinding(
                ManifestFixtures.findings(
                        claim.formatted("{allocation: {devices: {config: [{source: FromMe, opaque: {driver: d,"
                                + " parameters: {}}}]}}}")),
                "config[0].source: Unsupported value: supported values: \"FromClaim\", \"FromClass\" (FromMe)");
        assertSingleFinding(
                ManifestFixtures.findings(claim.formatted("{allocation: {allocationTimestamp: yesterday}}")),
                "allocationTimestamp: Invalid value: not a time of RFC 3339 (yesterday)");
    }

    @Test
    void rejectsExtendedResourceWithoutDomain() {
        assertSingleFinding(
                ManifestFixtures.findings(
                        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: c}, spec:"
                                + " {extendedResourceName: cpu}}"),
                "spec.extendedResourceName: Invalid value: must be a valid extended resource name (cpu)");
    }
}
