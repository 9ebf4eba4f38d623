import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The control plane, the kubelets and the checker: the programs of the test bed. */
final class Plane implements AutoCloseable {
    static final List<String> PARTS = List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd");

    private final Path program;
    private final Path folder;
    private final LineProcess up;
    private LineProcess kubelet;
    private LineProcess checker;
    private LineProcess proxy;

    Plane(Path program, Path folder) throws IOException {
        this.program = program;
        this.folder = folder;
        up = new LineProcess(
                errors(),
                List.of(
                        program.toString(),
                        "up",
                        "--dir",
                        folder.toString(),
                        "--qps",
                        "raised",
                        "--node-grace",
                        "12s"));
        up.line();
    }

    private Path errors() {
        return folder.resolveSibling("plane.err");
    }

    Path kubeconfig(String user) {
        return folder.resolve(user + ".kubeconfig");
    }

    void apply(Path... policies) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                program.toString(),
                "kubectl",
                "--kubeconfig",
                kubeconfig("admin").toString(),
                "apply"));
        for (Path each : policies) {
            command.addAll(List.of("-f", each.toString()));
        }
        int status = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolveSibling("kubectl.out").toFile())
                .start()
                .waitFor();
        if (status != 0) {
            throw new IllegalStateException("kubectl cannot apply the policies: see kubectl.out");
        }
    }

    /** Starts the simulated kubelets. The device of a force-deleted pod stays in use for a moment, as in reality. */
    void startKubelet() throws IOException {
        kubelet = startProgram("kubelet", "--lease", "3s", "--release-delay", "1s");
    }

    void killKubelet() throws InterruptedException {
        kubelet.kill();
    }

    void startChecker(long patienceSeconds) throws IOException {
        checker = startProgram(
                "check",
                "--patience",
                patienceSeconds + "s",
                "--may-wait",
                "--holdings",
                holdings().toString());
    }

    /** The devices that claims had at any time, which the checker writes when it is stopped. */
    Path holdings() {
        return folder.resolveSibling("holdings.json");
    }

    /** Starts the proxy between up and the API server; returns the kubeconfig of the proxy. */
    Path startProxy(long seed) throws IOException {
        Path kubeconfig = folder.resolve("faults.kubeconfig");
        proxy = new LineProcess(
                errors(),
                List.of(
                        program.toString(),
                        "faults",
                        "--kubeconfig",
                        kubeconfig("writer").toString(),
                        "--write",
                        kubeconfig.toString(),
                        "--page",
                        "50",
                        "--seed",
                        Long.toString(seed & Long.MAX_VALUE)));
        proxy.line();
        return kubeconfig;
    }

    /** Sends a fault of {@code control-plane faults -h} to the proxy; returns the faults so far. */
    String sendToProxy(String command) throws IOException {
        String response = proxy.ask(command);
        if (!JsonReader.text(JsonReader.read(response), "error").isEmpty()) {
            throw new IllegalStateException("%s: %s".formatted(command, response));
        }
        return response;
    }

    boolean isCheckerAlive() {
        return checker.isAlive();
    }

    /** Stops the checker; returns a line for each fault, and one with their number. */
    List<String> finishCheck() throws IOException, InterruptedException {
        return checker.end();
    }

    private LineProcess startProgram(String name, String... more) throws IOException {
        var command = new ArrayList<>(List.of(
                program.toString(), name, "--kubeconfig", kubeconfig("admin").toString()));
        command.addAll(List.of(more));
        var started = new LineProcess(errors(), command);
        started.line();
        return started;
    }

    /** Applies {@code stop}, {@code cont}, {@code kill} or {@code start} to a part. */
    void send(String verb, String part) throws IOException {
        String response = up.ask(verb + " " + part);
        if (!JsonReader.text(JsonReader.read(response), "error").isEmpty()) {
            throw new IllegalStateException("%s %s: %s".formatted(verb, part, response));
        }
    }

    @Override
    public void close() {
        if (checker != null) {
            checker.close();
        }
        if (kubelet != null) {
            kubelet.close();
        }
        if (proxy != null) {
            proxy.close();
        }
        up.close();
    }
}
