package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.Identity;
import dev.claimstream.watcher.ClusterWatcher;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two watchers and two writers at once beside the stock scheduler, each a process of its own with the rights of its account: one of each
 * by a kubeconfig, the other one as in a pod. Whichever is killed, the other one goes on; where it was the only one, or the allocator,
 * what is made meanwhile is served once it is back.
 */
@Timeout(900)
class TwoOfEachIT {
    private static final int NODES = 6;
    private static final int EACH = 4;
    private static final int AT_ONCE = 4;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    private final Map<String, Program> running = new LinkedHashMap<>();
    private final Map<String, Integer> ports = new HashMap<>();
    private String bootstrap = "";
    private String registry = "";

    @Test
    void whicheverIsKilledTheOtherOneGoesOnAndNothingIsGivenOrAnsweredTwice() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(NODES, EACH);
                var look = cluster.plane().check("--patience", "0")) {
            startAll(cluster);
            serves(cluster, "first");
            theDoctorFindsThemWell();
            theClaimsAreShownAtTheAddressOfTheConsole();
            kill("watcher-1"); // it has listed later
            serves(cluster, "second");
            start(cluster, "watcher-1");
            kill("watcher-0");
            serves(cluster, "third");
            start(cluster, "watcher-0");
            kill("writer-0");
            serves(cluster, "fourth");
            start(cluster, "writer-0");
            kill("writer-1");
            serves(cluster, "fifth");
            assertThat(cluster.devicesHeld()).hasSize(5 * AT_ONCE).doesNotHaveDuplicates();
            isReleased(cluster);
            serves(cluster, "sixth");
            kill("watcher-1");
            for (String alone : List.of("watcher-0", "writer-0", "allocator")) {
                kill(alone);
                cluster.apply(Kubernetes.pods("without-" + alone, AT_ONCE, ""));
                restart(cluster, alone);
                runs(cluster, "without-" + alone);
            }
            assertThat(cluster.devicesHeld()).hasSize(4 * AT_ONCE).doesNotHaveDuplicates();
            assertThat(look.end())
                    .as("faults, and how much was seen")
                    .singleElement()
                    .asString()
                    .contains("\"faults\":{}");
            running.forEach((name, each) -> assertThat(each.isAlive()).as(name).isTrue());
            running.forEach((name, each) ->
                    assertThat(each.err()).as(name).doesNotContain("mistake of the program", "Exception:"));
        } finally {
            running.values().forEach(Program::close);
        }
    }

    private void serves(Kubernetes cluster, String set) throws InterruptedException {
        cluster.apply(Kubernetes.pods(set, AT_ONCE, ""));
        runs(cluster, set);
    }

    private void runs(Kubernetes cluster, String set) throws InterruptedException {
        Slowly.await(
                () -> cluster.states(set).equals(Map.of("Running", AT_ONCE)),
                () -> "%s: %s; %s".formatted(set, cluster.states(set), said()));
    }

    private void isReleased(Kubernetes cluster) throws InterruptedException {
        cluster.kubectl("", "delete", "pods", "--all", "-n", "team", "--wait=false");
        Slowly.await(() -> cluster.claims().isEmpty(), () -> "no claims; " + said());
    }

    // ---- looked at from outside

    private void theDoctorFindsThemWell() throws InterruptedException {
        Slowly.await(
                () -> doctor(registry).out().lines().allMatch(line -> line.startsWith("ok ")),
                () -> doctor(registry).out());
        Ran well = doctor(registry);
        assertThat(well.exitCode()).as(well.out()).isZero();
        assertThat(well.err()).isEqualTo("no --kubeconfig was named, so no cluster was looked at\n");
        assertThat(well.out().lines().filter(line -> line.startsWith("ok       service http://")))
                .hasSize(ports.size());
        for (String check : List.of("brokers", "topics", "registry", "watcher", "lag", "alarms")) {
            assertThat(well.out()).containsPattern("(?m)^ok +" + check + "  ");
        }
        Ran wrong = doctor(address("watcher-0"));
        assertThat(wrong.exitCode()).isEqualTo(1);
        assertThat(wrong.out().lines().filter(line -> !line.startsWith("ok ")))
                .singleElement()
                .asString()
                .matches("failed +registry +%s answers 404 to /subjects → .+".formatted(address("watcher-0")));
    }

    private Ran doctor(String schemas) {
        return Ran.of(
                "doctor",
                "--bootstrap",
                bootstrap,
                "--registry",
                schemas,
                "--console",
                address("console"),
                "--health",
                ports.keySet().stream()
                        .filter(each -> !each.equals("console"))
                        .map(this::address)
                        .collect(Collectors.joining(",")));
    }

    private void theClaimsAreShownAtTheAddressOfTheConsole() throws IOException, InterruptedException {
        Ran named = Ran.of("get", "claims", "-A", "-o", "name", "--console", address("console"));
        assertThat(named.out().lines()).as(named.err()).hasSize(AT_ONCE);
        try (Program byVariable = Program.start(
                folder,
                Map.of(ConsoleOption.VARIABLE, address("console")),
                Main.class.getName(),
                "get",
                "claims",
                "-A",
                "-o",
                "name")) {
            assertThat(byVariable.awaitEnd()).as(byVariable.err()).isZero();
            assertThat(byVariable.out()).isEqualTo(named.out());
        }
    }

    private String address(String name) {
        return "http://%s:%d".formatted(Loopback.HOST, Objects.requireNonNull(ports.get(name)));
    }

    private String said() {
        return running.entrySet().stream()
                .map(each -> each.getKey() + ": "
                        + each.getValue()
                                .err()
                                .lines()
                                .filter(line -> line.contains("WARN") || line.contains("ERROR"))
                                .collect(Collectors.joining("\n")))
                .collect(Collectors.joining("\n"));
    }

    // ---- processes

    private void startAll(Kubernetes cluster) throws IOException, InterruptedException {
        List<Integer> free = FreePorts.of(8);
        var log = new BrokerProgram(folder, "broker", free.get(0), free.get(1), 1, 1);
        bootstrap = log.bootstrap();
        registry = log.registryUrl().toString();
        Program broker = log.start();
        running.put("broker", broker);
        broker.awaitOut(Part.READY, Users.PATIENCE);
        List<String> services = List.of("allocator", "console", "watcher-0", "watcher-1", "writer-0", "writer-1");
        for (int i = 0; i < services.size(); i++) {
            ports.put(services.get(i), free.get(i + 2));
        }
        running.put("allocator", allocator());
        running.put("console", console());
        for (String each : services.subList(2, services.size())) {
            start(cluster, each);
        }
    }

    private Program console() throws IOException {
        return Program.start(
                folder,
                Map.of(
                        "CLAIMSTREAM_KAFKA_BOOTSTRAP",
                        bootstrap,
                        "CLAIMSTREAM_REGISTRY_URL",
                        registry,
                        "MICRONAUT_SERVER_PORT",
                        Integer.toString(Objects.requireNonNull(ports.get("console")))),
                "dev.claimstream.console.Main");
    }

    private Program allocator() throws IOException {
        String sources = Arrays.stream(Kind.values())
                .map(kind -> "-Dclaimstream.allocator.sources.%s=%s".formatted(kind.apiName(), ClusterWatcher.SOURCE))
                .collect(Collectors.joining(" "));
        return Program.start(
                folder,
                Map.of(
                        "CLAIMSTREAM_KAFKA_BOOTSTRAP",
                        bootstrap,
                        "CLAIMSTREAM_REGISTRY_URL",
                        registry,
                        "CLAIMSTREAM_ALLOCATOR_STATE_FOLDER",
                        folder.resolve("state").toString(),
                        "CLAIMSTREAM_OBSERVABILITY_PORT",
                        Integer.toString(Objects.requireNonNull(ports.get("allocator"))),
                        "JAVA_TOOL_OPTIONS",
                        sources),
                "dev.claimstream.allocator.Main");
    }

    private void restart(Kubernetes cluster, String name) throws IOException, InterruptedException {
        if (name.equals("allocator")) {
            running.put(name, allocator());
        } else {
            start(cluster, name);
        }
    }

    private void start(Kubernetes cluster, String name) throws IOException, InterruptedException {
        String service = name.substring(0, name.indexOf('-'));
        int port = Objects.requireNonNull(ports.get(name));
        Map<String, String> settings = new HashMap<>(Map.of(
                "CLAIMSTREAM_KAFKA_BOOTSTRAP", bootstrap,
                "CLAIMSTREAM_REGISTRY_URL", registry,
                "CLAIMSTREAM_WRITER_INSTANCE", name,
                "CLAIMSTREAM_OBSERVABILITY_PORT", Integer.toString(port)));
        settings.putAll(
                name.endsWith("0")
                        ? Map.of("CLAIMSTREAM_KUBERNETES_KUBECONFIG", kubeconfig(cluster.plane(), service))
                        : asInAPod(cluster, service));
        Program program = Program.start(folder, settings, "dev.claimstream.%s.Main".formatted(service));
        Optional.ofNullable(running.put(name, program)).ifPresent(Program::close);
        String ready = address(name) + "/health/ready";
        Slowly.await(() -> isGood(ready) || !program.isAlive(), () -> name + " ready: " + program.err());
        assertThat(program.isAlive()).as(program.err()).isTrue();
    }

    private static String kubeconfig(ControlPlane plane, String service) {
        return plane.kubeconfig(service.equals("writer") ? Identity.WRITER : Identity.WATCHER)
                .toString();
    }

    /** What Kubernetes puts into a pod of the account. */
    private Map<String, String> asInAPod(Kubernetes cluster, String account) throws IOException {
        Path files = Files.createDirectories(folder.resolve("account-" + account));
        Files.writeString(files.resolve("token"), cluster.kubectl("", "create", "token", account, "-n", "claimstream"));
        Files.write(
                files.resolve("ca.crt"), Base64.getDecoder().decode(configured(cluster, "certificate-authority-data")));
        URI server = URI.create(configured(cluster, "server"));
        return Map.of(
                "CLAIMSTREAM_KUBERNETES_IN_CLUSTER", "true",
                "CLAIMSTREAM_KUBERNETES_SERVICE_ACCOUNT", files.toString(),
                "KUBERNETES_SERVICE_HOST", server.getHost(),
                "KUBERNETES_SERVICE_PORT", Integer.toString(server.getPort()));
    }

    private static String configured(Kubernetes cluster, String field) {
        return cluster.kubectl(
                "", "config", "view", "--raw", "--minify", "-o", "jsonpath={.clusters[0].cluster.%s}".formatted(field));
    }

    private void kill(String name) {
        Objects.requireNonNull(running.get(name)).kill();
        running.remove(name);
    }

    private static boolean isGood(String url) {
        try {
            return ((HttpURLConnection) URI.create(url).toURL().openConnection()).getResponseCode()
                    == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            return false;
        }
    }
}
