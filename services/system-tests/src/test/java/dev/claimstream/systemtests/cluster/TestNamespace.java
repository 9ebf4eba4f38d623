package dev.claimstream.systemtests.cluster;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.SlowPoll;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A namespace with its own driver and device class. Tests share the nodes of one cluster without sharing devices. */
final class TestNamespace {
    /** Lets kubectl read a claim status before it patches it, which the writer does not need and may not do. */
    static final String KUBECTL_AS_WRITER = """
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: kubectl-of-the-writer}
            rules: [{apiGroups: [resource.k8s.io], resources: [resourceclaims/status], verbs: [get]}]
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRoleBinding
            metadata: {name: kubectl-of-the-writer}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: kubectl-of-the-writer}
            subjects: [{kind: ServiceAccount, name: writer, namespace: claimstream}]
            """;

    private static final String PATH = "/apis/resource.k8s.io/v1/resourceclaims";

    private final Kubernetes cluster;
    private final ApiCluster api;
    private final String name;
    private long generation;

    private TestNamespace(Kubernetes cluster, ApiCluster api, String name) {
        this.cluster = cluster;
        this.api = api;
        this.name = name;
    }

    /** Returns the device class of a namespace; the ConfigMap has to name it. */
    static String deviceClass(String name) {
        return name + ".example.com";
    }

    static TestNamespace open(Kubernetes cluster, ApiCluster api, String name) {
        var namespace = new TestNamespace(cluster, api, name);
        cluster.apply("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: %1$s, labels: {claimstream.dev/managed: "true"}}
                ---
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: %2$s}
                spec: {selectors: [{cel: {expression: device.driver == "%2$s"}}]}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: one, namespace: %1$s}
                spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: %2$s}}]}}}
                """.formatted(name, deviceClass(name)));
        return namespace;
    }

    /** Publishes exactly these devices of a node; each is a name, or a name followed by {@code tainted}. */
    void publish(String node, String... devices) {
        String all = Arrays.stream(devices)
                .map(each -> each.split(" ", 2))
                .map(words -> words.length == 1
                        ? "{name: %s}".formatted(words[0])
                        : "{name: %s, taints: [{key: example.com/broken, effect: NoExecute}]}".formatted(words[0]))
                .collect(Collectors.joining(", "));
        apply("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %1$s-%2$s}
                spec:
                  driver: %3$s
                  nodeName: %1$s
                  pool: {name: %1$s, generation: %4$d, resourceSliceCount: 1}
                  devices: [%5$s]
                """.formatted(node, name, deviceClass(name), ++generation, all));
    }

    /** Publishes exactly these devices, which every node can access. */
    void publishEverywhere(String... devices) {
        apply("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: everywhere-%1$s}
                spec:
                  driver: %2$s
                  allNodes: true
                  pool: {name: everywhere, generation: %3$d, resourceSliceCount: 1}
                  devices: [%4$s]
                """.formatted(
                        name,
                        deviceClass(name),
                        ++generation,
                        Arrays.stream(devices).map("{name: %s}"::formatted).collect(Collectors.joining(", "))));
    }

    void apply(String manifests) {
        cluster.kubectl(manifests, "apply", "-n", name, "-f", "-");
    }

    String kubectl(String... arguments) {
        List<String> all =
                Stream.concat(Stream.of(arguments), Stream.of("-n", name)).toList();
        return cluster.kubectl("", all.toArray(String[]::new));
    }

    /** Creates a named claim for one device. */
    void createClaim(String claim) {
        apply("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: %s}}]}}
                """.formatted(claim, deviceClass(name)));
    }

    /** Returns a pod with these entries in {@code spec.resourceClaims}, and more fields of its spec. */
    static String pod(String pod, String claims, String more) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec:
                  terminationGracePeriodSeconds: 0
                  resourceClaims: [%s]
                  containers: [{name: main, image: none}]
                %s---
                """.formatted(pod, claims, more);
    }

    /** Creates pods with a generated claim each. */
    void createPods(String... pods) {
        apply(Arrays.stream(pods).map(pod -> pod(pod, TEMPLATE_CLAIM, "")).collect(Collectors.joining()));
    }

    /** Creates pods that share a claim. */
    void createPodsSharing(String claim, String... pods) {
        apply(Arrays.stream(pods)
                .map(pod -> pod(pod, "{name: gpu, resourceClaimName: %s}".formatted(claim), ""))
                .collect(Collectors.joining()));
    }

    static final String TEMPLATE_CLAIM = "{name: gpu, resourceClaimTemplateName: one}";

    void delete(String... pods) {
        kubectl(Stream.concat(Stream.of("delete", "--wait=false", "pod"), Arrays.stream(pods))
                .toArray(String[]::new));
    }

    /** Merges this into the status of a claim, as an administrator. */
    void patchStatus(String claim, String status) {
        kubectl(
                "patch",
                "resourceclaim",
                claim,
                "--subresource=status",
                "--type=merge",
                "-p",
                "{\"status\":%s}".formatted(status));
    }

    /** Allocates a device of a node to a claim, as the writer: the policy admits only the writer. */
    void allocate(String claim, String node, String device, Pod... consumers) {
        String all = Arrays.stream(consumers)
                .map(pod -> "{\"resource\":\"pods\",\"name\":\"%s\",\"uid\":\"%s\"}"
                        .formatted(pod.meta().name(), pod.meta().uid()))
                .collect(Collectors.joining(","));
        cluster.plane()
                .kubectl(
                        ControlPlaneUser.WRITER,
                        "",
                        "patch",
                        "resourceclaim",
                        claim,
                        "-n",
                        name,
                        "--subresource=status",
                        "--type=strategic",
                        "-p",
                        """
                        {"status":{"allocation":{"allocationTimestamp":"2026-10-01T10:00:00Z",
                         "devices":{"results":[{"request":"gpu","driver":"%1$s","pool":"%2$s","device":"%3$s"}]},
                         "nodeSelector":{"nodeSelectorTerms":[{"matchFields":[
                           {"key":"metadata.name","operator":"In","values":["%2$s"]}]}]}},
                         "reservedFor":[%4$s]}}""".formatted(deviceClass(name), node, device, all));
    }

    // ---- state of the namespace

    String name() {
        return name;
    }

    /** Returns the current resourceVersion of claims. */
    String resourceVersion() {
        return kubectl("get", "--raw", PATH + "?limit=1").replaceAll("(?s).*?\"resourceVersion\":\"(\\d+)\".*", "$1");
    }

    /** Returns the events of a watch of claims from a resourceVersion on. */
    String watchFrom(String version) {
        return kubectl("get", "--raw", PATH + "?watch=1&timeoutSeconds=1&resourceVersion=" + version);
    }

    List<ResourceClaim> claims() {
        return all(Kind.RESOURCE_CLAIM, ResourceClaim.class);
    }

    List<Pod> pods() {
        return all(Kind.POD, Pod.class);
    }

    private <T extends ClusterObject> List<T> all(Kind kind, Class<T> type) {
        return api.list(kind).objects().stream()
                .map(VersionedObject::object)
                .filter(object -> object.meta().namespace().equals(name))
                .map(type::cast)
                .toList();
    }

    /** Returns each allocated device, such as {@code node-0000/gpu-0}, once per claim. */
    List<String> devices() {
        return claims().stream().flatMap(TestNamespace::devices).sorted().toList();
    }

    private static Stream<String> devices(ResourceClaim claim) {
        return claim.allocation().stream()
                .flatMap(allocation -> allocation.results().stream())
                .map(result -> result.device().pool() + "/" + result.device().device());
    }

    /**
     * Returns the state of each pod, with the devices of the claims that are reserved for it. States are {@code gated},
     * {@code let go} (no gate, no node), {@code on NODE} and {@code ended}.
     */
    Map<String, String> podStates() {
        List<ResourceClaim> claims = claims();
        Map<String, String> states = new TreeMap<>();
        for (Pod pod : pods()) {
            states.put(pod.meta().name(), podState(pod, claims));
        }
        return states;
    }

    private static String podState(Pod pod, List<ResourceClaim> claims) {
        if (pod.finished()) {
            return "ended";
        }
        if (pod.isGated()) {
            return "gated";
        }
        String has = claims.stream()
                .filter(claim -> claim.reservedFor().stream().anyMatch(consumer -> isReservedFor(consumer, pod)))
                .flatMap(TestNamespace::devices)
                .sorted()
                .collect(Collectors.joining(" "));
        return pod.nodeName().map(node -> "on " + node).orElse("let go") + (has.isEmpty() ? "" : " with " + has);
    }

    private static boolean isReservedFor(ClaimConsumer consumer, Pod pod) {
        return consumer.isPodGroup()
                ? pod.podGroup().filter(consumer.name()::equals).isPresent()
                : consumer.uid().equals(pod.meta().uid());
    }

    void await(Map<String, String> states) throws InterruptedException {
        SlowPoll.await(
                () -> podStates().equals(states),
                () -> "%s, but %s; claims %s; events:%n%s"
                        .formatted(states, podStates(), claims(), kubectl("get", "events")));
    }

    /** Waits until this many pods are in the state, and returns their names. */
    List<String> await(int count, Predicate<String> stand) throws InterruptedException {
        SlowPoll.await(
                () -> podsInState(stand).size() == count,
                () -> "%d of %s; events:%n%s".formatted(count, podStates(), kubectl("get", "events")));
        return podsInState(stand);
    }

    private List<String> podsInState(Predicate<String> stand) {
        return podStates().entrySet().stream()
                .filter(each -> stand.test(each.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    void awaitDevices(String... devices) throws InterruptedException {
        SlowPoll.await(
                () -> devices().equals(List.of(devices)),
                () -> "%s held, but %s".formatted(List.of(devices), claims()));
    }

    /** Waits for an Event with this reason and text. */
    void awaitEvent(String reason, String text) throws InterruptedException {
        SlowPoll.await(
                () -> cluster.events(name).stream().anyMatch(event -> event.startsWith(reason) && event.contains(text)),
                () -> "event %s with '%s', but%n%s".formatted(reason, text, kubectl("get", "events")));
    }
}
