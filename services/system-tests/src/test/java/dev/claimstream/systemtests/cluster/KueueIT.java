package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.dra.Pod;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Claimstream beside Kueue: its CustomResourceDefinitions on a real control plane, and a stand-in for its controller.
 *
 * <p>As Kueue does, the stand-in adds a gate to pods with the label of a queue, and makes a Workload for each. It admits a
 * pod by removing the gate, and a Job by resuming it. It evicts a pod by deleting it, and a Job by suspending it.
 */
@Tag("part-0")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KueueIT {
    private static final Path DEFINITIONS =
            Path.of("..", "..", "platform", "testbed", "control-plane", "target", "kueue");
    private static final String MISSING =
            "NOT TRIED: Claimstream beside Kueue. Run platform/testbed/build kueue, which needs Go";
    private static final String GATE = "kueue.x-k8s.io/admission";
    private static final String LABELS = "labels: {kueue.x-k8s.io/queue-name: users, ";

    private static final String OBJECTS = """
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: ResourceFlavor
            metadata: {name: default}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: ClusterQueue
            metadata: {name: gpus}
            spec:
              namespaceSelector: {}
              resourceGroups:
              - coveredResources: [gpu.example.com]
                flavors: [{name: default, resources: [{name: gpu.example.com, nominalQuota: 2}]}]
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: LocalQueue
            metadata: {name: users, namespace: team}
            spec: {clusterQueue: gpus}
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicy
            metadata: {name: kueue-stand-in}
            spec:
              reinvocationPolicy: Never
              matchConstraints:
                resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
              matchConditions:
              - name: of-a-queue
                expression: "'kueue.x-k8s.io/queue-name' in object.metadata.?labels.orValue({})"
              mutations:
              - patchType: ApplyConfiguration
                applyConfiguration:
                  expression: >-
                    Object{spec: Object.spec{schedulingGates: [Object.spec.schedulingGates{name: "kueue.x-k8s.io/admission"}]}}
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicyBinding
            metadata: {name: kueue-stand-in}
            spec: {policyName: kueue-stand-in}
            """;

    private static final String JOB = """
            apiVersion: batch/v1
            kind: Job
            metadata: {name: train, namespace: team, labels: {kueue.x-k8s.io/queue-name: users}}
            spec:
              suspend: true
              parallelism: 2
              completions: 2
              template:
                metadata: {labels: {set: train}}
                spec:
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 0
                  resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]
                  containers: [{name: main, image: none, resources: {claims: [{name: gpu}]}}]
            """;

    @TempDir
    private static Path folder = Path.of("");

    private Kubernetes cluster;
    private Program up;

    @SuppressWarnings("NullAway.Init") // start sets the fields before the first test
    KueueIT() {}

    @BeforeAll
    void start() throws IOException, InterruptedException {
        boolean isPossible = Files.exists(DEFINITIONS.resolve("version"));
        assertThat(isPossible || System.getenv("CI") == null).as(MISSING).isTrue();
        assumeTrue(isPossible, MISSING);
        cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT.withWorkloads(), 1, 2);
        cluster.kubectl("", "create", "-f", DEFINITIONS.toString());
        Program.await(this::areDefinitionsEstablished, "CustomResourceDefinitions that are served");
        cluster.apply(OBJECTS);
        Program.await(
                () -> cluster.kubectl(queued("tried"), "create", "--dry-run=server", "-o", "yaml", "-f", "-")
                        .contains(GATE),
                "the gate of the stand-in");
        up = Kubernetes.up(cluster, folder);
    }

    /** kubectl fails while a definition has no condition yet. */
    private boolean areDefinitionsEstablished() {
        try {
            cluster.kubectl("", "wait", "--for=condition=Established", "crd", "--all", "--timeout=60s");
            return true;
        } catch (ControlPlaneException e) {
            return false;
        }
    }

    @AfterEach
    void clear() throws InterruptedException {
        if (up != null) {
            cluster.kubectl("", "delete", "jobs,pods,workloads,events", "--all", "-n", "team", "--wait=false");
            SlowPoll.await(() -> cluster.pods().isEmpty() && cluster.claims().isEmpty(), "no pods and no claims");
        }
    }

    @AfterAll
    void stop() {
        if (up != null) {
            up.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private static String queued(String name) {
        return Kubernetes.pods(name, 1, "").replace("labels: {", LABELS);
    }

    /** Creates a pod of the queue with its Workload. */
    private void enqueue(String name) {
        cluster.apply(queued(name));
        String pod = cluster.kubectl("", "get", "pod", name + "-0", "-n", "team", "-o", "jsonpath={.metadata.uid}")
                .strip();
        cluster.apply("""
                apiVersion: kueue.x-k8s.io/v1beta2
                kind: Workload
                metadata:
                  name: pod-%1$s
                  namespace: team
                  ownerReferences: [{apiVersion: v1, kind: Pod, name: %1$s-0, uid: %2$s}]
                spec:
                  queueName: users
                  podSets:
                  - name: main
                    count: 1
                    template: {spec: {containers: [{name: main, image: none}]}}
                """.formatted(name, pod));
    }

    private void admit(String name) {
        cluster.kubectl("", "patch", "pod", name + "-0", "-n", "team", "-p", removal(GATE));
    }

    private static String removal(String gate) {
        return "{\"spec\":{\"schedulingGates\":[{\"$patch\":\"delete\",\"name\":\"%s\"}]}}".formatted(gate);
    }

    private void evict(String name) {
        cluster.kubectl("", "delete", "pod", name + "-0", "-n", "team", "--wait=false");
    }

    private void suspendJob(boolean isSuspended) {
        cluster.kubectl(
                "", "patch", "job", "train", "-n", "team", "-p", "{\"spec\":{\"suspend\":%s}}".formatted(isSuspended));
    }

    private void awaitDevices(int count) throws InterruptedException {
        Program.await(() -> cluster.allocatedDevices().size() == count, count + " allocated devices");
        assertThat(cluster.allocatedDevices()).doesNotHaveDuplicates();
    }

    /** The pods of the queue come first, and a pod that came later gets the devices until they are admitted. */
    @Test
    void allocatesDevicesOnlyAfterAdmission() throws InterruptedException {
        enqueue("one");
        enqueue("two");
        SlowPoll.await(() -> cluster.hasEvent("OtherSchedulingGate pod/one-0", GATE), "an Event that names the gate");
        assertThat(cluster.allocatedDevices()).isEmpty();
        cluster.apply(Kubernetes.pods("free", 2, ""));
        cluster.awaitStates("free", Map.of("Running", 2));
        assertThat(cluster.states("one")).isEqualTo(Map.of("SchedulingGated", 1));

        admit("one");
        SlowPoll.await(() -> cluster.hasEvent("DevicesInUse pod/one-0", ""), "an Event about devices");
        cluster.kubectl("", "delete", "pods", "-n", "team", "-l", "set=free", "--wait=false");
        cluster.awaitStates("one", Map.of("Running", 1));
        assertThat(cluster.states("two")).isEqualTo(Map.of("SchedulingGated", 1));
        assertThat(cluster.allocatedDevices()).hasSize(1);
        admit("two");
        cluster.awaitStates("two", Map.of("Running", 1));
        awaitDevices(2);
    }

    /** Another program, such as {@code claimstream.writer.gate-timeout}, can remove the gate of Claimstream first. */
    @Test
    void allocatesDevicesOnlyAfterAdmissionIfItsOwnGateIsGone() throws InterruptedException {
        enqueue("early");
        cluster.kubectl("", "patch", "pod", "early-0", "-n", "team", "-p", removal(Pod.ALLOCATION_GATE));
        SlowPoll.await(() -> cluster.hasEvent("OtherSchedulingGate pod/early-0", GATE), "an Event that names the gate");
        assertThat(cluster.states("early")).isEqualTo(Map.of("SchedulingGated", 1));
        assertThat(cluster.allocatedDevices()).isEmpty();
        admit("early");
        cluster.awaitStates("early", Map.of("Running", 1));
        awaitDevices(1);
    }

    @Test
    void evictedPodReturnsItsDevicesAndRunsAfterReadmission() throws InterruptedException {
        enqueue("pod"); // evicted while the queue holds it
        evict("pod");
        SlowPoll.await(() -> cluster.pods().isEmpty() && cluster.claims().isEmpty(), "no pod and no claim");

        enqueue("pod"); // evicted while it is allocated, and no node has it yet
        cluster.plane().stop(ControlPlaneComponent.SCHEDULER);
        try {
            admit("pod");
            awaitDevices(1);
            SlowPoll.await(() -> cluster.pods().stream().noneMatch(Pod::isGated), "a pod without gates");
            assertThat(cluster.pods()).allMatch(pod -> pod.nodeName().isEmpty());
            evict("pod");
            awaitDevices(0);
        } finally {
            cluster.plane().resume(ControlPlaneComponent.SCHEDULER);
        }

        SlowPoll.await(() -> cluster.pods().isEmpty(), "no pod");
        enqueue("pod"); // evicted while it runs
        admit("pod");
        cluster.awaitStates("pod", Map.of("Running", 1));
        evict("pod");
        awaitDevices(0);
        SlowPoll.await(() -> cluster.pods().isEmpty(), "no pod");

        enqueue("pod");
        assertThat(cluster.states("pod")).isEqualTo(Map.of("SchedulingGated", 1));
        assertThat(cluster.allocatedDevices()).isEmpty();
        admit("pod");
        cluster.awaitStates("pod", Map.of("Running", 1));
        awaitDevices(1);
    }

    /** Kueue suspends a Job that it has not admitted, so no pod of it exists. */
    @Test
    void suspendedJobHasNoDevicesAndRunsAfterReadmission() throws InterruptedException {
        cluster.apply(JOB);
        assertThat(cluster.allocatedDevices()).isEmpty();
        suspendJob(false);
        cluster.awaitStates("train", Map.of("Running", 2));
        awaitDevices(2);

        suspendJob(true);
        awaitDevices(0);
        SlowPoll.await(() -> cluster.pods().isEmpty(), "no pod");
        cluster.apply(Kubernetes.pods("free", 2, ""));
        cluster.awaitStates("free", Map.of("Running", 2));
        suspendJob(false);
        cluster.awaitStates("train", Map.of("SchedulingGated", 2));
        cluster.kubectl("", "delete", "pods", "-n", "team", "-l", "set=free", "--wait=false");
        cluster.awaitStates("train", Map.of("Running", 2));
        awaitDevices(2);
    }
}
