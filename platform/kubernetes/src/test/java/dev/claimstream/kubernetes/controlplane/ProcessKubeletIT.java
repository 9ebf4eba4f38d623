package dev.claimstream.kubernetes.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import dev.claimstream.kubernetes.controlplane.RawApiClient.ListItem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workloads of the real controllers whose pods run as processes: restarts, rollouts, volumes, tokens and the end of a kubelet. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ProcessKubeletIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String SERVER =
            Path.of(System.getProperty("java.home"), "bin", "jwebserver").toString();

    private static ControlPlane plane;
    private static RawApiClient admin;
    private static ProcessKubelet one;
    private static ProcessKubelet other;

    @BeforeAll
    static void startNodes() {
        assumeTrue(
                Files.isReadable(Path.of("/proc/1/environ")),
                "NOT TRIED: pods as processes. Run this test as root: a process kubelet mounts and changes users");
        plane = TestControlPlane.start(ControlPlaneOptions.DEFAULT.withProcesses());
        admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        one = startNode("process-1", "--labels=test/role=worker");
        admin.createOrThrow("/api/v1/nodes", """
                {"apiVersion":"v1","kind":"Node","metadata":{"name":"process-2"}}""");
        other = startNode("process-2", "--labels=test/role=worker");
        plane.startSimulatedKubelet(); // must leave the nodes of both alone
    }

    private static ProcessKubelet startNode(String name, String... flags) {
        String kubectl = ControlPlaneProgram.find()
                .orElseThrow()
                .path()
                .resolveSibling("kubectl")
                .toString();
        String[] images = {
            "--image=web=/bin/sh -c", "--image=shell=/bin/sh -c", "--image=kubectl=" + kubectl, "--back-off=2s"
        };
        return plane.startProcessKubelet(
                name, Stream.of(images, flags).flatMap(Stream::of).toArray(String[]::new));
    }

    @AfterAll
    static void endNodes() {
        if (plane != null) {
            plane.close();
        }
    }

    /** As a node of another kubelet: a simulated one would serve it without the annotation, and no log can be read without its address. */
    @Test
    void existingNodeGetsLabelsAndAnnotations() {
        ApiResponse node = admin.get("/api/v1/nodes/process-2");
        assertThat(node.at("metadata", "labels", "test/role")).contains("worker");
        assertThat(node.at("metadata", "annotations", "testbed.claimstream.dev/silent"))
                .contains("true");
    }

    @Test
    @Tag("part-1")
    void deploymentServesRestartsAndRollsOut() throws Exception {
        apply("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: pages}
                data: {index.html: "first"}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
                """, webDeployment("1", "/index.html"));
        awaitDeployment("1", 2, 2);
        String address = admin.get("/api/v1/namespaces/default/services/web")
                .at("spec", "clusterIP")
                .orElseThrow();
        URI page = URI.create("http://" + address + "/index.html");
        await(() -> read(page).equals("first"), () -> read(page));

        mergePatch("/api/v1/namespaces/default/configmaps/pages", "{\"data\": {\"index.html\": \"second\"}}");
        await(() -> read(page).equals("second"), () -> read(page));

        ListItem pod = pods("app=web").getFirst();
        processOf(pod.text("status", "podIP")).destroyForcibly();
        String path = PODS + "/" + pod.text("metadata", "name");
        ApiResponse restarted = await(
                path,
                seen -> seen.at("status", "containerStatuses", 0, "restartCount")
                                .equals(Optional.of("1"))
                        && condition(seen, "Ready").equals("True"));
        assertThat(restarted.at("status", "containerStatuses", 0, "lastState", "terminated", "exitCode"))
                .contains("137");

        assertThat(admin.delete(path).status()).isEqualTo(200);
        await(path, seen -> seen.status() == 404);
        awaitDeployment("1", 2, 2);

        // A version that never becomes ready must not replace the one that serves.
        apply(webDeployment("2", "/absent.html"));
        awaitDeployment("2", 1, 2);
        await(
                () -> pods("app=web,version=2").stream()
                        .anyMatch(each -> each.text("status", "phase").equals("Running")),
                () -> pods("app=web").toString());
        assertThat(read(page)).isEqualTo("second");
        assertThat(pods("app=web,version=1")).hasSize(2);
        apply(webDeployment("3", "/index.html"));
        awaitDeployment("3", 2, 2);
        await(() -> pods("app=web").size() == 2, () -> pods("app=web").toString());
        assertThat(read(page)).isEqualTo("second");
    }

    /** Two replicas on one node use the same port; each has an address of its own. The server follows no links, of which a volume consists. */
    private static String webDeployment(String version, String ready) {
        return """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, annotations: {version: "%1$s"}}
                spec:
                  replicas: 2
                  selector: {matchLabels: {app: web}}
                  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
                  template:
                    metadata: {labels: {app: web, version: "%1$s"}}
                    spec:
                      nodeName: process-1
                      terminationGracePeriodSeconds: 5
                      containers:
                      - name: server
                        image: registry.example.com/web:%1$s
                        args: ["mkdir /srv/pages; while :; do cp /pages/* /srv/pages; sleep 0.2; done & exec %3$s -b $(POD_IP) -p $(PORT) -d /srv/pages"]
                        env:
                        - {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
                        - {name: PORT, value: "8080"}
                        ports: [{name: http, containerPort: 8080}]
                        startupProbe: {tcpSocket: {port: http}, periodSeconds: 1, failureThreshold: 60}
                        readinessProbe: {httpGet: {path: %2$s, port: http}, periodSeconds: 1}
                        volumeMounts: [{name: pages, mountPath: /pages}]
                      volumes: [{name: pages, configMap: {name: pages}}]
                """.formatted(version, ready, SERVER);
    }

    private static void awaitDeployment(String version, int updated, int ready) {
        await(
                "/apis/apps/v1/namespaces/default/deployments/web",
                seen -> seen.at("metadata", "annotations", "version").equals(Optional.of(version))
                        && seen.at("status", "observedGeneration").equals(seen.at("metadata", "generation"))
                        && seen.at("status", "updatedReplicas").equals(Optional.of(Integer.toString(updated)))
                        && seen.at("status", "readyReplicas").equals(Optional.of(Integer.toString(ready))));
    }

    @Test
    @Tag("part-0")
    void statefulSetKeepsVolumeAndNameWhenPodIsDeleted() {
        apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: store}
                spec: {clusterIP: None, selector: {app: store}, ports: [{port: 80}]}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: store}
                spec:
                  serviceName: store
                  selector: {matchLabels: {app: store}}
                  template:
                    metadata: {labels: {app: store}}
                    spec:
                      terminationGracePeriodSeconds: 20
                      securityContext: {runAsUser: 65532, runAsGroup: 65532}
                      initContainers:
                      - {name: first, image: shell, args: ["echo start >> /data/starts"], volumeMounts: [{name: data, mountPath: /data}]}
                      containers:
                      - name: main
                        image: shell
                        args: ["trap 'echo term >> /data/starts; exit 0' TERM; touch /tmp/ready; while :; do sleep 0.2; done"]
                        readinessProbe: {exec: {command: [test, -e, /tmp/ready]}, periodSeconds: 1}
                        lifecycle: {preStop: {exec: {command: [sh, -c, "echo stop >> /data/starts"]}}}
                        volumeMounts: [{name: data, mountPath: /data}]
                  volumeClaimTemplates:
                  - metadata: {name: data}
                    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
                """);
        String path = PODS + "/store-0";
        ApiResponse before = await(path, seen -> condition(seen, "Ready").equals("True"));
        assertThat(admin.delete(path).status()).isEqualTo(200);
        ApiResponse after = await(
                path,
                seen -> seen.status() == 200
                        && !seen.uid().equals(before.uid())
                        && condition(seen, "Ready").equals("True"));
        assertThat(kubectl("exec", "store-0", "--", "cat", "/data/starts").lines())
                .containsExactly("start", "stop", "term", "start");
        assertThat(kubectl("exec", "store-0", "--", "cat", "/etc/hosts"))
                .contains(after.at("status", "podIP").orElseThrow() + "\tstore-0.store.default.svc.cluster.local");
        assertThat(kubectl("exec", "store-0", "--", "id", "-u")).isEqualTo("65532\n");
    }

    @Test
    @Tag("part-1")
    void daemonSetRunsOnEachNode() {
        apply("""
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: every}
                spec:
                  selector: {matchLabels: {app: every}}
                  template:
                    metadata: {labels: {app: every}}
                    spec: {nodeSelector: {test/role: worker}, terminationGracePeriodSeconds: 1, containers: [{name: main, image: shell, args: ["sleep 1000"]}]}
                """);
        await(
                "/apis/apps/v1/namespaces/default/daemonsets/every",
                seen -> seen.at("status", "numberReady").equals(Optional.of("2")));
        assertThat(pods("app=every").stream().map(each -> each.text("spec", "nodeName")))
                .containsExactlyInAnyOrder("process-1", "process-2");
    }

    @Test
    @Tag("part-2")
    void jobRetriesFailedPod() {
        apply("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: tries}
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
                ---
                apiVersion: batch/v1
                kind: Job
                metadata: {name: again}
                spec:
                  backoffLimit: 2
                  template:
                    spec:
                      restartPolicy: Never
                      containers:
                      - {name: main, image: shell, args: ["test -e /tries/one || { touch /tries/one; exit 3; }"], volumeMounts: [{name: tries, mountPath: /tries}]}
                      volumes: [{name: tries, persistentVolumeClaim: {claimName: tries}}]
                """);
        ApiResponse job = await(
                "/apis/batch/v1/namespaces/default/jobs/again",
                seen -> seen.at("status", "succeeded").equals(Optional.of("1")));
        assertThat(job.at("status", "failed")).contains("1");
        assertThat(pods("job-name=again").stream()
                        .map(each -> each.text("status", "containerStatuses", 0, "state", "terminated", "exitCode")))
                .containsExactlyInAnyOrder("0", "3");
    }

    @Test
    @Tag("part-3")
    void podReachesApiServerWithItsToken() {
        apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: token}
                spec: {restartPolicy: Never, containers: [{name: main, image: kubectl, args: [auth, whoami, -o, "jsonpath={.status.userInfo.username}"]}]}
                """);
        await(PODS + "/token", seen -> seen.at("status", "phase").equals(Optional.of("Succeeded")));
        assertThat(kubectl("logs", "token")).isEqualTo("system:serviceaccount:default:default");
    }

    @Test
    @Tag("part-4")
    void readOnlyRootKeepsVolumesWritable() {
        apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: read-only}
                spec:
                  restartPolicy: Never
                  containers:
                  - name: main
                    image: shell
                    args: ["touch /tmp/file && echo volume; touch /file || echo root"]
                    securityContext: {readOnlyRootFilesystem: true, runAsUser: 0, capabilities: {drop: [ALL]}}
                    volumeMounts: [{name: tmp, mountPath: /tmp}]
                  volumes: [{name: tmp, emptyDir: {}}]
                """);
        await(PODS + "/read-only", seen -> seen.at("status", "phase").equals(Optional.of("Succeeded")));
        assertThat(kubectl("logs", "read-only").lines()).contains("volume", "root");
        assertThat(Stream.of(one, other).flatMap(each -> each.notices().stream()))
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                "pod default/read-only container main",
                                "\"ignored\":\"securityContext.capabilities\""));
    }

    @Test
    @Tag("part-0")
    void unmappedImageIsNotPulled() {
        apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: unmapped}
                spec: {containers: [{name: main, image: "registry.example.com/absent:1"}]}
                """);
        ApiResponse seen = await(
                PODS + "/unmapped",
                pod -> pod.at("status", "containerStatuses", 0, "state", "waiting", "message")
                        .filter(text -> text.contains("--image"))
                        .isPresent());
        assertThat(seen.at("status", "containerStatuses", 0, "state", "waiting", "message")
                        .orElseThrow())
                .contains("image registry.example.com/absent:1 is not mapped to a command");
    }

    /** A simulated kubelet would report the pod as ready before it is, and remove it at once. */
    @Test
    void simulatedKubeletLeavesProcessesAlone() {
        apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: slow}
                spec:
                  nodeName: process-1
                  terminationGracePeriodSeconds: 30
                  containers:
                  - name: main
                    image: shell
                    args: ["trap 'sleep 2; exit 0' TERM; touch /tmp/begun; while :; do sleep 0.1; done"]
                    readinessProbe: {exec: {command: [test, -e, /tmp/begun]}, periodSeconds: 1}
                """);
        String path = PODS + "/slow";
        await(path, seen -> condition(seen, "Ready").equals("True"));
        long start = System.nanoTime();
        assertThat(admin.delete(path).status()).isEqualTo(200);
        await(path, seen -> seen.status() == 404);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
    }

    @Test
    void killedKubeletLeavesNoProcess() throws Exception {
        ProcessKubelet third = startNode("process-3");
        String pod = """
                apiVersion: v1
                kind: Pod
                metadata: {name: survivor}
                spec: {nodeName: process-3, terminationGracePeriodSeconds: 1, containers: [{name: main, image: shell, args: ["sleep 987654 & sleep 987654"]}]}
                """;
        apply(pod);
        await(PODS + "/survivor", seen -> condition(seen, "Ready").equals("True"));
        await(() -> sleepers() == 2, () -> "sleepers: " + sleepers());
        ProcessHandle.of(third.pid()).orElseThrow().destroyForcibly();
        await(() -> sleepers() == 0, () -> "sleepers: " + sleepers());
        startNode("process-3");
        await(() -> sleepers() == 2, () -> "sleepers: " + sleepers());
        await(
                PODS + "/survivor",
                seen -> seen.at("status", "containerStatuses", 0, "state", "running")
                        .isPresent());
    }

    @Test
    @Tag("part-4")
    void containerThatCannotStartLeavesNoOpenLog() {
        apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: unstartable}
                spec: {restartPolicy: Never, containers: [{name: main, image: shell, command: [/nonexistent/command]}]}
                """);
        await(PODS + "/unstartable", seen -> seen.at("status", "phase").equals(Optional.of("Failed")));
        await(() -> openFiles("default_unstartable").isEmpty(), () -> "open: " + openFiles("default_unstartable"));
    }

    /** Open files of all processes whose path contains the text. */
    private static List<String> openFiles(String text) {
        return ProcessHandle.allProcesses()
                .flatMap(each -> list(Path.of("/proc", Long.toString(each.pid()), "fd")))
                .map(ProcessKubeletIT::target)
                .filter(file -> file.contains(text))
                .toList();
    }

    /** Empty for a process that has ended meanwhile. */
    private static Stream<Path> list(Path path) {
        try (Stream<Path> files = Files.list(path)) {
            return files.toList().stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static long sleepers() {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").endsWith("sleep 987654"))
                .filter(each -> each.info().command().orElse("").endsWith("sleep"))
                .count();
    }

    private static ProcessHandle processOf(String address) {
        return ProcessHandle.allProcesses()
                .filter(each ->
                        each.info().arguments().map(List::of).orElse(List.of()).contains(address))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no process with the argument " + address));
    }

    private static List<ListItem> pods(String selector) {
        return admin.get(PODS + "?labelSelector=" + selector.replace("=", "%3D").replace(",", "%2C"))
                .items("items");
    }

    private static String condition(ApiResponse pod, String type) {
        return Stream.iterate(0, i -> i + 1)
                .limit(8)
                .filter(i -> pod.at("status", "conditions", i, "type").equals(Optional.of(type)))
                .findFirst()
                .flatMap(i -> pod.at("status", "conditions", i, "status"))
                .orElse("");
    }

    private static void apply(String... yaml) {
        plane.kubectl(ControlPlaneUser.ADMIN, String.join("\n---\n", yaml), "apply", "-f", "-");
    }

    private static String kubectl(String... arguments) {
        return plane.kubectl(ControlPlaneUser.ADMIN, "", arguments);
    }

    private static void mergePatch(String path, String json) {
        assertThat(admin.mergePatch(path, json).status()).isEqualTo(200);
    }

    private static String read(URI page) {
        try (var client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(page)
                                    .timeout(Duration.ofSeconds(5))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static ApiResponse await(String path, Predicate<ApiResponse> expected) {
        ApiResponse[] last = new ApiResponse[1];
        await(
                () -> {
                    last[0] = admin.get(path);
                    return expected.test(last[0]);
                },
                () -> last[0].toString());
        return last[0];
    }

    private static void await(BooleanSupplier reached, Supplier<String> instead) {
        ApiPoller.await(LIMIT, reached, instead);
    }
}
