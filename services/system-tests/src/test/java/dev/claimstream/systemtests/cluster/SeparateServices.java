package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.standalone.Loopback;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.AllocatorProgram;
import dev.claimstream.systemtests.process.BrokerProgram;
import dev.claimstream.systemtests.process.ComponentProgram;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import dev.claimstream.systemtests.workload.Users;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Broker, allocator, console, watchers and writers beside a cluster, as separate processes with the rights of their
 * service accounts. Services whose name ends with 0 use a kubeconfig, the others the credentials of a pod.
 */
final class SeparateServices implements AutoCloseable {
    private static final String BROKER = "broker";
    private static final String ALLOCATOR = "allocator";
    private static final String CONSOLE = "console";
    private static final int PORT_TRIES = 3;
    private static final Pattern UNCOMMITTED = Pattern.compile("(\\d+) decisions not committed, retrying");

    private final Kubernetes cluster;
    private final Path folder;
    private final Map<String, Path> kubeconfigs;
    private final Map<String, Program> running = new LinkedHashMap<>();
    private final Map<String, Integer> ports = new HashMap<>();
    private final BrokerProgram brokerProgram;
    private final Map<String, String> further;

    /**
     * Prepares the services without starting any.
     *
     * @param folder of their data and logs
     * @param names such as {@code watcher-0}
     * @param kubeconfigs of services that connect through a proxy
     */
    SeparateServices(Kubernetes cluster, Path folder, List<String> names, Map<String, Path> kubeconfigs)
            throws IOException {
        this(cluster, folder, names, kubeconfigs, Map.of());
    }

    /** @param further settings of all services except the console, as environment variables */
    SeparateServices(
            Kubernetes cluster,
            Path folder,
            List<String> names,
            Map<String, Path> kubeconfigs,
            Map<String, String> further)
            throws IOException {
        this.further = further;
        this.cluster = cluster;
        this.folder = folder;
        this.kubeconfigs = kubeconfigs;
        List<Integer> free = FreePorts.of(names.size() + 4);
        brokerProgram = new BrokerProgram(folder, BROKER, free.get(0), free.get(1), 1, 1);
        for (int i = 0; i < names.size(); i++) {
            ports.put(names.get(i), free.get(i + 2));
        }
        ports.put(ALLOCATOR, free.get(names.size() + 2));
        ports.put(CONSOLE, free.get(names.size() + 3));
    }

    /** Starts broker, allocator, console and these services. */
    void startAll(List<String> names) throws IOException, InterruptedException {
        Program broker = brokerProgram.start();
        running.put(BROKER, broker);
        broker.awaitOut(ComponentProgram.READY, Users.PATIENCE);
        start(ALLOCATOR);
        running.put(CONSOLE, startConsole());
        for (String each : names) {
            start(each);
        }
    }

    /** Starts or restarts a service and waits until it is ready. The allocator is not awaited. */
    void start(String name) throws IOException, InterruptedException {
        if (name.equals(ALLOCATOR)) {
            Map<String, String> settings = new HashMap<>(further);
            settings.put("CLAIMSTREAM_OBSERVABILITY_PORT", Integer.toString(port(name)));
            running.put(
                    name,
                    AllocatorProgram.start(folder, name, bootstrap(), registry().toString(), settings));
            return;
        }
        Program program = startService(name);
        for (int i = 0; i < PORT_TRIES && !program.isAlive() && program.err().contains("Address already in use"); i++) {
            ports.put(name, FreePorts.of(1).getFirst()); // another program took the port after it was found free
            program = startService(name);
        }
        assertThat(program.isAlive()).as(program.err()).isTrue();
    }

    private Program startService(String name) throws IOException, InterruptedException {
        Program program = startWithoutWait(name);
        awaitReady(name);
        return program;
    }

    /** Waits until a service is ready, or has ended. */
    void awaitReady(String name) throws InterruptedException {
        Program program = get(name);
        SlowPoll.await(
                () -> code(name, "/health/ready") == HttpURLConnection.HTTP_OK || !program.isAlive(),
                () -> name + " ready: " + program.err());
    }

    /** Starts a service whose cluster may not respond. */
    Program startWithoutWait(String name) throws IOException {
        String service = service(name);
        Map<String, String> settings = new HashMap<>(Map.of(
                "CLAIMSTREAM_KAFKA_BOOTSTRAP",
                bootstrap(),
                "CLAIMSTREAM_REGISTRY_URL",
                registry().toString(),
                "CLAIMSTREAM_WRITER_INSTANCE",
                name,
                "CLAIMSTREAM_OBSERVABILITY_PORT",
                Integer.toString(port(name))));
        settings.putAll(further);
        settings.putAll(
                name.endsWith("0")
                        ? Map.of(
                                "CLAIMSTREAM_KUBERNETES_KUBECONFIG",
                                kubeconfig(name).toString())
                        : podEnvironment(service));
        Program program = Program.start(folder, settings, "dev.claimstream.%s.Main".formatted(service));
        Optional.ofNullable(running.put(name, program)).ifPresent(Program::close);
        return program;
    }

    private Program startConsole() throws IOException {
        return Program.start(
                folder,
                Map.of(
                        "CLAIMSTREAM_KAFKA_BOOTSTRAP",
                        bootstrap(),
                        "CLAIMSTREAM_REGISTRY_URL",
                        registry().toString(),
                        "CLAIMSTREAM_CONSOLE_PORT",
                        Integer.toString(port(CONSOLE))),
                "dev.claimstream.console.Main");
    }

    private static String service(String name) {
        return name.substring(0, name.indexOf('-'));
    }

    private Path kubeconfig(String name) {
        return Optional.ofNullable(kubeconfigs.get(name))
                .orElseGet(() -> cluster.plane()
                        .kubeconfig(
                                service(name).equals("writer") ? ControlPlaneUser.WRITER : ControlPlaneUser.WATCHER));
    }

    /** Returns the environment that Kubernetes provides to a pod of the service account. */
    private Map<String, String> podEnvironment(String account) throws IOException {
        Path files = Files.createDirectories(folder.resolve("account-" + account));
        Files.writeString(files.resolve("token"), cluster.kubectl("", "create", "token", account, "-n", "claimstream"));
        Files.write(files.resolve("ca.crt"), Base64.getDecoder().decode(kubeconfigField("certificate-authority-data")));
        URI server = URI.create(kubeconfigField("server"));
        return Map.of(
                "CLAIMSTREAM_KUBERNETES_IN_CLUSTER", "true",
                "CLAIMSTREAM_KUBERNETES_SERVICE_ACCOUNT", files.toString(),
                "KUBERNETES_SERVICE_HOST", server.getHost(),
                "KUBERNETES_SERVICE_PORT", Integer.toString(server.getPort()));
    }

    private String kubeconfigField(String field) {
        return cluster.kubectl(
                "", "config", "view", "--raw", "--minify", "-o", "jsonpath={.clusters[0].cluster.%s}".formatted(field));
    }

    private int port(String name) {
        return Objects.requireNonNull(ports.get(name));
    }

    String bootstrap() {
        return brokerProgram.bootstrap();
    }

    URI registry() {
        return brokerProgram.registryUrl();
    }

    /** Returns the address of the health page of a service. */
    String address(String name) {
        return "http://%s:%d".formatted(Loopback.HOST, port(name));
    }

    /** Returns the address of the console. */
    String consoleAddress() {
        return address(CONSOLE);
    }

    /** Returns the addresses of the health pages of all services except the console. */
    List<String> healthAddresses() {
        return ports.keySet().stream()
                .filter(each -> !each.equals(CONSOLE))
                .map(this::address)
                .toList();
    }

    Program get(String name) {
        return Objects.requireNonNull(running.get(name), name);
    }

    void kill(String name) {
        get(name).kill();
        running.remove(name);
    }

    /** Returns the health of a service that is not ready; empty if it is ready or does not respond. */
    String notReadyReport(String name) {
        try {
            HttpURLConnection connection = connection(name, "/health/ready");
            if (connection.getResponseCode() != HttpURLConnection.HTTP_UNAVAILABLE) {
                return "";
            }
            try (InputStream body = connection.getErrorStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns whether a writer has partitions and has committed the decisions from before their assignment. */
    boolean isCommitting(String writer) {
        return text(writer, "/health").contains("active, ");
    }

    /** Returns the number of decisions that a writer retries or holds back behind a retry. */
    int uncommittedDecisions(String writer) {
        Matcher open = UNCOMMITTED.matcher(text(writer, "/health"));
        return open.find() ? Integer.parseInt(open.group(1)) : 0;
    }

    private int code(String name, String path) {
        try {
            return connection(name, path).getResponseCode();
        } catch (IOException e) {
            return 0;
        }
    }

    private String text(String name, String path) {
        try (InputStream body = connection(name, path).getInputStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private HttpURLConnection connection(String name, String path) throws IOException {
        return (HttpURLConnection) URI.create(address(name) + path).toURL().openConnection();
    }

    /** Returns the warnings and errors in the logs of all services. */
    String warnings() {
        return running.entrySet().stream()
                .map(each -> each.getKey() + ": "
                        + each.getValue()
                                .err()
                                .lines()
                                .filter(line -> line.contains("WARN") || line.contains("ERROR"))
                                .collect(Collectors.joining("\n")))
                .collect(Collectors.joining("\n"));
    }

    /** Asserts that all services that were not killed are alive and logged no unexpected exception. */
    void assertHealthy() {
        running.forEach((name, each) -> assertThat(each.isAlive()).as(name).isTrue());
        running.forEach((name, each) ->
                assertThat(each.err()).as(name).doesNotContain("this is a bug in claimstream", "Exception:"));
    }

    @Override
    public void close() {
        running.values().forEach(Program::close);
    }
}
