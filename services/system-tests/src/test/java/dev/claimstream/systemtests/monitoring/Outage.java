package dev.claimstream.systemtests.monitoring;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Manifests of a cluster whose nodes have one device each, and of what goes wrong in it. */
final class Outage {
    static final int NODES = 200;
    static final int FAILED_NODES = 100;

    private Outage() {}

    /** Returns a class, the nodes and their slices. */
    static String cluster() {
        return """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com}
                spec:
                  selectors:
                  - cel: {expression: device.driver == "gpu.example.com"}
                """
                + nodes(0, NODES, true)
                + IntStream.range(0, NODES)
                        .mapToObj(i -> slice(i, 1, "{name: gpu-0}"))
                        .collect(Collectors.joining());
    }

    /** Returns nodes that are ready or not. */
    static String nodes(int from, int until, boolean areReady) {
        return IntStream.range(from, until)
                .mapToObj(i -> """
                        ---
                        apiVersion: v1
                        kind: Node
                        metadata: {name: node-%d}
                        status: {conditions: [{type: Ready, status: "%s"}]}
                        """.formatted(i, areReady ? "True" : "False"))
                .collect(Collectors.joining());
    }

    /** Returns the slice of a node. */
    static String slice(int node, int generation, String devices) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: slice-%1$d}
                spec:
                  driver: gpu.example.com
                  nodeName: node-%1$d
                  pool: {name: node-%1$d, generation: %2$d, resourceSliceCount: 1}
                  devices: [%3$s]
                """.formatted(node, generation, devices);
    }

    /** Returns a claim that another allocator has given the device of a node, and its pod. */
    static String allocatedClaim(String name, int node) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %1$s, namespace: default, uid: uid-%1$s}
                spec:
                  devices:
                    requests:
                    - name: gpus
                      exactly: {deviceClassName: gpu.example.com}
                status:
                  allocation:
                    devices:
                      results: [{request: gpus, driver: gpu.example.com, pool: node-%2$d, device: gpu-0}]
                    nodeSelector:
                      nodeSelectorTerms:
                      - matchFields: [{key: metadata.name, operator: In, values: [node-%2$d]}]
                  reservedFor: [{resource: pods, name: %1$s, uid: uid-pod-%1$s}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s, namespace: default, uid: uid-pod-%1$s}
                spec:
                  nodeName: node-%2$d
                  containers:
                  - {name: main, image: app, resources: {claims: [{name: gpus}]}}
                  resourceClaims: [{name: gpus, resourceClaimName: %1$s}]
                status: {phase: Running}
                """.formatted(name, node);
    }
}
