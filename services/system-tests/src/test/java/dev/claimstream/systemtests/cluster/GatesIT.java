package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.dra.Pod;
import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests feature gates. A DeviceTaintRule taints the only device, so the result depends on the gate DRADeviceTaintRules,
 * off in 1.36 and on in 1.37. A real API server with a gate off drops fields that {@code up} writes.
 */
@Timeout(180)
class GatesIT {
    private static final String RULE = """
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceTaintRule
            metadata: {name: broken}
            spec:
              deviceSelector: {driver: gpu.example.com, pool: node-1, device: gpu-0}
              taint: {key: example.com/broken, value: "yes", effect: NoSchedule}
            """;

    private static String outputWithDefaults = "";

    @TempDir
    private Path folder = Path.of("");

    private String cluster = "";

    @BeforeEach
    void writeCluster() throws IOException {
        cluster = Files.writeString(
                        folder.resolve("cluster.yaml"),
                        ClusterManifests.ofDevices(1) + RULE + ClusterManifests.claim("c", 1))
                .toString();
    }

    @Test
    void runUsesGatesOfRelease() {
        CommandResult older = CommandResult.run("run", cluster, "--kubernetes", "1.36");
        assertThat(older.exitCode()).as(older.err()).isZero();
        assertThat(older.out()).contains("node-1/gpu-0");
        CommandResult set =
                CommandResult.run("run", cluster, "--kubernetes", "1.36", "--features", "DRADeviceTaintRules=true");
        assertThat(set.exitCode()).isEqualTo(3);
        assertThat(set.errLines().getLast())
                .isEqualTo("why: ./claimstream explain claim default/c -f " + cluster
                        + " --kubernetes 1.36 --features DRADeviceTaintRules=true");
    }

    /** The objects use no field of these gates, so the result is the same. */
    @ParameterizedTest
    @MethodSource("gatesThatAreOffByDefault")
    @Tag("part-4")
    void gateThatIsOffByDefaultCanBeSetEitherWay(String gate) {
        for (boolean isOn : List.of(true, false)) {
            CommandResult set =
                    CommandResult.run("run", cluster, "--kubernetes", "1.36", "--features", gate + "=" + isOn);
            assertThat(set.exitCode()).as(set.err()).isZero();
            assertThat(set.out()).isEqualTo(outputWithDefaults());
        }
    }

    /** Returns the output for the same cluster without {@code --features}, from one run for all tests. */
    private String outputWithDefaults() {
        if (outputWithDefaults.isEmpty()) {
            outputWithDefaults =
                    CommandResult.run("run", cluster, "--kubernetes", "1.36").out();
            assertThat(outputWithDefaults).contains("node-1/gpu-0");
        }
        return outputWithDefaults;
    }

    /** Returns the gates of this part of the campaign. */
    static Stream<String> gatesThatAreOffByDefault() {
        List<String> gates = Arrays.stream(Feature.values())
                .filter(each -> !each.isEnabledByDefault(KubernetesVersion.V1_37))
                .map(Feature::gate)
                .toList();
        int parts = Integer.getInteger("campaign.parts", 5);
        int part = Integer.getInteger("campaign.part", 0);
        return IntStream.range(0, gates.size())
                .filter(number -> number % parts == part)
                .mapToObj(gates::get);
    }

    @Test
    @Tag("part-1")
    void explainUsesGatesForFiles() {
        CommandResult off =
                CommandResult.run("explain", "claim", "c", "-f", cluster, "--features=DRADeviceTaintRules=false");
        assertThat(off.exitCode()).as(off.out()).isZero();
        assertThat(off.out()).startsWith("claim default/c: allocated on node-1\n");
    }

    @Test
    @Tag("part-0")
    void rejectsExpressionOfDisabledGate() throws IOException {
        String file = Files.writeString(folder.resolve("shared.yaml"), ClusterManifests.ofDevices(1) + """
                        ---
                        apiVersion: resource.k8s.io/v1
                        kind: DeviceClass
                        metadata: {name: shared}
                        spec:
                          selectors:
                          - cel: {expression: device.allowMultipleAllocations}
                        """)
                .toString();
        CommandResult on = CommandResult.run("run", file);
        assertThat(on.exitCode()).as(on.err()).isZero();
        CommandResult off = CommandResult.run("run", file, "--features", "DRAConsumableCapacity=false");
        assertThat(off.exitCode()).isEqualTo(1);
        assertThat(off.errLines())
                .anyMatch(line -> line.startsWith(file + ":")
                        && line.contains("undefined field 'allowMultipleAllocations'")
                        && line.endsWith("it needs the feature gate DRAConsumableCapacity: enable it in the cluster"
                                + " and pass --features DRAConsumableCapacity=true"));
    }

    @Test
    @Tag("part-2")
    void upKeepsGatesOfItsStart() throws IOException, InterruptedException {
        String data = folder.resolve("data").toString();
        String pod = Files.writeString(folder.resolve("pod.yaml"), ClusterManifests.pod("c", "resourceClaimName: c"))
                .toString();
        try (Program up =
                Program.start(folder, "up", "--data", data, "-f", cluster, "-f", pod, "--kubernetes", "1.36")) {
            up.awaitOut("Ctrl-C ends it");
            Program.await(
                    () -> CommandResult.run("get", "claims", "--data", data)
                            .out()
                            .contains("node-1/gpu-0"),
                    "the tainted device");
            CommandResult refused = CommandResult.run(
                    "apply",
                    "--data",
                    data,
                    "-f",
                    Files.writeString(folder.resolve("list.yaml"), """
                            apiVersion: resource.k8s.io/v1
                            kind: DeviceClass
                            metadata: {name: linked}
                            spec:
                              selectors:
                              - cel: {expression: 'device.attributes["gpu.example.com"].links.includes("a")'}
                            """).toString());
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.err()).contains("it needs the feature gate DRAListTypeAttributes");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
        }
    }

    // ---- on a real API server

    private static final String WHOLE = "{name: whole, attributes: {kind: {string: whole}}}";

    private static final String STORED = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: team}
            ---
            """ + Kubernetes.slice("node-0000", shareableDevice("shared") + ", " + WHOLE)
            + "---\n"
            + Kubernetes.slice("node-0001", shareableDevice("shared") + ", " + WHOLE + ", " + shareableDevice("lone"))
            + claim("named", "shared", ", capacity: {requests: {memory: 20Gi}}");

    private static String shareableDevice(String kind) {
        return """
                {name: %1$s, allowMultipleAllocations: true, attributes: {kind: {string: %1$s}}, \
                capacity: {memory: {value: 80Gi, requestPolicy: {default: 20Gi}}}}""".formatted(kind);
    }

    private static String claim(String name, String kind, String more) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s, namespace: team}
                spec:
                  devices:
                    requests:
                    - name: gpu
                      exactly: {deviceClassName: gpu.example.com, selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].kind == "%s"'}}]%s}
                """.formatted(name, kind, more);
    }

    /** Returns a policy that changes the device in the writer's allocation of one claim. */
    private static String mutatingPolicy(String claim, String device) {
        return """
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicy
            metadata: {name: meddler-of-%1$s}
            spec:
              failurePolicy: Fail
              reinvocationPolicy: Never
              matchConstraints:
                resourceRules:
                - {apiGroups: [resource.k8s.io], apiVersions: ["*"], operations: [UPDATE], resources: [resourceclaims/status]}
              matchConditions:
              - {name: its, expression: "object.metadata.name == '%1$s' && has(object.status.allocation)"}
              mutations:
              - patchType: JSONPatch
                jsonPatch:
                  expression: '[JSONPatch{op: "replace", path: "/status/allocation/devices/results/0/device", value: "%2$s"}]'
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicyBinding
            metadata: {name: meddler-of-%1$s}
            spec: {policyName: meddler-of-%1$s}
            """.formatted(claim, device);
    }

    private static final List<String> ONLY_ON_ONE_NODE = List.of("lone-a", "lone-b", "lone-c");

    /**
     * The stored objects use fields that the API server drops now, so it does not keep a decision about them. It keeps
     * the decision about a claim that already uses such a field.
     */
    @Test
    @Tag("part-3")
    void revokesDecisionsThatServerDoesNotKeep() throws IOException, InterruptedException {
        Path kept = folder.resolve("plane");
        try (var plane = ControlPlane.start(
                Kubernetes.program(),
                ControlPlaneOptions.DEFAULT
                        .without(ControlPlaneComponent.SCHEDULER)
                        .without(ControlPlaneComponent.CONTROLLERS)
                        .in(kept))) {
            plane.kubectl(ControlPlaneUser.ADMIN, STORED, "apply", "-f", "-");
        }
        try (var cluster =
                Kubernetes.start(ControlPlaneOptions.DEFAULT.with(Gates.OFF).in(kept), 2, 0)) {
            cluster.apply(mutatingPolicy("meddled", "other") + mutatingPolicy("spoilt", "no name of a device"));
            try (var up = Kubernetes.up(cluster, folder, "--features", "DRAConsumableCapacity=true")) {
                cluster.apply(Kubernetes.podUsing("named"));
                cluster.awaitStates("named", Map.of("Running", 1));
                cluster.apply(claim("part", "shared", "") + Kubernetes.podUsing("part"));
                cluster.apply(ONLY_ON_ONE_NODE.stream()
                        .map(name -> claim(name, "lone", "") + Kubernetes.podUsing(name))
                        .collect(Collectors.joining()));
                cluster.apply(claim("meddled", "whole", "") + Kubernetes.podUsing("meddled"));
                for (String part : List.of("part", "lone-a", "lone-b", "lone-c")) {
                    awaitRejection(
                            cluster,
                            up,
                            part,
                            ": allocation.devices.results[0].consumedCapacity,"
                                    + " allocation.devices.results[0].shareID; enable its feature gate"
                                    + " DRAConsumableCapacity");
                }
                awaitRejection(cluster, up, "meddled", "results[0].device (decided: whole, stored: other)");
                cluster.apply(claim("spoilt", "whole", "") + Kubernetes.podUsing("spoilt"));
                awaitRejection(cluster, up, "spoilt", "Invalid value");
                assertThat(cluster.kubectl("", "get", "resourceclaim", "spoilt", "-n", "team", "-o", "yaml"))
                        .as("no decision is written any more")
                        .contains("claimstream.dev/outdated-version: ");
                assertThat(cluster.hasEvent("NodeRejected", ""))
                        .as("we have cleared them, and no node has refused a pod")
                        .isFalse();
                String shared = "gpu.example.com/node-0000/shared";
                assertThat(cluster.allocatedDevices())
                        .as("the others are taken back")
                        .containsExactly(shared);
                cluster.apply(claim("whole", "whole", "") + Kubernetes.podUsing("whole"));
                cluster.awaitStates("whole", Map.of("Running", 1));
                assertThat(cluster.allocatedDevices())
                        .extracting(device -> device.substring(device.lastIndexOf('/')))
                        .containsExactly("/shared", "/whole");
                assertThat(cluster.pods())
                        .filteredOn(Pod::isGated)
                        .extracting(pod -> pod.meta().name())
                        .containsExactly("lone-a", "lone-b", "lone-c", "meddled", "part", "spoilt");
            }
        }
    }

    private static void awaitRejection(Kubernetes cluster, Program up, String pod, String text)
            throws InterruptedException {
        SlowPoll.await(
                () -> cluster.hasEvent("Rejected pod/" + pod, text),
                () -> pod + ": " + cluster.kubectl("", "get", "events", "-n", "team") + up.err());
    }
}
