package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLASSES;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.DRIVER;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.PODS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.SLICES;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.allocation;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.commit;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.consumer;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Behaviour of Kubernetes on which the design of Claimstream depends.
 *
 * <p>These tests check Kubernetes, not Claimstream. If one of them fails after a version change, its conclusion for
 * Claimstream must be reviewed. Other assumptions are tested with their subject:
 *
 * <table>
 * <caption>Tests of other assumptions</caption>
 * <tr>
 * <td>allocationTimestamp, reservations, clearing by the scheduler, pinning, preemption</td>
 * <td>{@link KubeSchedulerIT}</td>
 * </tr>
 * <tr><td>status patches: uid, version, replay, immutable allocation, consumers</td><td>{@link StatusPatchIT}</td></tr>
 * <tr>
 * <td>gate, finalizer, single writer, rights, retries and pod writes of a denied kube-scheduler</td>
 * <td>{@link AdmissionPolicyIT}</td>
 * </tr>
 * <tr><td>fields that are dropped while gates are off</td><td>{@link DisabledFeatureGatesIT}</td></tr>
 * <tr>
 * <td>a claim keeps its share after the capacity gate is off; a policy's changes are stored</td>
 * <td>{@code GatesIT} of services/system-tests</td>
 * </tr>
 * <tr>
 * <td>two holders while no policy separates kube-scheduler and Claimstream</td>
 * <td>{@code RaceIT} of services/system-tests</td>
 * </tr>
 * </table>
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KubernetesAssumptionsIT {
    private static final Path POLICIES = Path.of("..", "..", "deploy", "policies");
    private static final Path EXAMPLES = Path.of("..", "..", "deploy", "examples");
    private static final Path MISTAKES = Path.of("..", "lint", "src", "test", "mistakes");
    private static final Pattern DOCUMENT_END = Pattern.compile("(?m)^---$");
    private static final Pattern NAMESPACE = Pattern.compile("namespace: *([a-z0-9-]+)");
    private static final String FINALIZER = "resource.kubernetes.io/delete-protection";
    private static final String FINALIZER_PATCH = "{\"metadata\":{\"finalizers\":[\"%s\"]}}".formatted(FINALIZER);

    /** A driver that no policy names. */
    private static final String UNMANAGED = "unmanaged.example.com";

    private static final String NODE = "node-0000";

    @AutoClose
    private ControlPlane plane;

    private RawApiClient api;

    @BeforeAll
    void start() {
        plane = TestControlPlane.start(ControlPlaneOptions.DEFAULT.with(Gates.ALL));
        api = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        plane.createNodes(1);
        plane.startSimulatedKubelet();
        plane.kubectl(ControlPlaneUser.ADMIN, "", "apply", "-f", POLICIES.toString());
        api.createOrThrow(CLASSES, ClaimManifests.deviceClass(DRIVER));
        api.createOrThrow(CLASSES, ClaimManifests.deviceClass(DRIVER).replace(DRIVER, UNMANAGED));
        api.createOrThrow(SLICES, """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: unmanaged}
                spec:
                  driver: unmanaged.example.com
                  nodeName: node-0000
                  pool: {name: node-0000, generation: 1, resourceSliceCount: 1}
                  devices:
                  - {name: a, attributes: {which: {string: a}}}
                  - {name: b, attributes: {which: {string: b}}}
                  - {name: c, attributes: {which: {string: c}}}
                """);
        String tried = commit(api.createOrThrow(CLAIMS, ClaimManifests.claim("tried")), allocation(NODE, "gpu-0"));
        ApiPoller.await(
                api,
                "/healthz",
                seen -> api.patch(status("tried") + "&dryRun=All", tried).status() == 403);
        ApiPoller.await(
                api,
                "/healthz",
                seen -> api.create(CLAIMS + "?dryRun=All", ClaimManifests.claim("second"))
                        .tree("metadata", "finalizers")
                        .isPresent());
    }

    private ApiResponse claim(String name) {
        return api.get(CLAIMS + "/" + name);
    }

    private static Optional<String> device(ApiResponse claim) {
        return claim.at("status", "allocation", "devices", "results", 0, "device");
    }

    // ---- deallocation by the claim controller

    /** Allocates an unmanaged claim for a gated pod. */
    private void reserve(String name, boolean isProtected) {
        api.createOrThrow(CLAIMS, ClaimManifests.claim(name, UNMANAGED));
        if (isProtected) {
            api.mergePatch(CLAIMS + "/" + name, FINALIZER_PATCH);
        }
        ApiResponse pod = api.createOrThrow(
                PODS,
                ClaimManifests.pod(name, "1")
                        .replace(
                                "spec:",
                                "spec:\n  terminationGracePeriodSeconds: 0\n  schedulingGates: [{name: example.com/wait}]"));
        String allocation = allocation(NODE, "used-" + name).replace(DRIVER, UNMANAGED);
        ApiResponse allocated = api.patch(status(name), commit(claim(name), allocation, consumer(name, pod.uid())));
        assertThat(allocated.status()).as(allocated.body()).isEqualTo(200);
    }

    /** Allocates an unmanaged claim and waits until its pod runs. */
    private void runPod(String name, boolean isProtected) {
        reserve(name, isProtected);
        api.mergePatch(PODS + "/" + name, "{\"spec\":{\"schedulingGates\":null}}");
        ApiPoller.await(
                api, PODS + "/" + name, seen -> seen.at("status", "phase").equals(Optional.of("Running")));
    }

    private static boolean isUnused(ApiResponse claim) {
        return claim.tree("status", "reservedFor").isEmpty();
    }

    /** Therefore the writer adds the finalizer before it allocates, unless a policy has added it. */
    @Test
    void onlyClaimWithFinalizerIsDeallocatedWithLastPod() {
        runPod("protected", true);
        runPod("bare", false);
        api.delete(PODS + "/protected");
        api.delete(PODS + "/bare");
        ApiResponse released = ApiPoller.await(api, CLAIMS + "/protected", KubernetesAssumptionsIT::isUnused);
        assertThat(device(released)).isEmpty();
        // the controller removes the finalizer in a separate write
        ApiPoller.await(
                api,
                CLAIMS + "/protected",
                seen -> seen.tree("metadata", "finalizers").isEmpty());
        assertThat(device(ApiPoller.await(api, CLAIMS + "/bare", KubernetesAssumptionsIT::isUnused)))
                .contains("used-bare");
    }

    /** Therefore devices count as allocated until the allocation is gone, whatever the number of consumers. */
    @Test
    void claimEmptiedByOtherClientKeepsDevicesUntilDeletion() {
        reserve("emptied", true);
        runPod("after", true);
        api.mergePatch(status("emptied"), "{\"status\":{\"reservedFor\":null}}");
        api.delete(PODS + "/emptied");
        ApiPoller.await(api, PODS + "/emptied", seen -> seen.status() == 404);
        api.delete(PODS + "/after");
        assertThat(device(ApiPoller.await(api, CLAIMS + "/after", KubernetesAssumptionsIT::isUnused)))
                .isEmpty();
        assertThat(device(claim("emptied"))).contains("used-emptied");
        api.delete(CLAIMS + "/emptied");
        ApiPoller.await(api, CLAIMS + "/emptied", seen -> seen.status() == 404);
    }

    /** Therefore the policy may add the finalizer to claims that are never allocated. */
    @Test
    void finalizerDoesNotBlockDeletionOfPendingClaim() {
        assertThat(api.createOrThrow(CLAIMS, ClaimManifests.claim("unserved")).at("metadata", "finalizers", 0))
                .contains(FINALIZER);
        api.delete(CLAIMS + "/unserved");
        ApiPoller.await(api, CLAIMS + "/unserved", seen -> seen.status() == 404);
    }

    // ---- API versions and policies

    /** Therefore the single-writer policy holds for every API version. */
    @ParameterizedTest
    @CsvSource({"v1beta1", "v1beta2"})
    void policiesApplyToOlderApiVersions(String version) {
        String name = "old-" + version;
        ApiResponse claim = api.createOrThrow(CLAIMS, ClaimManifests.claim(name));
        ApiResponse denied = api.patch(
                status(name).replace("resource.k8s.io/v1/", "resource.k8s.io/%s/".formatted(version)),
                commit(claim, allocation(NODE, "gpu-0")));
        assertThat(denied.status()).as(denied.body()).isEqualTo(403);
        assertThat(denied.body()).contains("claimstream-single-writer");
    }

    /**
     * Therefore flat requests, as in articles, are valid only in v1beta1.
     *
     * <p>The API server cannot convert a policy's changes of such a claim back to the older version, and would reject
     * it.
     */
    @Test
    void acceptsFlatRequestInV1beta1() {
        String flat = ClaimManifests.claim("flat")
                .replace("resource.k8s.io/v1", "resource.k8s.io/v1beta1")
                .replace("exactly: {deviceClassName: gpu.example.com}", "deviceClassName: gpu.example.com, count: 2");
        ApiResponse answer =
                api.create(CLAIMS.replace("/v1/", "/v1beta1/") + "?dryRun=All&fieldValidation=Strict", flat);
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        assertThat(answer.at("spec", "devices", "requests", 0, "count")).contains("2");
        assertThat(answer.tree("metadata", "finalizers"))
                .as("left to the writer")
                .isEmpty();
    }

    // ---- changes that a list does not show

    private static String claimForDevice(String device) {
        return ClaimManifests.claim("wants-" + device, UNMANAGED)
                .replace(
                        UNMANAGED + "}",
                        "%1$s, selectors: [{cel: {expression: \"device.attributes['%1$s'].which == '%2$s'\"}}]}"
                                .formatted(UNMANAGED, device));
    }

    /** Creates a pod whose claim only this device satisfies, and returns the path of the pod. */
    private String createPodForDevice(String device) {
        api.createOrThrow(CLAIMS, claimForDevice(device));
        api.createOrThrow(PODS, ClaimManifests.pod("wants-" + device, "1"));
        return PODS + "/wants-" + device;
    }

    private static boolean isBound(ApiResponse pod) {
        return pod.at("spec", "nodeName").isPresent();
    }

    private void allocate(String device) {
        ApiResponse answer = api.patch(
                status("moves"), commit(claim("moves"), allocation(NODE, device).replace(DRIVER, UNMANAGED)));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    /**
     * Therefore a list is compared with the whole cache, and kube-scheduler must not allocate managed drivers at all:
     * an early and careful scheduler would not be enough.
     */
    @Test
    @Tag("part-4")
    void kubeSchedulerAllocatesDeviceTwiceAfterMissedChanges() {
        ApiResponse first = api.createOrThrow(CLAIMS, ClaimManifests.claim("moves", UNMANAGED));
        allocate("a");
        ApiPoller.await(
                api,
                createPodForDevice("c"),
                KubernetesAssumptionsIT::isBound); // the scheduler then knows the allocation
        plane.stop(ControlPlaneComponent.SCHEDULER);
        plane.restart(ControlPlaneComponent.API_SERVER); // the restart breaks the watch of the scheduler
        api.patch(status("moves"), "{\"status\":{\"allocation\":null}}");
        allocate("b");
        plane.restart(ControlPlaneComponent.API_SERVER); // no watch delivers the changes between the two restarts
        assertThat(api.get(CLAIMS + "?watch=1&timeoutSeconds=1&resourceVersion=" + first.version())
                        .body())
                .as("a watch that goes on from before")
                .contains("\"code\":410", "too old resource version");
        plane.resume(ControlPlaneComponent.SCHEDULER);

        String wantsB = createPodForDevice("b");
        String wantsA = createPodForDevice("a");
        ApiPoller.await(api, wantsB, KubernetesAssumptionsIT::isBound);
        assertThat(device(claim("wants-b"))).isEqualTo(device(claim("moves"))).contains("b");
        assertThat(ApiPoller.await(api, wantsA, seen -> seen.body().contains("cannot allocate all claims")))
                .as("though its device is free")
                .matches(seen -> !isBound(seen));
    }

    // ---- manifests of articles and of this repository

    /** Creates all files as a dry run and returns kubectl's messages about rejections, or an empty text. */
    private String rejections(Stream<Path> files) {
        Stream<String> command = Stream.of("create", "--dry-run=server", "--validate=strict", "-R");
        try {
            plane.kubectl(
                    ControlPlaneUser.ADMIN,
                    "",
                    Stream.concat(command, files.flatMap(file -> Stream.of("-f", file.toString())))
                            .toArray(String[]::new));
            return "";
        } catch (ControlPlaneException e) {
            String message = String.valueOf(e.getMessage());
            return message.substring(message.indexOf("exit code")); // the command before it contains every file name
        }
    }

    private static List<Path> folders(Path parent) throws IOException {
        try (Stream<Path> all = Files.list(parent)) {
            return all.filter(Files::isDirectory).sorted().toList();
        }
    }

    /** Therefore each finding of {@code lint} is a mistake, and its complete fixes are valid. */
    @Test
    void rejectsLintMistakesAndAcceptsFixes() throws IOException {
        List<Path> mistakes = folders(MISTAKES);
        String output = rejections(mistakes.stream().map(each -> each.resolve("wrong.yaml")));
        for (Path mistake : mistakes) {
            boolean isAccepted = mistake.endsWith("10-claim-without-a-container") // no container gets devices
                    || mistake.endsWith("19-network-claim")
                    || (mistake.endsWith("22-every-device") && release() != KubernetesVersion.V1_36);
            assertThat(output.contains(mistake.resolve("wrong.yaml").toString()))
                    .as(mistake.toString())
                    .isEqualTo(!isAccepted);
        }
        assertThat(output)
                .contains(
                        "no matches for kind \"ResourceClass\" in version \"resource.k8s.io/v1alpha2\"",
                        "no matches for kind \"PodGroup\" in version \"scheduling.x-k8s.io/v1alpha1\"",
                        "unknown field \"spec.devices.requests[0].deviceClassName\"",
                        "unknown field \"spec.suitableNodes\"",
                        "unknown field \"spec.devices.requests[0].exactly.constraints\"",
                        "unknown field \"spec.devices.constraints[0].anyOf\"",
                        "unknown field \"spec.devices[0].basic\"",
                        "unknown field \"spec.resourceClaims[0].source\"");
        assertThat(unexpectedRejections(rejections(mistakes.stream()
                        .filter(each -> !Files.exists(each.resolve("left.txt")))
                        .map(each -> each.resolve("fixed.yaml")))))
                .isEmpty();
    }

    /** Returns the release of the API server. */
    private KubernetesVersion release() {
        return KubernetesVersion.nearest(plane.version());
    }

    /** Rejections, except for existing objects, kinds that 1.36 does not have, and policies of Claimstream. */
    private static List<String> unexpectedRejections(String output) {
        return output.lines()
                .filter(line -> Stream.of(
                                "(AlreadyExists)",
                                "claimstream-no-mixed-claims",
                                "\"curious\"", // an example of a rejected manifest
                                "\"JobSet\" in version \"jobset.x-k8s.io/v1alpha2\"", // its definition is not installed
                                "\"DeviceTaintRule\" in version \"resource.k8s.io/v1\"",
                                "\"PodGroup\" in version \"scheduling.k8s.io/v1beta1\"",
                                "ensure CRDs are installed first")
                        .noneMatch(line::contains))
                .toList();
    }

    @Test
    void acceptsExamples() throws IOException {
        List<Path> examples = new ArrayList<>(folders(EXAMPLES));
        Path before = EXAMPLES.resolve("old-manifests");
        examples.removeAll(List.of(EXAMPLES.resolve("scenarios"), before));
        examples.add(before.resolve("workload.yaml"));
        for (Path example : examples) {
            createPrerequisites(example);
        }
        assertThat(unexpectedRejections(rejections(examples.stream()))).isEmpty();
        assertThat(rejections(Stream.of(before.resolve("old")))).contains("\"ResourceClass\"", "unknown field");
    }

    /** Creates the namespaces and priority classes that dry runs of the other objects require. */
    private void createPrerequisites(Path example) throws IOException {
        try (Stream<Path> files = Files.walk(example)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".yaml")).toList()) {
                String all = Files.readString(file);
                for (String document : DOCUMENT_END.splitAsStream(all).toList()) {
                    if (document.contains("kind: Namespace\n")) {
                        api.create("/api/v1/namespaces", document);
                    } else if (document.contains("kind: PriorityClass\n")) {
                        api.create("/apis/scheduling.k8s.io/v1/priorityclasses", document);
                    }
                }
                NAMESPACE
                        .matcher(all)
                        .results()
                        .map(found ->
                                "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}".formatted(found.group(1)))
                        .distinct()
                        .forEach(namespace -> api.create("/api/v1/namespaces", namespace));
            }
        }
    }

    /**
     * Therefore {@code lint} reports these mistakes before the server, and the last ones because the server does not
     * report them.
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            alternatives                | 201 | firstAvailable                                 | {devices: {requests: [{name: nic, firstAvailable: [{name: fast, deviceClassName: nic-400g.example.com}, {name: slow, deviceClassName: nic-100g.example.com}]}]}}
            aligned and configured      | 201 | GpuConfig                                      | {devices: {requests: [{name: gpu, exactly: {deviceClassName: c, allocationMode: ExactCount, count: 2}}, {name: nic, exactly: {deviceClassName: c}}], constraints: [{requests: [gpu, nic], matchAttribute: resource.kubernetes.io/pcieRoot}], config: [{requests: [gpu], opaque: {driver: gpu.nvidia.com, parameters: {apiVersion: resource.nvidia.com/v1beta1, kind: GpuConfig}}}]}}
            count outside exactly       | 400 | unknown field "spec.devices.requests[0].count" | {devices: {requests: [{name: a, count: 2, exactly: {deviceClassName: c}}]}}
            neither exactly nor others  | 422 | exactly one of                                 | {devices: {requests: [{name: a}]}}
            a quantity with >=          | 422 | found no matching overload for '_>=_'          | {devices: {requests: [{name: a, exactly: {deviceClassName: c, selectors: [{cel: {expression: 'device.capacity["a.example.com"].memory >= quantity("40Gi")'}}]}}]}}
            a quantity that is compared | 201 | compareTo                                      | {devices: {requests: [{name: a, exactly: {deviceClassName: c, selectors: [{cel: {expression: 'device.capacity["a.example.com"].memory.compareTo(quantity("40Gi")) >= 0'}}]}}]}}
            a field of an attribute     | 201 | quantity                                       | {devices: {requests: [{name: a, exactly: {deviceClassName: c, selectors: [{cel: {expression: 'device.attributes["a.example.com"].memory.quantity == "40Gi"'}}]}}]}}
            """)
    void validatesClaimsFromArticles(String what, int code, String text, String spec) {
        ApiResponse answer = api.create(CLAIMS + "?dryRun=All&fieldValidation=Strict", """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: article}
                spec: %s
                """.formatted(spec));
        assertThat(answer.status()).as(answer.body()).isEqualTo(code);
        assertThat(answer.body().replace("\\\"", "\"").replace("\\u003e", ">")).contains(text);
    }
}
