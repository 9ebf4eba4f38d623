package dev.claimstream.simulator;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.Manifests;
import java.util.List;

/** Manifests of a node with two GPUs, and of claims. */
final class SmallFleet {
    static final String FLEET = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu}
            spec: {}
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: node-1}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: node-1}
            spec:
              driver: gpu.example.com
              nodeName: node-1
              pool: {name: node-1, generation: 1, resourceSliceCount: 1}
              devices: [{name: gpu-0}, {name: gpu-1}]
            ---
            """;

    private SmallFleet() {}

    /** Returns the objects of manifests, completed as an API server does it. */
    static List<ClusterObject> objects(String text) {
        return ClusterCompletion.complete(Manifests.read("test", text).manifests()).stream()
                .map(Manifest::object)
                .toList();
    }

    /** Returns a claim for a number of GPUs. */
    static String claim(String namespace, String name, int count) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s, namespace: %s}
                spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu, count: %d}}]}}
                """.formatted(name, namespace, count);
    }
}
