package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.cli.Main;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.kubernetes.controlplane.RawApiClient;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A real control plane with Claimstream's policies for {@code up}. Every node has the same devices, and the namespace
 * {@code team} is managed.
 */
final class Kubernetes implements AutoCloseable {
    static final String READY = "Ctrl-C ends it";

    private static final String MISSING =
            "NOT TRIED: up on a real control plane of Kubernetes.\n" + ControlPlaneProgram.REMEDY;
    static final Path POLICIES = Path.of("..", "..", "deploy", "policies");

    private static final String RELEASE_DELAY = "2s"; // as a real kubelet needs for a force-deleted pod

    private final ControlPlane plane;
    private final RawApiClient api;
    private final ApiCluster objects;
    private final String lease;
    private Optional<AutoCloseable> kubelet = Optional.empty();

    private Kubernetes(ControlPlane plane, String lease) {
        this.plane = plane;
        this.api = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        this.objects =
                ApiCluster.open(ApiAccess.of(plane.kubeconfig(ControlPlaneUser.ADMIN), Optional.empty()), ApiScope.ALL);
        this.lease = lease;
    }

    /** Starts a control plane. Without the program for it the test is skipped, which the gate counts as failed. */
    static Kubernetes start(int nodes, int devicesEach) {
        return start(ControlPlaneOptions.DEFAULT, nodes, devicesEach);
    }

    /** Starts a control plane with these options. */
    static Kubernetes start(ControlPlaneOptions options, int nodes, int devicesEach) {
        Kubernetes cluster = startControlPlane(options);
        cluster.kubectl("", "apply", "-f", POLICIES.toString());
        cluster.createNodesAndObjects(nodes, devicesEach);
        cluster.awaitPolicies();
        return cluster;
    }

    /** Waits until the policies are in force. The API server polls for new policies once per second. */
    private void awaitPolicies() {
        try {
            String tried = pods("tried", 1, "");
            Program.await(() -> isGated(tried), "policies in force");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private boolean isGated(String pod) {
        return api.createOrThrow("/api/v1/namespaces/team/pods?dryRun=All", pod)
                .body()
                .contains(Pod.ALLOCATION_GATE);
    }

    /** Starts a control plane without Claimstream's policies: kube-scheduler allocates. */
    static Kubernetes startWithoutPolicies(int nodes, int devicesEach) {
        return startWithoutPolicies(ControlPlaneOptions.DEFAULT, nodes, devicesEach);
    }

    /** Starts a control plane with these options, without Claimstream's policies. */
    static Kubernetes startWithoutPolicies(ControlPlaneOptions options, int nodes, int devicesEach) {
        Kubernetes cluster = startControlPlane(options);
        cluster.createNodesAndObjects(nodes, devicesEach);
        return cluster;
    }

    private static Kubernetes startControlPlane(ControlPlaneOptions options) {
        var raised = options.with(ControlPlaneOptions.Rates.RAISED);
        String lease = options.nodeGrace().isPositive() ? "1s" : "10s";
        return new Kubernetes(ControlPlane.start(program(), raised), lease);
    }

    /** Returns the control plane program. Without the program the test is skipped, which the gate counts as failed. */
    static ControlPlaneProgram program() {
        var program = ControlPlaneProgram.find();
        assertThat(program.isPresent() || System.getenv("CI") == null)
                .as(MISSING)
                .isTrue();
        assumeTrue(program.isPresent(), MISSING);
        return program.orElseThrow();
    }

    private void createNodesAndObjects(int nodes, int devicesEach) {
        plane.createNodes(nodes);
        startKubelet();
        apply(BASE_MANIFESTS);
        if (devicesEach > 0) {
            publish(nodes, devicesEach);
        }
    }

    private void startKubelet() {
        kubelet = Optional.of(plane.startSimulatedKubelet("--release-delay", RELEASE_DELAY, "--lease", lease));
    }

    /** Restarts the simulated kubelets: they forget the pods and devices that they know. */
    void restartKubelet() {
        try {
            kubelet.orElseThrow().close();
        } catch (Exception e) {
            throw new IllegalStateException("the simulated kubelet does not end", e);
        }
        startKubelet();
    }

    void publish(int nodes, int devicesEach) {
        apply(slices(nodes, devicesEach));
    }

    private static String slices(int nodes, int devicesEach) {
        return IntStream.range(0, nodes)
                .mapToObj(node -> slice("node-%04d".formatted(node), devicesEach))
                .collect(Collectors.joining("---\n"));
    }

    /** Deletes pods, devices and Events for the next test. */
    void clear() throws InterruptedException {
        kubectl("", "delete", "resourceslices", "--all");
        kubectl("", "delete", "pods,events", "--all", "-n", "team", "--wait=false");
        SlowPoll.await(() -> pods().isEmpty() && claims().isEmpty(), "no pods and no claims");
    }

    ControlPlane plane() {
        return plane;
    }

    /** Returns the release of the API server. */
    KubernetesVersion release() {
        return KubernetesVersion.nearest(plane.version());
    }

    /** Returns the API version in which the API server serves pod groups if every gate is on. */
    String podGroupVersion() {
        return release() == KubernetesVersion.V1_36 ? "scheduling.k8s.io/v1alpha2" : "scheduling.k8s.io/v1beta1";
    }

    /** Returns the command that starts {@code up} with the rights of the writer. */
    String[] command(Path data, String... more) {
        return command(plane.kubeconfig(ControlPlaneUser.WRITER), data, more);
    }

    private static String[] command(Path kubeconfig, Path data, String... more) {
        List<String> command =
                new ArrayList<>(List.of("up", "--data", data.toString(), "--kubeconfig", kubeconfig.toString()));
        command.addAll(List.of(more));
        return command.toArray(String[]::new);
    }

    String kubectl(String input, String... arguments) {
        return plane.kubectl(ControlPlaneUser.ADMIN, input, arguments);
    }

    void apply(String manifests) {
        kubectl(manifests, "apply", "-f", "-");
    }

    /** Changes the ConfigMap of managed drivers and classes; other fields are kept. */
    void configure(String data) {
        kubectl(
                "",
                "patch",
                "configmap",
                "claimstream-managed",
                "-n",
                "claimstream",
                "-p",
                "{\"data\":%s}".formatted(data));
    }

    /** Returns pods with a claim for one device each, without grace period. */
    static String pods(String prefix, int count, String more) {
        return pods(prefix, count, Duration.ZERO, more);
    }

    /** Returns pods with a claim for one device each. A grace period of 0 means deletion by force. */
    static String pods(String prefix, int count, Duration grace, String more) {
        return IntStream.range(0, count)
                .mapToObj(number -> """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: %s-%d, namespace: team, labels: {set: %s}}
                        spec:
                          terminationGracePeriodSeconds: %d
                          resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]
                          containers: [{name: main, image: none, resources: {claims: [{name: gpu}]}}]
                        %s""".formatted(prefix, number, prefix, grace.toSeconds(), more))
                .collect(Collectors.joining("---\n"));
    }

    private static String slice(String node, int devices) {
        return slice(
                node,
                IntStream.range(0, devices)
                        .mapToObj(device -> "{name: gpu-%d}".formatted(device))
                        .collect(Collectors.joining(", ")));
    }

    /** Returns a slice with all devices of a node; the devices are a line of YAML. */
    static String slice(String node, String devices) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %1$s-gpu}
                spec:
                  driver: gpu.example.com
                  nodeName: %1$s
                  pool: {name: %1$s, generation: 1, resourceSliceCount: 1}
                  devices: [%2$s]
                """.formatted(node, devices);
    }

    private static final String BASE_MANIFESTS = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: team, labels: {claimstream.dev/managed: "true"}}
            ---
            apiVersion: v1
            kind: Namespace
            metadata: {name: other, labels: {claimstream.dev/managed: "true"}}
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu.example.com}
            spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: one-gpu, namespace: team}
            spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRoleBinding
            metadata: {name: writer-is-watcher-too}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: claimstream-watcher}
            subjects: [{kind: ServiceAccount, name: writer, namespace: claimstream}]
            """;

    /**
     * Returns a claim for this many devices of a class, and a pod of the same name that uses it. The label {@code set}
     * has this name too.
     */
    static String claimWithPod(String name, String deviceClass, int count) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s, namespace: team}
                spec: {devices: {requests: [{name: any, exactly: {deviceClassName: %s, count: %d}}]}}
                """.formatted(name, deviceClass, count) + podUsing(name);
    }

    /** Returns a pod of the same name that uses the claim. */
    static String podUsing(String claim) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s, namespace: team, labels: {set: %1$s}}
                spec:
                  terminationGracePeriodSeconds: 0
                  resourceClaims: [{name: its, resourceClaimName: %1$s}]
                  containers: [{name: main, image: none, resources: {claims: [{name: its}]}}]
                """.formatted(claim);
    }

    /** Stops the checker and asserts that it has found no fault. */
    static void assertNoFaults(ControlPlane.ConsistencyChecker checker) {
        assertThat(checker.finish())
                .as("faults, and how much was seen")
                .singleElement()
                .asString()
                .contains("\"faults\":{}");
    }

    // ---- state of the cluster

    List<ResourceClaim> claims() {
        return claims("team");
    }

    List<ResourceClaim> claims(String namespace) {
        return objects(Kind.RESOURCE_CLAIM, ResourceClaim.class, namespace);
    }

    List<Pod> pods() {
        return objects(Kind.POD, Pod.class, "team");
    }

    private <T extends ClusterObject> List<T> objects(Kind kind, Class<T> type, String namespace) {
        return objects.list(kind).objects().stream()
                .map(VersionedObject::object)
                .filter(object -> object.meta().namespace().equals(namespace))
                .map(type::cast)
                .toList();
    }

    /** Returns the number of pods of a set in each state, as kubectl shows it. */
    Map<String, Integer> states(String set) {
        Map<String, Integer> states = new HashMap<>();
        api.table("/api/v1/namespaces/team/pods?labelSelector=set%3D" + set)
                .items("rows")
                .forEach(row -> states.merge(row.text("cells", 2), 1, Integer::sum));
        return states;
    }

    /** Returns {@code reason kind/name message} of each Event in a namespace. */
    List<String> events(String namespace) {
        return api.get("/api/v1/namespaces/%s/events".formatted(namespace)).items("items").stream()
                .map(Kubernetes::event)
                .toList();
    }

    /** Returns whether an Event has this reason and text; {@code reason} may be followed by {@code kind/name}. */
    boolean hasEvent(String reason, String text) {
        return events("team").stream().anyMatch(event -> event.startsWith(reason + " ") && event.contains(text));
    }

    private static String event(RawApiClient.ListItem event) {
        String kind = event.text("involvedObject", "kind").toLowerCase(Locale.ROOT);
        return "%s %s/%s %s"
                .formatted(event.text("reason"), kind, event.text("involvedObject", "name"), event.text("message"));
    }

    void awaitStates(String set, Map<String, Integer> states) throws InterruptedException {
        Program.await(() -> states(set).equals(states), "pods of %s: %s".formatted(set, states));
    }

    /** Returns the allocated devices, once for each claim. A duplicate is a device that is allocated twice. */
    List<String> allocatedDevices() {
        List<String> devices = new ArrayList<>();
        claims().forEach(claim -> claim.allocation()
                .ifPresent(allocation -> allocation
                        .results()
                        .forEach(result -> devices.add(result.device().toString()))));
        return devices;
    }

    /** Returns the devices of each pod that a claim is reserved for. */
    Map<String, String> devicesOfPods() {
        Map<String, String> devices = new TreeMap<>();
        claims().forEach(claim -> claim.allocation()
                .ifPresent(allocation -> claim.reservedFor()
                        .forEach(pod -> allocation
                                .results()
                                .forEach(result -> devices.merge(
                                        pod.name(), result.device().toString(), (one, two) -> one + " " + two)))));
        return devices;
    }

    /** Returns the allocation of each allocated claim. */
    Map<String, Allocation> allocations() {
        Map<String, Allocation> allocations = new TreeMap<>();
        claims().forEach(claim -> claim.allocation()
                .ifPresent(allocation -> allocations.put(claim.meta().name(), allocation)));
        return allocations;
    }

    @Override
    public void close() {
        objects.close();
        api.close();
        plane.close();
    }

    static Program up(Kubernetes cluster, Path logs, String... more) throws IOException {
        return up(cluster, logs, logs.resolve("data"), more);
    }

    /** Starts {@code up} with this data folder. */
    static Program up(Kubernetes cluster, Path logs, Path data, String... more) throws IOException {
        return awaitReady(Program.start(logs, cluster.command(data, more)));
    }

    /** Starts {@code up} for the cluster of a kubeconfig. */
    static Program up(Path kubeconfig, Path logs) throws IOException {
        return awaitReady(Program.start(logs, command(kubeconfig, logs.resolve("data"))));
    }

    /** Starts {@code up} with these environment variables. */
    static Program up(Kubernetes cluster, Path logs, Map<String, String> environment) throws IOException {
        return awaitReady(
                Program.start(logs, environment, Main.class.getName(), cluster.command(logs.resolve("data"))));
    }

    /** Starts {@code up} with this data folder, these environment variables and arguments. */
    static Program up(Kubernetes cluster, Path logs, Path data, Map<String, String> environment, String... more)
            throws IOException {
        return awaitReady(Program.start(logs, environment, Main.class.getName(), cluster.command(data, more)));
    }

    private static Program awaitReady(Program up) {
        try {
            up.awaitOut(READY);
            return up;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
