package dev.claimstream.kubernetes.controlplane;

/** Manifests and patches of the tests. */
final class ClaimManifests {
    static final String DRIVER = "gpu.example.com";
    static final String CLASSES = "/apis/resource.k8s.io/v1/deviceclasses";
    static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";
    static final String PODS = "/api/v1/namespaces/default/pods";
    static final String TIME = "2026-10-01T10:00:00Z";

    private ClaimManifests() {}

    static String deviceClass(String name) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: %s}
                spec: {selectors: [{cel: {expression: "device.driver == '%s'"}}]}
                """.formatted(name, DRIVER);
    }

    static String claim(String name) {
        return claim(name, DRIVER);
    }

    static String claim(String name, String deviceClass) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: %s}}]}}
                """.formatted(name, deviceClass);
    }

    /** The pool of a node with {@code devices} devices, named {@code gpu-0} and so on. */
    static String slice(String node, int devices) {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < devices; i++) {
            names.append("{name: gpu-").append(i).append("},");
        }
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %1$s}
                spec:
                  driver: %2$s
                  nodeName: %1$s
                  pool: {name: %1$s, generation: 1, resourceSliceCount: 1}
                  devices: [%3$s]
                """.formatted(node, DRIVER, names);
    }

    /** A pod that uses a claim of the same name. */
    static String pod(String name, String cpu) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s}
                spec:
                  containers: [{name: main, image: none, resources: {requests: {cpu: %2$s}}}]
                  resourceClaims: [{name: gpu, resourceClaimName: %1$s}]
                """.formatted(name, cpu);
    }

    static String allocation(String node, String device, String time) {
        return """
                {"allocationTimestamp":%s,
                 "devices":{"results":[{"request":"gpu","driver":"%s","pool":"%s","device":"%s"}]},
                 "nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["%s"]}]}]}}""".formatted(time.isEmpty() ? "null" : "\"" + time + "\"", DRIVER, node, device, node);
    }

    static String allocation(String node, String device) {
        return allocation(node, device, TIME);
    }

    static String consumer(String pod, String uid) {
        return "{\"resource\":\"pods\",\"name\":\"%s\",\"uid\":\"%s\"}".formatted(pod, uid);
    }

    /** The status patch of a claim as the writer sends it. */
    static String commit(RawApiClient.ApiResponse claim, String allocation, String... consumers) {
        return "{\"metadata\":{\"uid\":\"%s\",\"resourceVersion\":\"%s\"},\"status\":{\"allocation\":%s,\"reservedFor\":[%s]}}"
                .formatted(claim.uid(), claim.version(), allocation, String.join(",", consumers));
    }

    /** The status patch without uid and version. */
    static String unconditionalPatch(String allocation, String... consumers) {
        return "{\"status\":{\"allocation\":%s,\"reservedFor\":[%s]}}"
                .formatted(allocation, String.join(",", consumers));
    }

    static String status(String claim) {
        return CLAIMS + "/" + claim + "/status?fieldManager=writer&fieldValidation=Strict";
    }
}
