package dev.claimstream.systemtests.monitoring;

import java.util.List;
import java.util.Map;

/**
 * A node with allocated devices of each vendor. Names, UUIDs and serial numbers are those of the exporters' texts in this module and in
 * {@code services/agent}, which follow the formats of the exporters; no device was there.
 */
final class VendorCluster {
    /** Label {@code node} of the series of exporters that do not name their node. */
    static final Map<String, String> NODES = Map.of("gaudi", "gaudi-1", "neuron", "trn-1", "tpu", "tpu-1");

    /** Metrics of a TPU node, in the format of GKE's device plugin. */
    static final String TPU = """
            # HELP duty_cycle_node Percent of time when the TPU was actively processing
            # TYPE duty_cycle_node gauge
            duty_cycle_node{accelerator_id="4804027733-0",make="cloud-tpu",model="tpu-v5-lite-podslice",tpu_topology="2x4"} 90
            duty_cycle_node{accelerator_id="4804027733-1",make="cloud-tpu",model="tpu-v5-lite-podslice",tpu_topology="2x4"} 2
            # HELP memory_used_node Memory of the TPU in use
            # TYPE memory_used_node gauge
            memory_used_node{accelerator_id="4804027733-0",make="cloud-tpu",model="tpu-v5-lite-podslice",tpu_topology="2x4"} 8589934592
            memory_used_node{accelerator_id="4804027733-1",make="cloud-tpu",model="tpu-v5-lite-podslice",tpu_topology="2x4"} 1073741824
            """;

    /** A GPU with MIG instances: of its two small ones, a claim has the first, and the mean counts for both. */
    private static final String MIG_GPU = "GPU-00000000-0000-0000-0000-000000000003";

    /** What the exporters report of the devices of each claim, as a mean in percent. */
    static final Map<String, Double> UTILIZATION = Map.of(
            "vendors/idle", 0.0,
            "vendors/nvidia", 40.0,
            "vendors/mig-large", 70.0,
            "vendors/mig-small", 30.0,
            "vendors/amd", 50.0,
            "vendors/gaudi", 27.5,
            "vendors/neuron", 32.5,
            "vendors/tpu", 46.0);

    private VendorCluster() {}

    /** Returns the manifests of nodes, slices and claims. */
    static String manifests() {
        return nodeWithDevices(
                        "dgx-1",
                        "gpu.nvidia.com",
                        nvidia(0) + ", " + nvidia(4) + ", " + nvidia(7) + ", " + mig("gpu-3-mig-large", "3g.40gb")
                                + ", " + mig("gpu-3-mig-small-0", "1g.10gb") + ", "
                                + mig("gpu-3-mig-small-1", "1g.10gb"))
                + claim("mig-large", "dgx-1", "gpu.nvidia.com", "gpu-3-mig-large")
                + claim("mig-small", "dgx-1", "gpu.nvidia.com", "gpu-3-mig-small-0")
                + claim("idle", "dgx-1", "gpu.nvidia.com", "gpu-0")
                + claim("nvidia", "dgx-1", "gpu.nvidia.com", "gpu-4")
                + nodeWithDevices(
                        "mi-1",
                        "gpu.amd.com",
                        amd("gpu-0-128", "0000:05:00.0") + ", " + amd("gpu-1-136", "0000:15:00.0"))
                + claim("amd", "mi-1", "gpu.amd.com", "gpu-0-128", "gpu-1-136")
                + nodeWithDevices(
                        "gaudi-1",
                        "gaudi.intel.com",
                        device("a", "serial: {string: AM50033380}") + ", "
                                + device("b", "serial: {string: AM50033381}"))
                + claim("gaudi", "gaudi-1", "gaudi.intel.com", "a", "b")
                + nodeWithDevices("trn-1", "neuron.aws.com", device("neuron-0", "deviceId: {int: 0}"))
                + claim("neuron", "trn-1", "neuron.aws.com", "neuron-0")
                + nodeWithDevices(
                        "tpu-1",
                        "tpu.google.com",
                        device("'0'", "index: {int: 0}") + ", " + device("'1'", "index: {int: 1}"))
                + claim("tpu", "tpu-1", "tpu.google.com", "'0'", "'1'");
    }

    private static String nvidia(int number) {
        return device("gpu-" + number, "uuid: {string: GPU-00000000-0000-0000-0000-00000000000%d}".formatted(number));
    }

    private static String mig(String name, String profile) {
        return device(
                name,
                "uuid: {string: MIG-%s}, parentUUID: {string: %s}, profile: {string: %s}"
                        .formatted(name, MIG_GPU, profile));
    }

    /** Adds the series of MIG instances to the text of dcgm-exporter, in its format: each in the family of its metric. */
    static String withMig(String text) {
        String used = "DCGM_FI_DEV_FB_USED";
        String head = "# TYPE %s gauge%n".formatted(used);
        return text.replace(head, head + instance(used, 1, "3g.40gb", 20000) + instance(used, 9, "1g.10gb", 4000))
                + """
                # HELP DCGM_FI_PROF_GR_ENGINE_ACTIVE Ratio of time the graphics engine is active.
                # TYPE DCGM_FI_PROF_GR_ENGINE_ACTIVE gauge
                """
                + instance("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 1, "3g.40gb", 0.7)
                + instance("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 9, "1g.10gb", 0.5)
                + instance("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 10, "1g.10gb", 0.1);
    }

    private static String instance(String metric, int instance, String profile, double value) {
        return "%s{gpu=\"3\",UUID=\"%s\",device=\"nvidia3\",modelName=\"NVIDIA H100 80GB HBM3\",GPU_I_PROFILE=\"%s\",GPU_I_ID=\"%d\",Hostname=\"dgx-1\"} %s%n"
                .formatted(metric, MIG_GPU, profile, instance, value);
    }

    private static String amd(String name, String address) {
        return device(name, "resource.kubernetes.io/pciBusID: {string: \"%s\"}".formatted(address));
    }

    private static String device(String name, String attribute) {
        return "{name: %s, attributes: {%s}}".formatted(name, attribute);
    }

    private static String nodeWithDevices(String node, String driver, String devices) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: %2$s}
                spec: {selectors: [{cel: {expression: device.driver == "%2$s"}}]}
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: %1$s, labels: {node.kubernetes.io/instance-type: big}}
                status: {conditions: [{type: Ready, status: "True"}]}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: slice-%1$s}
                spec:
                  driver: %2$s
                  nodeName: %1$s
                  pool: {name: %1$s, generation: 1, resourceSliceCount: 1}
                  devices: [%3$s]
                """.formatted(node, driver, devices);
    }

    private static String claim(String name, String node, String driver, String... devices) {
        List<String> results = List.of(devices).stream()
                .map(device -> "{request: devices, driver: %s, pool: %s, device: %s}".formatted(driver, node, device))
                .toList();
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %1$s, namespace: vendors, uid: uid-%1$s}
                spec: {devices: {requests: [{name: devices, exactly: {deviceClassName: %3$s, count: %4$d}}]}}
                status:
                  allocation:
                    devices: {results: [%5$s]}
                    nodeSelector:
                      nodeSelectorTerms:
                      - matchFields: [{key: metadata.name, operator: In, values: [%2$s]}]
                  reservedFor: [{resource: pods, name: %1$s, uid: uid-pod-%1$s}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s, namespace: vendors, uid: uid-pod-%1$s}
                spec:
                  nodeName: %2$s
                  containers:
                  - {name: main, image: app, resources: {claims: [{name: devices}]}}
                  resourceClaims: [{name: devices, resourceClaimName: %1$s}]
                status: {phase: Running}
                """.formatted(name, node, driver, devices.length, String.join(", ", results));
    }
}
