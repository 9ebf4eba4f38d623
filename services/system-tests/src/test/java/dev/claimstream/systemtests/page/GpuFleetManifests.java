package dev.claimstream.systemtests.page;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/** Manifests of the load: nodes with eight GPUs, and claims with their pods, of which every tenth stays pending. */
final class GpuFleetManifests {
    static final int DEVICES = 8;
    static final String DRIVER = "gpu.example.com";
    private static final int TEAMS = 12;
    private static final int RACK = 16;

    private GpuFleetManifests() {}

    /** Writes the objects to a file. */
    static Path write(Path file, int nodes, int claims) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write("""
                    apiVersion: resource.k8s.io/v1
                    kind: DeviceClass
                    metadata: {name: gpu}
                    spec: {selectors: [{cel: {expression: "device.driver == '%s'"}}]}
                    """.formatted(DRIVER));
            for (int node = 0; node < nodes; node++) {
                out.write(node(node));
            }
            for (int claim = 0; claim < claims; claim++) {
                out.write(claim(claim));
            }
        }
        return file;
    }

    private static String node(int number) {
        var devices = new StringBuilder();
        for (int i = 0; i < DEVICES; i++) {
            devices.append("""
                      - {name: gpu-%1$d, attributes: {productName: {string: NVIDIA H100 80GB HBM3}, uuid: {string: GPU-%2$d-%1$d}}, capacity: {memory: {value: 80Gi}}}
                    """.formatted(i, number).indent(0));
        }
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: %1$s, labels: {topology.example.com/rack: rack-%2$d}}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %1$s}
                spec:
                  driver: %3$s
                  nodeName: %1$s
                  pool: {name: %1$s, generation: 1, resourceSliceCount: 1}
                  devices:
                %4$s""".formatted(
                        name(number), number / RACK, DRIVER, devices.toString().indent(2));
    }

    static String name(int number) {
        return "node-%04d".formatted(number);
    }

    static String namespace(int claim) {
        return claim % TEAMS == 0
                ? "team-with-a-name-that-is-as-long-as-names-of-namespaces-can-be"
                : "team-" + claim % TEAMS;
    }

    /** Returns the number of devices of the claims that a node can satisfy. */
    static int allocatedDevices(int claims) {
        return IntStream.range(0, claims)
                .map(GpuFleetManifests::count)
                .filter(count -> count <= DEVICES)
                .sum();
    }

    private static int count(int claim) {
        return claim % 10 == 9 ? DEVICES + 1 + claim % 3 : 1 + claim % DEVICES;
    }

    /** A claim with its pod. */
    static String claim(int number) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: training-%1$d, namespace: %2$s}
                spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu, count: %3$d}}]}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: training-%1$d, namespace: %2$s}
                spec:
                  containers: [{name: main, image: training, resources: {claims: [{name: gpus}]}}]
                  resourceClaims: [{name: gpus, resourceClaimName: training-%1$d}]
                """.formatted(number, namespace(number), count(number));
    }
}
