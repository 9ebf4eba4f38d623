package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.ClaimSource;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.Toleration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how pods, pod groups, nodes and namespaces are read, and the warnings for unsupported kinds. */
class CoreKindsTest {
    @Test
    void readsPodAsKubectlPrintsIt() {
        Pod pod = ManifestFixtures.readSingle(Pod.class, """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: p
                  namespace: ns
                  uid: u
                  creationTimestamp: "2026-01-02T03:04:05Z"
                  managedFields:
                  - {manager: kubectl, fieldsV1: {"f:spec": {}}}
                spec:
                  nodeName: node-1
                  nodeSelector: {disk: ssd}
                  priority: 100
                  priorityClassName: high
                  affinity:
                    podAntiAffinity: {}
                    nodeAffinity:
                      preferredDuringSchedulingIgnoredDuringExecution: []
                      requiredDuringSchedulingIgnoredDuringExecution:
                        nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: NotIn, values: [z1]}]}]
                  tolerations:
                  - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
                  resourceClaims:
                  - {name: a, resourceClaimName: shared}
                  - {name: b, resourceClaimTemplateName: t}
                  - {name: c, resourceClaimTemplateName: t}
                  - {name: d, resourceClaimTemplateName: t}
                  containers:
                  - {name: m, image: x, resources: {claims: [{name: a}, {name: b}, {name: c}, {name: d, request: r}]}}
                status:
                  phase: Running
                  podIP: 10.0.0.1
                  resourceClaimStatuses:
                  - {name: b, resourceClaimName: p-b-xyz}
                  - {name: c}
                """);
        assertThat(pod.nodeName()).contains("node-1");
        assertThat(pod.nodeSelector()).containsEntry("disk", "ssd");
        assertThat(pod.priority()).isEqualTo(100);
        assertThat(pod.requiredAffinity().orElseThrow().terms()).hasSize(1);
        assertThat(pod.tolerations())
                .containsExactly(
                        new Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoExecute", Optional.of(300L)));
        assertThat(pod.resourceClaims())
                .containsExactly(
                        new PodClaim("a", new ClaimSource.ClaimReference("shared"), 1),
                        new PodClaim("b", new ClaimSource.GeneratedClaim("t", "p-b-xyz"), 1),
                        new PodClaim("c", new ClaimSource.NoClaimNeeded("t"), 1),
                        new PodClaim("d", new ClaimSource.TemplateReference("t"), 1));
        assertThat(pod.finished()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "Running, n, false, false",
        "Succeeded, n, false, true",
        "Failed, '', false, true",
        "Pending, '', true, true",
        "Running, n, true, false"
    })
    void marksPodFinishedWhenClaimsAreUnused(String phase, String node, boolean deleted, boolean finished) {
        Pod pod = ManifestFixtures.readSingle(
                Pod.class, """
                apiVersion: v1
                kind: Pod
                metadata: {name: p %s}
                spec: {nodeName: "%s"}
                status: {phase: %s}
                """.formatted(deleted ? ", deletionTimestamp: 2026-01-01T00:00:00Z" : "", node, phase));
        assertThat(pod.finished()).isEqualTo(finished);
    }

    @Test
    void readsTaintsAndReadyConditionOfNode() {
        String node = """
                apiVersion: v1
                kind: Node
                metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
                spec: {unschedulable: true, podCIDR: 10.0.0.0/24, taints: [{key: a, effect: PreferNoSchedule}]}
                status: {capacity: {cpu: "4"}, conditions: [{type: DiskPressure, status: "False"}%s]}
                """;
        Node ready = ManifestFixtures.readSingle(Node.class, node.formatted(""));
        assertThat(ready.ready()).isTrue();
        assertThat(ready.unschedulable()).isTrue();
        assertThat(ready.taints().getFirst().effect()).isEqualTo("PreferNoSchedule");
        assertThat(ManifestFixtures.readSingle(Node.class, node.formatted(", {type: Ready, status: \"True\"}"))
                        .ready())
                .isTrue();
        assertThat(ManifestFixtures.readSingle(Node.class, node.formatted(", {type: Ready, status: Unknown}"))
                        .ready())
                .isFalse();
    }

    @Test
    void readsAllocatableResourcesOfNode() {
        Node node = ManifestFixtures.readSingle(Node.class, """
                apiVersion: v1
                kind: Node
                metadata: {name: n1}
                status: {allocatable: {cpu: 3920m, memory: 8Gi, pods: "110", nvidia.com/gpu: "8"}}
                """);
        assertThat(node.allocatable().amounts())
                .containsExactly(
                        entry("cpu", 3920L),
                        entry("memory", 8L << 30),
                        entry("nvidia.com/gpu", 8L),
                        entry("pods", 110L));
        assertThat(node.isAdvertisedByDevicePlugin("nvidia.com/gpu")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // sum of the containers
                "containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}, {resources: {requests: {cpu: 500m}}}] | 1500 | 1024",
                // a limit is the default of the request
                "containers: [{resources: {limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 1}}}] | 1000 | 1024",
                // an init container that requests more
                "initContainers: [{resources: {requests: {cpu: 3}}}], containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}] | 3000 | 1024",
                // a sidecar adds to later init containers
                "initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 4}}}], containers: [{resources: {requests: {cpu: 2}}}] | 5000 | 0",
                // pod-level requests override those of the containers
                "resources: {requests: {cpu: 4}}, containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}] | 4000 | 1024",
                // overhead is added
                "overhead: {cpu: 250m, memory: 1Gi}, containers: [{resources: {requests: {cpu: 1}}}] | 1250 | 1024",
                "containers: [{}] | 0 | 0"
            })
    void sumsResourceRequestsOfPod(String spec, long cpu, long mebibytes) {
        Pod pod = ManifestFixtures.readSingle(Pod.class, """
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec: {%s}
                """.formatted(spec));
        assertThat(pod.requests().amount("cpu")).isEqualTo(cpu);
        assertThat(pod.requests().amount("memory")).isEqualTo(mebibytes << 20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // the current resources count until the kubelet releases them
                "containerStatuses: [{name: a, resources: {requests: {cpu: 3}}}] | 3500",
                // allocated resources count before they are in use
                "containerStatuses: [{name: a, resources: {requests: {cpu: 1}}, allocatedResources: {cpu: 4}}] | 4500",
                // requested resources count before they are allocated
                "containerStatuses: [{name: a, resources: {requests: {cpu: 1}}, allocatedResources: {cpu: 1}}] | 2500",
                // an infeasible resize does not count
                "conditions: [{type: PodResizePending, reason: Infeasible}], containerStatuses: [{name: a, resources: {requests: {cpu: 1}}}] | 1500",
                // a sidecar can be resized
                "initContainerStatuses: [{name: s, resources: {requests: {cpu: 1}}}] | 3000",
                // a status without resources is ignored
                "containerStatuses: [{name: a, allocatedResources: {cpu: 4}}] | 2500",
                "containerStatuses: [{name: other, resources: {requests: {cpu: 4}}}] | 2500"
            })
    void sumsResourceRequestsOfPodDuringResize(String status, long cpu) {
        Pod pod = ManifestFixtures.readSingle(Pod.class, """
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec:
                  initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 500m}}}]
                  containers: [{name: a, resources: {requests: {cpu: 2}}}]
                status: {%s}
                """.formatted(status));
        assertThat(pod.requests().amount("cpu")).isEqualTo(cpu);
    }

    @Test
    void rejectsNegativeRequest() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec: {containers: [{resources: {requests: {cpu: -1}}}]}
                """))
                .anyMatch(line -> line.contains("must be greater than or equal to 0"));
    }

    @Test
    void readsClaimsOfPodGroup() {
        PodGroup group = ManifestFixtures.readSingle(PodGroup.class, """
                apiVersion: scheduling.k8s.io/v1beta1
                kind: PodGroup
                metadata: {name: g, namespace: ns}
                spec:
                  schedulingPolicy: {gang: {minCount: 2}}
                  resourceClaims:
                  - {name: a, resourceClaimName: shared}
                  - {name: b, resourceClaimTemplateName: t}
                status: {resourceClaimStatuses: [{name: b, resourceClaimName: g-b-xyz}]}
                """);
        assertThat(group.minCount()).isEqualTo(2);
        assertThat(group.resourceClaims())
                .containsExactly(
                        new PodClaim("a", new ClaimSource.ClaimReference("shared")),
                        new PodClaim("b", new ClaimSource.GeneratedClaim("t", "g-b-xyz")));
        assertThat(group.groupClaim(new PodClaim("b", new ClaimSource.TemplateReference("t"))))
                .contains(new PodClaim("b", new ClaimSource.GeneratedClaim("t", "g-b-xyz")));
        assertThat(group.groupClaim(new PodClaim("b", new ClaimSource.TemplateReference("other"))))
                .isEmpty();
        assertThat(group.groupClaim(new PodClaim("c", new ClaimSource.ClaimReference("shared"))))
                .isEmpty();
        assertThat(group.groupClaim(new PodClaim("b", new ClaimSource.ClaimReference("t"))))
                .isEmpty();
    }

    @Test
    void rejectsGangWithoutMembers() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: scheduling.k8s.io/v1beta1
                kind: PodGroup
                metadata: {name: g}
                spec: {schedulingPolicy: {gang: {minCount: 0}}}
                """))
                .anyMatch(line -> line.contains("minCount") && line.contains("must be greater than 0"));
    }

    @Test
    void rejectsMoreThanFourClaimsOfPodGroup() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: scheduling.k8s.io/v1beta1
                kind: PodGroup
                metadata: {name: g, namespace: ns}
                spec:
                  resourceClaims: [{name: a, resourceClaimName: x}, {name: b, resourceClaimName: x}, {name: c, resourceClaimName: x}, {name: d, resourceClaimName: x}, {name: e, resourceClaimName: x}]
                """)).anyMatch(line -> line.contains("must have at most 4 items"));
    }

    @Test
    void readsAdminAccessLabelOfNamespace() {
        Namespace namespace = ManifestFixtures.readSingle(Namespace.class, """
                apiVersion: v1
                kind: Namespace
                metadata: {name: admin, labels: {resource.kubernetes.io/admin-access: "true"}}
                spec: {finalizers: [kubernetes]}
                status: {phase: Active}
                """);
        assertThat(namespace.allowsAdminAccess()).isTrue();
    }

    @Test
    void warnsOfUnresolvedPriorityClass() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec: {priorityClassName: high}
                """))
                .containsExactly("f.yaml:4: spec.priorityClassName: warning: a PriorityClass is not looked up: the"
                        + " priority is 0 (high): write priority:");
    }

    @Test
    void warnsOfClaimWithoutContainer() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec:
                  resourceClaims: [{name: gpu, resourceClaimName: c}]
                  containers: [{name: m}]
                """))
                .singleElement()
                .asString()
                .contains("warning: no container uses the claim")
                .endsWith("write resources: {claims: [{name: gpu}]} in a container");
    }

    @Test
    void warnsOfMisspeltFieldOfPod() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec: {resourceClaim: []}
                """))
                .containsExactly("f.yaml:4: spec.resourceClaim: warning: unknown field, ignored: did you mean"
                        + " resourceClaims?");
    }

    @Test
    void skipsUnsupportedKindsWithWarning() {
        ManifestReadResult reading = Manifests.read("f.yaml", """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: d}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: c}
                data: {a: b}
                ---
                apiVersion: scheduling.x-k8s.io/v1alpha1
                kind: PodGroup
                spec: {minMember: 4}
                ---
                apiVersion: gpu.resource.example.com/v1alpha1
                kind: GpuClaimParameters
                ---
                apiVersion: v1
                kind: Namespace
                metadata: {name: ns}
                """);
        assertThat(reading.manifests()).hasSize(1);
        assertThat(reading.hasErrors()).isFalse();
        assertThat(reading.findings())
                .extracting(ManifestFinding::toString)
                .satisfiesExactly(
                        first -> assertThat(first)
                                .isEqualTo(
                                        "f.yaml:2: kind: warning: kind Deployment of apps/v1 is not served, ignored: pass the"
                                                + " pods that it creates: kubectl get pods,resourceclaims -A -o yaml"),
                        second -> assertThat(second)
                                .startsWith("f.yaml:6: kind: warning: kind ConfigMap of v1 is not served"),
                        third -> assertThat(third).contains("PodGroup").contains("gang"),
                        fourth -> assertThat(fourth).contains("opaque.parameters"));
    }
}
