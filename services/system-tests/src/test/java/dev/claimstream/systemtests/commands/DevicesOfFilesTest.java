package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.Main;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code get devices -f}: what is free in files, with remaining capacity and counters. */
class DevicesOfFilesTest {
    private static final String CLUSTER = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: counters}
            spec:
              driver: gpu.example.com
              nodeName: node-1
              pool: {name: node-1, generation: 1, resourceSliceCount: 2}
              sharedCounters: [{name: gpu-0, counters: {memory: {value: 80Gi}}}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: devices}
            spec:
              driver: gpu.example.com
              nodeName: node-1
              pool: {name: node-1, generation: 1, resourceSliceCount: 2}
              devices:
              - name: whole
                consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 80Gi}}}]
              - name: part-a
                consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 20Gi}}}]
              - name: part-b
                consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 20Gi}}}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: nic}
            spec:
              driver: nic.example.com
              nodeName: node-2
              pool: {name: node-2, generation: 1, resourceSliceCount: 1}
              devices:
              - name: eth0
                allowMultipleAllocations: true
                capacity: {bandwidth: {value: 10G}}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: c, namespace: team}
            spec:
              devices:
                requests:
                - {name: gpu, exactly: {deviceClassName: gpu}}
                - {name: nic, exactly: {deviceClassName: nic}}
            status:
              allocation:
                devices:
                  results:
                  - {request: gpu, driver: gpu.example.com, pool: node-1, device: part-a}
                  - request: nic
                    driver: nic.example.com
                    pool: node-2
                    device: eth0
                    consumedCapacity: {bandwidth: 4G}
                    shareID: 0a0a0a0a-0000-0000-0000-000000000001
              reservedFor: [{resource: pods, name: p, uid: 0a0a0a0a-0000-0000-0000-000000000001}]
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: p, namespace: team, uid: 0a0a0a0a-0000-0000-0000-000000000001}
            spec:
              nodeName: node-1
              resourceClaims: [{name: gpu, resourceClaimName: c}]
              containers: [{name: main, image: i, resources: {claims: [{name: gpu}]}}]
            """;

    private static final String NOTE =
            "no Node in the files: assumed the 2 nodes of the ResourceSlices (node-1, node-2), ready, without taints and further labels";

    @TempDir
    private Path folder = Path.of("");

    private String cluster = "";

    @BeforeEach
    void writeCluster() throws IOException {
        cluster = Files.writeString(folder.resolve("cluster.yaml"), CLUSTER).toString();
    }

    private static List<String> rows(CommandResult result) {
        return result.out().lines().map(line -> line.replaceAll(" +", " ")).toList();
    }

    @Test
    void listsRemainingCapacityAndCounters() {
        CommandResult result = CommandResult.run("get", "devices", "-f", cluster);
        assertThat(result.errLines()).containsExactly(NOTE);
        assertThat(rows(result))
                .containsExactly(
                        "NODE DRIVER POOL DEVICE STATE CLAIMS REMAINING",
                        "node-1 gpu.example.com node-1 part-a allocated team/c gpu-0/memory=60Gi",
                        "node-1 gpu.example.com node-1 part-b free - gpu-0/memory=60Gi",
                        "node-1 gpu.example.com node-1 whole unusable - gpu-0/memory=60Gi",
                        "node-2 nic.example.com node-2 eth0 allocated team/c bandwidth=6G");
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void saysWhyCountersPreventAllocation() {
        assertThat(CommandResult.run("get", "devices", "whole", "-f", cluster, "-o", "wide")
                        .out())
                .contains("it consumes 80Gi of counter gpu-0/memory, of which 60Gi is left");
    }

    @Test
    void selectsFreeDevices() {
        assertThat(CommandResult.run("get", "devices", "--free", "-o", "name", "-f", cluster)
                        .out())
                .isEqualTo("device/gpu.example.com/node-1/part-b\n");
    }

    @Test
    void rejectsOtherKindsAndRunningClaimstream() {
        assertThat(CommandResult.run("get", "claims", "-f", cluster).err())
                .startsWith("claimstream get: -f is for devices; claimstream run PATH shows the claims of files");
        assertThat(CommandResult.run("get", "devices", "-f", cluster, "--data", folder.toString())
                        .err())
                .startsWith("claimstream get: -f and a running claimstream (--data, --console) exclude each other");
        CommandResult missing = CommandResult.run("get", "devices", "nothing", "-f", cluster);
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("there is no device nothing in the files");
    }

    // ---- nodes that are assumed

    @Test
    void filesWithNodeStayAsTheyAre() throws IOException {
        Path node = Files.writeString(folder.resolve("node.yaml"), """
                apiVersion: v1
                kind: Node
                metadata: {name: node-2}
                status: {conditions: [{type: Ready, status: "True"}]}
                """);
        CommandResult result = CommandResult.run("get", "devices", "-o", "wide", "-f", cluster, "-f", node.toString());
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).contains("node node-1 does not exist");
    }

    @Test
    void runAssumesNodesOfSlices() {
        CommandResult result = CommandResult.run("run", cluster);
        assertThat(result.errLines().getFirst()).isEqualTo(NOTE);
        assertThat(result.err()).contains("2 nodes, 4 devices of 2 drivers");
    }

    @Test
    void variablesOfRunningClaimstreamDoNotExcludeFiles() throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var get = new ProcessBuilder(new ArrayList<>(
                        List.of(java, "-cp", System.getProperty("java.class.path"), Main.class.getName())))
                .redirectErrorStream(true);
        get.command().addAll(List.of("get", "devices", "--free", "-o", "name", "-f", cluster));
        get.environment().put("CLAIMSTREAM_CONSOLE", "http://127.0.0.1:1");
        get.environment().put("CLAIMSTREAM_DATA", folder.toString());
        Process process = get.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("device/gpu.example.com/node-1/part-b");
    }
}
