package dev.claimstream.manifests.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.tree.Tree;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the YAML of an allocated claim and of additional status fields. */
class ManifestWriterTest {
    private static ClusterObject claim() {
        return Manifests.read("f.yaml", """
                apiVersion: resource.k8s.io/v1beta1
                kind: ResourceClaim
                metadata: {name: c, namespace: default}
                spec: {devices: {requests: [{name: gpu, deviceClassName: gpu.example.com}]}}
                status:
                  allocation:
                    allocationTimestamp: 2026-01-02T03:04:05Z
                    devices:
                      results: [{request: gpu, driver: gpu.example.com, pool: node-1, device: gpu-0}]
                      config: [{source: FromClass, opaque: {driver: gpu.example.com, parameters: {sharing: {max: 2}}}}]
                    nodeSelector:
                      nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [node-1]}]}]
                  reservedFor: [{resource: pods, name: p, uid: "1"}]
                """).objects().getFirst();
    }

    @Test
    void writesAllocatedClaimInNewestVersion() {
        assertThat(ManifestWriter.tree(claim()).yaml()).isEqualTo("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata:
                  name: c
                  namespace: default
                spec:
                  devices:
                    requests:
                    - exactly:
                        allocationMode: ExactCount
                        count: 1
                        deviceClassName: gpu.example.com
                      name: gpu
                status:
                  allocation:
                    allocationTimestamp: "2026-01-02T03:04:05Z"
                    devices:
                      config:
                      - opaque:
                          driver: gpu.example.com
                          parameters:
                            sharing:
                              max: 2
                        source: FromClass
                      results:
                      - device: gpu-0
                        driver: gpu.example.com
                        pool: node-1
                        request: gpu
                    nodeSelector:
                      nodeSelectorTerms:
                      - matchFields:
                        - key: metadata.name
                          operator: In
                          values:
                          - node-1
                  reservedFor:
                  - name: p
                    resource: pods
                    uid: "1"
                """);
    }

    @Test
    void writesAdditionalStatusFields() {
        Tree condition =
                Tree.mapping(fields -> fields.put("reason", "NotEnoughDevices").put("free", 2));
        Tree list = ManifestWriter.list(List.of(ManifestWriter.tree(claim(), Map.of("waits", condition))));
        assertThat(list.yaml()).contains("    waits:\n      free: 2\n      reason: NotEnoughDevices\n");
    }
}
