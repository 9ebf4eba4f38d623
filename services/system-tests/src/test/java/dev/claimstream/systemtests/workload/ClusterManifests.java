package dev.claimstream.systemtests.workload;

/** Manifests for tests: one node, one driver, and claims by name. */
public final class ClusterManifests {
    private ClusterManifests() {}

    /**
     * Returns node {@code node-1}, class {@code gpu.example.com} and this many devices {@code gpu-0}, {@code gpu-1} ...
     */
    public static String ofDevices(int count) {
        var devices = new StringBuilder();
        for (int i = 0; i < count; i++) {
            devices.append("  - name: gpu-%d%n".formatted(i));
        }
        return """
                apiVersion: v1
                kind: Node
                metadata: {name: node-1}
                ---
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com}
                spec:
                  selectors:
                  - cel: {expression: device.driver == "gpu.example.com"}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: node-1-gpu.example.com}
                spec:
                  driver: gpu.example.com
                  nodeName: node-1
                  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
                  devices:
                """ + devices;
    }

    /** Returns a claim for this many devices. */
    public static String claim(String name, int count) {
        return claim(name, "gpu.example.com", "count: " + count);
    }

    /** Returns a claim with these fields in its request, in addition to the class. */
    public static String claim(String name, String deviceClass, String fields) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s, namespace: default}
                spec:
                  devices:
                    requests:
                    - name: gpus
                      exactly: {deviceClassName: %s, %s}
                """.formatted(name, deviceClass, fields);
    }

    /**
     * Returns a claim for this many devices and a pod of the same name. {@code up} allocates only claims with a
     * consumer.
     */
    public static String usedClaim(String name, int count) {
        return usedClaim(name, "gpu.example.com", "count: " + count);
    }

    /** Returns a claim with these fields in its request, and a pod of the same name that uses it. */
    public static String usedClaim(String name, String deviceClass, String fields) {
        return claim(name, deviceClass, fields) + pod(name, "resourceClaimName: " + name);
    }

    /** Returns a pod that uses a claim or template, for example {@code resourceClaimName: a}. */
    public static String pod(String name, String source) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default}
                spec:
                  containers:
                  - {name: main, image: app, resources: {claims: [{name: gpus}]}}
                  resourceClaims: [{name: gpus, %s}]
                """.formatted(name, source);
    }
}
