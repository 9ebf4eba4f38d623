package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.NodeSelector.Requirement;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how affinity, spread constraints, host ports and volumes of a pod are read. */
class PodTopologyReaderTest {
    private static String pod(String spec) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: p, namespace: team, labels: {app: web, pod-template-hash: abc}}
                spec:
                  containers: [{name: main, image: none}]
                """ + spec.indent(2);
    }

    private static PodTopology topology(String spec) {
        return ManifestFixtures.readSingle(Pod.class, pod(spec)).topology();
    }

    private static Requirement requirement(String key, String operator, String... values) {
        return new Requirement(key, operator, List.of(values));
    }

    @Test
    void readsAffinityTermsWithLabelsOfPod() {
        PodTopology topology = topology("""
                affinity:
                  podAffinity:
                    preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: rack}}]
                    requiredDuringSchedulingIgnoredDuringExecution:
                    - topologyKey: zone
                      labelSelector: {matchLabels: {app: db}}
                      matchLabelKeys: [pod-template-hash, absent]
                      mismatchLabelKeys: [app]
                      namespaces: [other]
                  podAntiAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                    - topologyKey: kubernetes.io/hostname
                      labelSelector: {matchExpressions: [{key: app, operator: Exists}]}
                      namespaceSelector: {}
                """);
        assertThat(topology.affinity())
                .containsExactly(new PodAffinityTerm(
                        "zone",
                        Optional.of(new LabelSelector(List.of(
                                requirement("app", "In", "db"),
                                requirement("pod-template-hash", "In", "abc"),
                                requirement("app", "NotIn", "web")))),
                        new TreeSet<>(List.of("other")),
                        Optional.empty()));
        assertThat(topology.antiAffinity())
                .containsExactly(new PodAffinityTerm(
                        "kubernetes.io/hostname",
                        Optional.of(new LabelSelector(List.of(requirement("app", "Exists")))),
                        new TreeSet<>(),
                        Optional.of(new LabelSelector(List.of()))));
        assertThat(topology.isUnconstrained()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {}}]}} | true
            affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: rack}}]}} | true
            topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}] | true
            topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}] | false
            affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}} | false
            """)
    void readsWhetherPodPrefersNodes(String spec, boolean prefers) {
        assertThat(topology(spec).hasPreferences()).isEqualTo(prefers);
    }

    @Test
    void readsSchedulerNameUnlessDefault() {
        assertThat(topology("schedulerName: other").schedulerName()).contains("other");
        assertThat(topology("schedulerName: default-scheduler").schedulerName()).isEmpty();
    }

    @Test
    void doesNotAddMatchLabelKeysAlreadyInSelector() {
        assertThat(topology("""
                topologySpreadConstraints:
                - {topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [app], labelSelector: {matchLabels: {app: web}}}
                """).spread().getFirst().selector())
                .contains(new LabelSelector(List.of(requirement("app", "In", "web"))));
    }

    @Test
    void readsOnlyDoNotScheduleSpreadConstraints() {
        assertThat(topology("""
                topologySpreadConstraints:
                - {topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}
                - {topologyKey: zone, maxSkew: 2, whenUnsatisfiable: DoNotSchedule, minDomains: 3}
                - {topologyKey: rack, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, nodeAffinityPolicy: Ignore, nodeTaintsPolicy: Honor}
                """).spread())
                .containsExactly(
                        new TopologySpreadConstraint("zone", 2, 3, Optional.empty(), true, false),
                        new TopologySpreadConstraint("rack", 1, 1, Optional.empty(), false, true));
    }

    @Test
    void readsHostPortsOfConcurrentContainers() {
        assertThat(topology("""
                initContainers:
                - {name: before, image: none, ports: [{containerPort: 1, hostPort: 1001}]}
                - {name: beside, image: none, restartPolicy: Always, ports: [{containerPort: 2, hostPort: 1002, protocol: UDP}]}
                """).hostPorts()).containsExactly(new HostPort(HostPort.ALL_ADDRESSES, "UDP", 1002));
        assertThat(ManifestFixtures.readSingle(Pod.class, """
                apiVersion: v1
                kind: Pod
                metadata: {name: p, namespace: team}
                spec:
                  hostNetwork: true
                  containers:
                  - {name: main, image: none, ports: [{containerPort: 80}, {containerPort: 81, hostPort: 81, hostIP: 10.0.0.1}]}
                """).topology().hostPorts())
                .containsExactly(new HostPort(HostPort.ALL_ADDRESSES, "TCP", 80), new HostPort("10.0.0.1", "TCP", 81));
    }

    @ParameterizedTest
    @CsvSource({
        "persistentVolumeClaim: {claimName: data}, true",
        "rbd: {image: one}, true",
        "gcePersistentDisk: {pdName: one}, true",
        "ephemeral: {volumeClaimTemplate: {spec: {}}}, true",
        "emptyDir: {}, false",
        "configMap: {name: c}, false",
    })
    void readsWhetherPodUsesNodeBoundVolumes(String volume, boolean matters) {
        PodTopology topology = topology("volumes: [{name: v, %s}]".formatted(volume));
        assertThat(topology.usesVolumes()).isEqualTo(matters);
        assertThat(topology.isUnconstrained()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}}]}} | topologyKey",
                "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchExpressions: [{key: app, operator: Gt, values: ['1']}]}}]}} | not a valid label selector operator",
                "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchExpressions: [{key: app, operator: In}]}}]}} | must be specified when `operator` is 'In' or 'NotIn'",
                "topologySpreadConstraints: [{topologyKey: zone, maxSkew: 0, whenUnsatisfiable: DoNotSchedule}] | must be greater than 0",
                "topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: Perhaps}] | whenUnsatisfiable",
                "topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: Maybe}] | nodeTaintsPolicy",
            })
    void reportsInvalidTopologyFields(String spec, String words) {
        assertThat(ManifestFixtures.findings(pod(spec)))
                .anySatisfy(finding -> assertThat(finding.toString()).contains(words));
    }
}
