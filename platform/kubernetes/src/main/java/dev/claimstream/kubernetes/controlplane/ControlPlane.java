package dev.claimstream.kubernetes.controlplane;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A real Kubernetes control plane for tests, on free ports of 127.0.0.1.
 *
 * <p>It runs the published etcd, kube-apiserver, kube-controller-manager and kube-scheduler. It has no nodes at first. Its processes end
 * when it is closed and when this process ends.
 */
public final class ControlPlane implements AutoCloseable {
    private final ControlPlaneProgram program;
    private final ProgramSession session;
    private final ProgramReply description;
    private final List<ProgramSession> sessions = new ArrayList<>();

    private ControlPlane(ControlPlaneProgram program, ProgramSession session, ProgramReply description) {
        this.program = program;
        this.session = session;
        this.description = description;
    }

    /**
     * Starts a control plane and returns when all components are ready, after two to five seconds.
     *
     * @throws ControlPlaneException if the program is not built, or does not start
     */
    public static ControlPlane start(ControlPlaneOptions options) {
        return start(
                ControlPlaneProgram.find().orElseThrow(() -> new ControlPlaneException(ControlPlaneProgram.REMEDY)),
                options);
    }

    /**
     * Starts a control plane with a given program.
     *
     * @throws ControlPlaneException if it does not start
     */
    public static ControlPlane start(ControlPlaneProgram program, ControlPlaneOptions options) {
        List<String> line = new ArrayList<>(List.of(program.path().toString(), "up"));
        line.addAll(options.flags());
        ProgramSession session = ProgramSession.start(line);
        return new ControlPlane(program, session, new ProgramReply(session.readReply()));
    }

    /** Returns the URL of the API server. */
    public URI server() {
        return URI.create(description.text("server"));
    }

    /** Returns the version of Kubernetes, for example {@code v1.37.2}. */
    public String version() {
        return description.text("version");
    }

    public Path kubeconfig(ControlPlaneUser user) {
        return Path.of(description.text("kubeconfigs", user.key()));
    }

    /** Returns the folder with logs, kubeconfigs and data. */
    public Path folder() {
        return Path.of(description.text("folder"));
    }

    /** Returns the audit log of the API server: a JSON object per line. It exists with {@link ControlPlaneOptions#withAuditLog}. */
    public Path auditLog() {
        return folder().resolve("audit.log");
    }

    /** Returns the duration of the start. */
    public Duration readyAfter() {
        return Duration.ofMillis(description.number("readyMillis"));
    }

    /**
     * Returns the log file of a component.
     *
     * @throws ControlPlaneException if the component was not started
     */
    public Path log(ControlPlaneComponent part) {
        return Path.of(description.text("parts", part.program(), "log"));
    }

    /**
     * Returns the metrics endpoint of a component, which only {@link ControlPlaneUser#ADMIN} may read.
     *
     * @throws ControlPlaneException if the component was not started
     */
    public URI metrics(ControlPlaneComponent part) {
        return URI.create(description.text("parts", part.program(), "metrics"));
    }

    /**
     * Returns the process id of a component at the start; {@link #start(ControlPlaneComponent)} returns that of a later process.
     *
     * @throws ControlPlaneException if the component was not started
     */
    public long pid(ControlPlaneComponent part) {
        return description.number("parts", part.program(), "pid");
    }

    /** Suspends a component (SIGSTOP): it keeps its connections and answers nothing. */
    public void stop(ControlPlaneComponent part) {
        command("stop", part);
    }

    /** Resumes a suspended component (SIGCONT). */
    public void resume(ControlPlaneComponent part) {
        command("cont", part);
    }

    public void kill(ControlPlaneComponent part) {
        command("kill", part);
    }

    /** Starts a killed component again. Returns its process id when it is ready. */
    public long start(ControlPlaneComponent part) {
        return command("start", part).number("pid");
    }

    /** Stops and starts a component. Returns its process id when it is ready. */
    public long restart(ControlPlaneComponent part) {
        return command("restart", part).number("pid");
    }

    /** Saves a snapshot of etcd to a new file. */
    public void backup(Path file) {
        command("backup " + file);
    }

    /** Stops all components, replaces the data of etcd by a snapshot and starts all components. Returns when they are ready. */
    public void restore(Path file, RestoreMode mode) {
        command("restore " + file + mode.argument());
    }

    private ProgramReply command(String verb, ControlPlaneComponent part) {
        return command(verb + " " + part.program());
    }

    private ProgramReply command(String line) {
        ProgramReply answer = new ProgramReply(session.request(line));
        answer.optionalText("error").ifPresent(error -> {
            throw new ControlPlaneException(error);
        });
        return answer;
    }

    /**
     * Creates simulated nodes, named {@code node-0000} and so on.
     *
     * @param flags as {@code control-plane nodes -h} lists them, such as {@code --cpu=8}
     */
    public void createNodes(int count, String... flags) {
        List<String> line = commandLine(ControlPlaneUser.ADMIN, "nodes", flags);
        line.addAll(List.of("--count", Integer.toString(count)));
        try (ProgramSession session = ProgramSession.start(line)) {
            session.readReply();
        }
    }

    /**
     * Simulates the kubelets of all nodes until the control plane or the returned object is closed.
     *
     * @param flags as {@code control-plane kubelet -h} lists them
     */
    public AutoCloseable startSimulatedKubelet(String... flags) {
        ProgramSession session = ProgramSession.start(commandLine(ControlPlaneUser.ADMIN, "kubelet", flags));
        sessions.add(session);
        session.readReply();
        return session;
    }

    /**
     * Starts the kubelet of a node whose pods run as processes of this machine.
     *
     * <p>The control plane needs {@link ControlPlaneOptions#withProcesses()}. The kubelet runs until the control plane or the returned
     * object is closed.
     *
     * @param node name of the node
     * @param flags as {@code control-plane process-kubelet -h} lists them, such as {@code --image=REF=COMMAND}
     * @throws ControlPlaneException if this process may not mount and change users: it must run as root
     */
    public ProcessKubelet startProcessKubelet(String node, String... flags) {
        List<String> line = commandLine(ControlPlaneUser.ADMIN, "process-kubelet", flags);
        line.addAll(List.of("--name", node));
        ProgramSession kubelet = ProgramSession.start(line);
        sessions.add(kubelet);
        return new ProcessKubelet(kubelet);
    }

    /**
     * Starts an allocator that takes the next free device, as a baseline without scheduling decisions.
     *
     * <p>It writes as Claimstream does. It knows only the devices that exist at its start. It runs until the control plane or the returned
     * object is closed.
     *
     * @param flags as {@code control-plane next-free -h} lists them
     */
    public NextFreeAllocator startNextFreeAllocator(String... flags) {
        List<String> line = commandLine(ControlPlaneUser.ADMIN, "next-free", flags);
        line.addAll(List.of("--writer", kubeconfig(ControlPlaneUser.WRITER).toString()));
        ProgramSession session = ProgramSession.start(line);
        sessions.add(session);
        session.readReply();
        return new NextFreeAllocator(session);
    }

    /** An allocator that takes the next free device. */
    public static final class NextFreeAllocator implements AutoCloseable {
        private final ProgramSession session;

        private NextFreeAllocator(ProgramSession session) {
            this.session = session;
        }

        /** Returns its process id. */
        public long pid() {
            return session.pid();
        }

        @Override
        public void close() {
            session.close();
        }
    }

    /**
     * Creates nodes, devices and pods with claims, and measures the binding of the pods.
     *
     * @param flags as {@code control-plane load -h} lists them
     * @return the measurement: one line of JSON
     * @throws ControlPlaneException if the run fails; unbound pods are not a failure
     */
    public String runLoad(String... flags) {
        try (ProgramSession session = ProgramSession.start(commandLine(ControlPlaneUser.ADMIN, "load", flags))) {
            return session.readReply();
        }
    }

    /**
     * Starts a proxy in front of the API server that can inject faults, with the credentials of a user.
     *
     * <p>It runs until the control plane or the returned object is closed.
     *
     * @param kubeconfig file to which the proxy writes a kubeconfig for its clients
     * @param flags as {@code control-plane faults -h} lists them
     */
    public ApiFaultProxy startFaultProxy(ControlPlaneUser user, Path kubeconfig, String... flags) {
        List<String> line = commandLine(user, "faults", flags);
        line.addAll(List.of("--write", kubeconfig.toString()));
        ProgramSession session = ProgramSession.start(line);
        sessions.add(session);
        session.readReply();
        return new ApiFaultProxy(session);
    }

    /**
     * Starts a checker that looks for violated invariants with a watch of its own.
     *
     * <p>Violations are: a device of two claims, a changed allocation, a lost claim. The checker runs until it is closed or finished.
     *
     * @param flags as {@code control-plane check -h} lists them
     */
    public ConsistencyChecker startChecker(String... flags) {
        ProgramSession session = ProgramSession.start(commandLine(ControlPlaneUser.ADMIN, "check", flags));
        sessions.add(session);
        session.readReply();
        return new ConsistencyChecker(session);
    }

    /** Checks claims, pods and devices while other programs run. */
    public static final class ConsistencyChecker implements AutoCloseable {
        private static final Duration END_TIMEOUT = Duration.ofMinutes(1);

        private final ProgramSession session;
        private final List<String> lines;
        private final Thread reader;

        private ConsistencyChecker(ProgramSession session) {
            this.session = session;
            this.lines = new CopyOnWriteArrayList<>();
            this.reader = session.forwardLines(lines::add);
        }

        /** Returns the violations found so far, one line of JSON each. */
        public List<String> faults() {
            return lines.stream().filter(line -> line.contains("\"fault\":")).toList();
        }

        /**
         * Stops the checker and returns one line of JSON per violation and one with their number.
         *
         * @throws ControlPlaneException if the checker does not end within a minute, or the thread is interrupted before that
         */
        public List<String> finish() {
            session.requestEnd();
            try {
                if (!reader.join(END_TIMEOUT)) {
                    throw new ControlPlaneException(
                            "the check has not ended within " + END_TIMEOUT + ", lines: " + lines);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ControlPlaneException("interrupted before the check ended", e);
            }
            return List.copyOf(lines);
        }

        @Override
        public void close() {
            session.close();
        }
    }

    /** Applies the policies of a folder, including those that let one process be watcher and writer. */
    public void applyPolicies(Path folder) {
        kubectl(
                ControlPlaneUser.ADMIN,
                "",
                "apply",
                "-f",
                folder.toString(),
                "-f",
                folder.resolve("one-process").toString());
    }

    /**
     * Runs kubectl.
     *
     * @param input standard input
     * @return standard output
     * @throws ControlPlaneException if kubectl fails; the message contains its standard error
     */
    public String kubectl(ControlPlaneUser user, String input, String... arguments) {
        return ProgramSession.run(commandLine(user, "kubectl", arguments), Optional.of(input));
    }

    private List<String> commandLine(ControlPlaneUser user, String subcommand, String... arguments) {
        List<String> line = new ArrayList<>(List.of(
                program.path().toString(),
                subcommand,
                "--kubeconfig",
                kubeconfig(user).toString()));
        line.addAll(List.of(arguments));
        return line;
    }

    @Override
    public void close() {
        sessions.forEach(ProgramSession::close);
        session.close();
    }

    /** A reply of the program: one line of JSON. */
    private record ProgramReply(Tree tree) {
        ProgramReply(String line) {
            this(TreeReader.json(line));
        }

        Optional<String> optionalText(String... path) {
            Optional<Tree> found = Optional.of(tree);
            for (String name : path) {
                found = found.flatMap(each -> each instanceof Tree.Mapping mapping
                        ? Optional.ofNullable(mapping.fields().get(name))
                        : Optional.empty());
            }
            return found.map(each -> switch (each) {
                case Tree.Text text -> text.value();
                case Tree.Numeral numeral -> numeral.literal();
                case Tree.Bool _, Tree.Null _, Tree.Sequence _, Tree.Mapping _ -> each.toString();
            });
        }

        String text(String... path) {
            return optionalText(path)
                    .orElseThrow(() ->
                            new ControlPlaneException("the control plane has no %s".formatted(String.join(" ", path))));
        }

        long number(String... path) {
            return Long.parseLong(text(path));
        }
    }
}
