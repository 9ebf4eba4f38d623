package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.page.TenantPage;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.ObjectStoreProgram;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SigningKeyFiles;
import dev.claimstream.systemtests.process.StartCache;
import dev.claimstream.systemtests.security.SecuredKafka;
import dev.claimstream.systemtests.workload.DecisionLog;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Installs, upgrades, rolls back and removes the Helm chart on a real control plane. The services run as pods, whose
 * containers are processes of this machine with the jars of the build; pods with devices run on simulated nodes. The
 * upgrade and the rollback change the format of the allocator's state while pods are created. Kafka requires TLS, SCRAM and
 * permissions; each service has a user of its own, and only the Job of the topics may write to the registry.
 */
@Tag("part-4")
@Timeout(900)
class ChartIT {
    private static final Path ROOT = Path.of("..", "..");
    private static final Path CHART = ROOT.resolve("deploy/helm/claimstream").normalize();
    private static final Path TOOLS = ROOT.resolve(".claimstream/chart").normalize();
    private static final String CACHE = "programs.aot";
    private static final String BUCKET = "checkpoints";
    private static final String NEXT = "next";
    private static final String IMAGE = "registry.invalid/claimstream";
    private static final Duration LIMIT = Duration.ofMinutes(5);

    @TempDir
    private Path folder = Path.of("");

    private Path image = Path.of("");
    private String classPath = "";

    /**
     * Copies the jars and their start-up cache to where the user of the pods may read, and where no volume of a pod
     * hides them.
     */
    @BeforeEach
    void copyJars() throws IOException {
        image = Files.createTempDirectory(
                Path.of("/var/tmp"),
                "claimstream-chart",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        List<Path> copies = new ArrayList<>();
        for (Path jar : jars()) {
            Path copy = image.resolve(Program.TARGET.relativize(jar));
            Files.createDirectories(copy.getParent());
            copies.add(Files.copy(jar, copy, StandardCopyOption.COPY_ATTRIBUTES));
        }
        classPath = copies.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        Files.copy(StartCache.create(), image.resolve(CACHE));
        NextStateFormat.write(image.resolve(NEXT));
    }

    private static List<Path> jars() throws IOException {
        return Arrays.stream(Program.classPath().split(File.pathSeparator, -1))
                .map(Path::of)
                .toList();
    }

    @AfterEach
    void deleteJars() throws IOException {
        if (!image.isAbsolute()) {
            return; // no folder was made
        }
        try (Stream<Path> files = Files.walk(image)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static Path helm() throws IOException {
        List<Path> found = List.of();
        if (Files.isDirectory(TOOLS)) {
            try (Stream<Path> files = Files.list(TOOLS)) {
                found = files.filter(each -> each.getFileName().toString().startsWith("helm-v"))
                        .toList();
            }
        }
        String missing =
                "NOT TRIED: the Helm chart on a control plane. Build helm with .ci/chart --build, and run as root";
        boolean isPossible = !found.isEmpty() && Files.isReadable(Path.of("/proc/1/environ"));
        assertThat(isPossible || System.getenv("CI") == null).as(missing).isTrue();
        assumeTrue(isPossible, missing);
        return found.getFirst().toAbsolutePath();
    }

    @Test
    void installsUpgradesRollsBackAndLeaves() throws IOException, GeneralSecurityException, InterruptedException {
        Path helm = helm();
        List<Integer> ports = FreePorts.of(3);
        try (var store = ObjectStoreProgram.start(folder, ports.get(2), BUCKET);
                var kafka = SecuredKafka.start(folder);
                var cluster = Kubernetes.startWithoutPolicies(ControlPlaneOptions.DEFAULT.withProcesses(), 2, 8)) {
            cluster.plane()
                    .startProcessKubelet(
                            "services",
                            "--labels=services=true",
                            "--image=*=" + entryPoint(),
                            "--image=%s:%s=%s".formatted(IMAGE, NEXT, nextEntryPoint()));
            Path values = Files.writeString(folder.resolve("values.yaml"), values(kafka));
            cluster.kubectl("", "create", "namespace", "claimstream");
            for (var secret : kafka.chartSecrets().entrySet()) {
                createSecret(cluster, secret.getKey(), secret.getValue());
            }

            long start = System.nanoTime();
            helm(
                    cluster,
                    helm,
                    "install",
                    "claimstream",
                    CHART.toString(),
                    "--create-namespace",
                    "-f",
                    values.toString(),
                    "--wait",
                    "--timeout",
                    "5m");
            Duration ready = Duration.ofNanos(System.nanoTime() - start);
            cluster.kubectl("", "label", "namespace", "team", "claimstream.dev/managed=true", "--overwrite");
            Program.await(() -> isGated(cluster), "a gate at new pods", LIMIT);
            cluster.apply(Kubernetes.pods("first", 3, ""));
            awaitRunning(cluster, "first", 3);
            System.out.printf(
                    "helm install: all services ready after %d s, three pods with devices run after %d s%n",
                    ready.toSeconds(),
                    Duration.ofNanos(System.nanoTime() - start).toSeconds());
            assertThat(helm(cluster, helm, "test", "claimstream", "--timeout", "3m"))
                    .contains("Succeeded");
            assertThat(cluster.kubectl("", "logs", "-n", "claimstream", "claimstream-doctor"))
                    .contains(", 0 failed", " checks ", "need the permissions of an administrator: ")
                    .containsPattern("(?m)^ok +managed drivers  +all 1 publish slices");

            SigningKeyFiles keys = addCheckpointSecrets(cluster);
            try (var checker = cluster.plane().startChecker("--patience", "0");
                    var stream = PodStream.start(cluster, "stream")) {
                helm(
                        cluster,
                        helm,
                        "upgrade",
                        "claimstream",
                        CHART.toString(),
                        "-f",
                        values.toString(),
                        "--set",
                        "image.tag=" + NEXT,
                        "--set",
                        "allocator.coolDown=3s",
                        "--set",
                        "console.listen=loopback,console.port=" + ports.get(0),
                        "--set",
                        "access.mode=kubernetes,access.keepFor=1s,console.subjects[0].kind=User,console.subjects[0].name=user",
                        "--set",
                        "checkpoints.enabled=true,checkpoints.keySecret.name=checkpoint-key,checkpoints.existingSecret=checkpoint-store",
                        "--set",
                        "checkpoints.schedule=* * * * *,checkpoints.javaOptions=-Xmx128m,checkpoints.publish="
                                + store.location(BUCKET, "anchor"),
                        "--wait",
                        "--timeout",
                        "5m");
                cluster.apply(Kubernetes.pods("upgraded", 2, ""));
                awaitRunning(cluster, "upgraded", 2);
                assertConsoleIsForwarded(cluster, ports.get(1), ports.get(0));
                assertCheckpointsArePublished(cluster, kafka, store, keys);
                helm(cluster, helm, "rollback", "claimstream", "1", "--wait", "--timeout", "5m");
                System.out.printf(
                        "upgrade and rollback over another format of the state: %d pods of a stream have run%n",
                        stream.finish());
                Kubernetes.assertNoFaults(checker);
            }
            assertThat(DecisionLog.ledger(kafka.administratorBootstrap(), kafka.administratorRegistry()))
                    .filteredOn(event -> event.getEvent().equals("rebuild"))
                    .as("one rebuild for each change of the format")
                    .hasSize(2);
            cluster.apply(Kubernetes.pods("back", 13, ""));
            cluster.awaitStates("back", Map.of("Running", 11, "SchedulingGated", 2));
            assertThat(cluster.allocatedDevices()).hasSize(16).doesNotHaveDuplicates();

            helm(cluster, helm, "uninstall", "claimstream", "--wait", "--timeout", "5m");
            cluster.awaitStates("back", Map.of("Running", 11, "Pending", 2));
            cluster.kubectl("", "delete", "pods", "-n", "team", "-l", "set=first", "--wait=false");
            cluster.awaitStates("back", Map.of("Running", 13));
            assertThat(cluster.allocatedDevices()).hasSize(15).doesNotHaveDuplicates();
        }
    }

    private SigningKeyFiles addCheckpointSecrets(Kubernetes cluster) throws IOException {
        var keys = SigningKeyFiles.create(folder, "checkpoint");
        Path credentials = Files.writeString(folder.resolve("credentials"), ObjectStoreProgram.credentials());
        createSecret(cluster, "checkpoint-key", List.of("--from-file=key.pem=" + keys.privateKey()));
        createSecret(cluster, "checkpoint-store", List.of("--from-file=credentials=" + credentials));
        return keys;
    }

    private static void createSecret(Kubernetes cluster, String name, List<String> content) {
        List<String> command = new ArrayList<>(List.of("create", "secret", "generic", "-n", "claimstream", name));
        command.addAll(content);
        cluster.kubectl("", command.toArray(String[]::new));
    }

    /**
     * Checks that the CronJob signs by its schedule, and that a Job of the CronJob signs again. The log continues the log of the
     * checkpoint in the store. At the end the log is verified with the last published checkpoint.
     */
    private static void assertCheckpointsArePublished(
            Kubernetes cluster, SecuredKafka kafka, ObjectStoreProgram store, SigningKeyFiles keys)
            throws IOException, InterruptedException {
        Path objects = store.objects(BUCKET, "anchor").resolve("checkpoints");
        try {
            Program.await(() -> published(objects).size() > 0, "checkpoint of the schedule", LIMIT);
            List<Path> before = published(objects);
            cluster.kubectl(
                    "", "create", "job", "checkpoint-1", "-n", "claimstream", "--from=cronjob/claimstream-checkpoints");
            cluster.kubectl(
                    "", "wait", "job/checkpoint-1", "-n", "claimstream", "--for=condition=complete", "--timeout=180s");
            assertThat(published(objects)).hasSizeGreaterThan(before.size()).containsAll(before);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + state(cluster), e);
        }
        CommandResult verified = CommandResult.run(
                "audit",
                "verify",
                "--bootstrap",
                kafka.administratorBootstrap(),
                "--registry",
                kafka.administratorRegistry().toString(),
                "--checkpoint",
                published(objects).getLast().toString(),
                "--key",
                keys.publicKey());
        assertThat(verified.exitCode()).as(verified.out() + verified.err()).isZero();
    }

    /** The published checkpoints by time. */
    private static List<Path> published(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> each.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * With {@code access.mode: kubernetes}, a user with the roles of the chart, in one namespace, reaches the console by
     * {@code kubectl port-forward}, and sees this namespace only: in the command line with the token of the kubeconfig, and on the page.
     * The control plane does not aggregate roles, so the user has the part of view that the chart adds.
     */
    private static void assertConsoleIsForwarded(Kubernetes cluster, int here, int there)
            throws IOException, InterruptedException {
        cluster.apply("""
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: tenant, namespace: team}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: claimstream-view}
                subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: user}]
                """);
        assertThat(cluster.kubectl(
                        "",
                        "get",
                        "clusterroles",
                        "-l",
                        "rbac.authorization.k8s.io/aggregate-to-view=true",
                        "-o",
                        "name"))
                .contains("clusterrole.rbac.authorization.k8s.io/claimstream-view");
        assertThat(cluster.kubectl("", "get", "clusterrole", "view", "-o", "yaml"))
                .contains("rbac.authorization.k8s.io/aggregate-to-view: \"true\"");
        Path kubeconfig = cluster.plane().kubeconfig(ControlPlaneUser.USER);
        Process forward = new ProcessBuilder(
                        ControlPlaneProgram.find()
                                .orElseThrow()
                                .path()
                                .resolveSibling("kubectl")
                                .toString(),
                        "port-forward",
                        "deployment/claimstream-console",
                        here + ":" + there,
                        "-n",
                        "claimstream",
                        "--kubeconfig",
                        kubeconfig.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            URI console = URI.create("http://127.0.0.1:" + here);
            Program.await(
                    () -> {
                        CommandResult shown = claims(console, kubeconfig, "team");
                        return shown.exitCode() == 0 && shown.out().contains("upgraded-0");
                    },
                    "the claims of the console behind kubectl port-forward",
                    LIMIT);
            assertThat(claims(console, kubeconfig, "default").err())
                    .contains("user user may not list resourceclaims.resource.k8s.io in this namespace");
            String token =
                    new ApiAccess(List.of(kubeconfig), Optional.empty()).token().orElseThrow();
            TenantPage.check(console, token, "user", "team", "upgraded-0", "default");
        } finally {
            forward.destroy();
            assertThat(forward.waitFor(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    private static CommandResult claims(URI console, Path kubeconfig, String namespace) {
        return CommandResult.run(
                "get",
                "claims",
                "-n",
                namespace,
                "--console",
                console.toString(),
                "--kubeconfig",
                kubeconfig.toString());
    }

    private static void awaitRunning(Kubernetes cluster, String set, int count) throws InterruptedException {
        try {
            cluster.awaitStates(set, Map.of("Running", count));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + state(cluster), e);
        }
    }

    private String entryPoint() {
        return entryPoint("-XX:AOTCache=" + image.resolve(CACHE), classPath);
    }

    /** The next version, with another format of the allocator's state. The cache is not valid for its class path. */
    private String nextEntryPoint() {
        return entryPoint("", image.resolve(NEXT) + File.pathSeparator + classPath);
    }

    private static String entryPoint(String option, String classPath) {
        return "%s -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow %s -cp %s dev.claimstream.cli.Main"
                .formatted(Path.of(System.getProperty("java.home"), "bin", "java"), option, classPath);
    }

    private static String values(SecuredKafka kafka) {
        return kafka.chartValues() + """
                image: {registry: registry.invalid, repository: claimstream}
                managed:
                  drivers: [gpu.example.com]
                  classes: [gpu.example.com]
                nodeSelector: {services: "true"}
                allocator: {javaOptions: -Xmx256m}
                watcher: {javaOptions: -Xmx128m}
                writer: {javaOptions: -Xmx128m}
                console: {javaOptions: -Xmx128m, replicas: 1, listen: pod}
                """;
    }

    private static String helm(Kubernetes cluster, Path helm, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(helm.toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of(
                "-n",
                "claimstream",
                "--kubeconfig",
                cluster.plane().kubeconfig(ControlPlaneUser.ADMIN).toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(6, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(() -> output + state(cluster)).isZero();
        return output;
    }

    /** Pods and the end of their logs, for a failure. */
    private static String state(Kubernetes cluster) {
        var text = new StringBuilder(cluster.kubectl("", "get", "pods,events,resourceclaims", "-A", "-o", "wide"));
        Pattern.compile("\n")
                .splitAsStream(cluster.kubectl("", "get", "pods", "-n", "claimstream", "-o", "name"))
                .forEach(pod -> text.append(pod)
                        .append('\n')
                        .append(cluster.kubectl("", "logs", "-n", "claimstream", pod, "--tail=15", "--ignore-errors")));
        return text.toString();
    }

    private static boolean isGated(Kubernetes cluster) {
        return cluster.kubectl(Kubernetes.pods("tried", 1, ""), "create", "--dry-run=server", "-o", "yaml", "-f", "-")
                .contains("claimstream.dev/allocation");
    }
}
