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
    private final Conversation conversation;
    private final Told told;
    private final List<Conversation> played = new ArrayList<>();

    private ControlPlane(ControlPlaneProgram program, Conversation conversation, Told told) {
        this.program = program;
        this.conversation = conversation;
        this.told = told;
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
        Conversation conversation = Conversation.begin(line);
        return new ControlPlane(program, conversation, new Told(conversation.answer()));
    }

    /** Returns the URL of the API server. */
    public URI server() {
        return URI.create(told.text("server"));
    }

    /** Returns the kubeconfig of a user. */
    public Path kubeconfig(Identity who) {
        return Path.of(told.text("kubeconfigs", who.key()));
    }

    /** Returns the folder with logs, kubeconfigs and data. */
    public Path folder() {
        return Path.of(told.text("folder"));
    }

    /** Returns the duration of the start. */
    public Duration readyAfter() {
        return Duration.ofMillis(told.number("readyMillis"));
    }

    /**
     * Returns the log file of a component.
     *
     * @throws ControlPlaneException if the component was not started
     */
    public Path log(Part part) {
        return Path.of(told.text("parts", part.program(), "log"));
    }

    /**
     * Returns the metrics endpoint of a component, which only {@link Identity#ADMIN} may read.
     *
     * @throws ControlPlaneException if the component was not started
     */
    public URI metrics(Part part) {
        return URI.create(told.text("parts", part.program(), "metrics"));
    }

    /**
     * Returns the process id of a component at the start; {@link #start(Part)} returns that of a later process.
     *
     * @throws ControlPlaneException if the component was not started
     */
    public long pid(Part part) {
        return told.number("parts", part.program(), "pid");
    }

    /** Suspends a component (SIGSTOP): it keeps its connections and answers nothing. */
    public void stop(Part part) {
        command("stop", part);
    }

    /** Resumes a suspended component (SIGCONT). */
    public void cont(Part part) {
        command("cont", part);
    }

    /** Kills a component. */
    public void kill(Part part) {
        command("kill", part);
    }

    /** Starts a killed component again. Returns its process id when it is ready. */
    public long start(Part part) {
        return command("start", part).number("pid");
    }

    /** Stops and starts a component. Returns its process id when it is ready. */
    public long restart(Part part) {
        return command("restart", part).number("pid");
    }

    private Told command(String verb, Part part) {
        Told answer = new Told(conversation.ask(verb + " " + part.program()));
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
    public void nodes(int count, String... flags) {
        List<String> line = line(Identity.ADMIN, "nodes", flags);
        line.addAll(List.of("--count", Integer.toString(count)));
        try (Conversation made = Conversation.begin(line)) {
            made.answer();
        }
    }

    /**
     * Simulates the kubelets of all nodes until the control plane or the returned object is closed.
     *
     * @param flags as {@code control-plane kubelet -h} lists them
     */
    public AutoCloseable kubelet(String... flags) {
        Conversation playing = Conversation.begin(line(Identity.ADMIN, "kubelet", flags));
        played.add(playing);
        playing.answer();
        return playing;
    }

    /**
     * Starts an allocator that takes the next free device, as a baseline without scheduling decisions.
     *
     * <p>It writes as Claimstream does. It knows only the devices that exist at its start. It runs until the control plane or the returned
     * object is closed.
     *
     * @param flags as {@code control-plane next-free -h} lists them
     */
    public NextFree nextFree(String... flags) {
        List<String> line = line(Identity.ADMIN, "next-free", flags);
        line.addAll(List.of("--writer", kubeconfig(Identity.WRITER).toString()));
        Conversation allocating = Conversation.begin(line);
        played.add(allocating);
        allocating.answer();
        return new NextFree(allocating);
    }

    /** An allocator that takes the next free device. */
    public static final class NextFree implements AutoCloseable {
        private final Conversation conversation;

        private NextFree(Conversation conversation) {
            this.conversation = conversation;
        }

        /** Returns its process id. */
        public long pid() {
            return conversation.pid();
        }

        @Override
        public void close() {
            conversation.close();
        }
    }

    /**
     * Creates nodes, devices and pods with claims, and measures the binding of the pods.
     *
     * @param flags as {@code control-plane load -h} lists them
     * @return the measurement: one line of JSON
     * @throws ControlPlaneException if the run fails; unbound pods are not a failure
     */
    public String load(String... flags) {
        try (Conversation measuring = Conversation.begin(line(Identity.ADMIN, "load", flags))) {
            return measuring.answer();
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
    public ApiFaults faults(Identity who, Path kubeconfig, String... flags) {
        List<String> line = line(who, "faults", flags);
        line.addAll(List.of("--write", kubeconfig.toString()));
        Conversation standing = Conversation.begin(line);
        played.add(standing);
        standing.answer();
        return new ApiFaults(standing);
    }

    /**
     * Starts a checker that looks for violated invariants with a watch of its own.
     *
     * <p>Violations are: a device of two claims, a changed allocation, a lost claim. The checker runs until it is closed or finished.
     *
     * @param flags as {@code control-plane check -h} lists them
     */
    public Look check(String... flags) {
        Conversation looking = Conversation.begin(line(Identity.ADMIN, "check", flags));
        played.add(looking);
        looking.answer();
        return new Look(looking);
    }

    /** Checks claims, pods and devices while other programs run. */
    public static final class Look implements AutoCloseable {
        private final Conversation conversation;
        private final List<String> said;
        private final Thread hearing;

        private Look(Conversation conversation) {
            this.conversation = conversation;
            this.said = new CopyOnWriteArrayList<>();
            this.hearing = conversation.pass(said::add);
        }

        /** Returns the violations found so far, one line of JSON each. */
        public List<String> faults() {
            return said.stream().filter(line -> line.contains("\"fault\":")).toList();
        }

        /**
         * Stops the checker and returns one line of JSON per violation and one with their number.
         *
         * @throws ControlPlaneException if the thread is interrupted before that
         */
        public List<String> end() {
            conversation.end();
            try {
                hearing.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ControlPlaneException("interrupted before the checker has ended", e);
            }
            return List.copyOf(said);
        }

        @Override
        public void close() {
            conversation.close();
        }
    }

    /** Applies the policies of a folder, including those that let one process be watcher and writer. */
    public void applyPolicies(Path folder) {
        kubectl(
                Identity.ADMIN,
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
    public String kubectl(Identity who, String input, String... arguments) {
        return Conversation.run(line(who, "kubectl", arguments), Optional.of(input));
    }

    private List<String> line(Identity who, String subcommand, String... arguments) {
        List<String> line = new ArrayList<>(List.of(
                program.path().toString(),
                subcommand,
                "--kubeconfig",
                kubeconfig(who).toString()));
        line.addAll(List.of(arguments));
        return line;
    }

    @Override
    public void close() {
        played.forEach(Conversation::close);
        conversation.close();
    }

    /** A reply of the program: one line of JSON. */
    private record Told(Tree tree) {
        Told(String line) {
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
