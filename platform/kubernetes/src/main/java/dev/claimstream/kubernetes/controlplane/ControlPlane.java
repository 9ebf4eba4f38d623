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
 * A control plane of Kubernetes: etcd, kube-apiserver, kube-controller-manager and kube-scheduler as published, on free ports of
 * 127.0.0.1. It has no nodes until some are made. Its processes end with it, and with this one.
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
     * Starts one and returns when all of it is ready, after two to five seconds.
     *
     * @throws ControlPlaneException if there is no program for it, or it does not start
     */
    public static ControlPlane start(ControlPlaneOptions options) {
        return start(
                ControlPlaneProgram.find().orElseThrow(() -> new ControlPlaneException(ControlPlaneProgram.REMEDY)),
                options);
    }

    /**
     * Starts one from a program.
     *
     * @throws ControlPlaneException if it does not start
     */
    public static ControlPlane start(ControlPlaneProgram program, ControlPlaneOptions options) {
        List<String> line = new ArrayList<>(List.of(program.path().toString(), "up"));
        line.addAll(options.flags());
        Conversation conversation = Conversation.begin(line);
        return new ControlPlane(program, conversation, new Told(conversation.answer()));
    }

    /** Where its API server is. */
    public URI server() {
        return URI.create(told.text("server"));
    }

    /** What a client reads to speak as somebody. */
    public Path kubeconfig(Identity who) {
        return Path.of(told.text("kubeconfigs", who.key()));
    }

    /** Where its logs, kubeconfigs and data are. */
    public Path folder() {
        return Path.of(told.text("folder"));
    }

    /** How long its start took. */
    public Duration readyAfter() {
        return Duration.ofMillis(told.number("readyMillis"));
    }

    /**
     * The log of a part.
     *
     * @throws ControlPlaneException if it was started without this part
     */
    public Path log(Part part) {
        return Path.of(told.text("parts", part.program(), "log"));
    }

    /**
     * Where a part tells its figures, to {@link Identity#ADMIN} only.
     *
     * @throws ControlPlaneException if it was started without this part
     */
    public URI metrics(Part part) {
        return URI.create(told.text("parts", part.program(), "metrics"));
    }

    /**
     * The process id that a part had when the control plane was ready; {@link #start(Part)} gives that of a later one.
     *
     * @throws ControlPlaneException if it was started without this part
     */
    public long pid(Part part) {
        return told.number("parts", part.program(), "pid");
    }

    /** Freezes a part: it holds what it has, and answers nothing. */
    public void stop(Part part) {
        command("stop", part);
    }

    /** Lets a frozen part go on. */
    public void cont(Part part) {
        command("cont", part);
    }

    /** Ends a part at once. */
    public void kill(Part part) {
        command("kill", part);
    }

    /** Starts a part again that was killed, and returns its process id when it is ready. */
    public long start(Part part) {
        return command("start", part).number("pid");
    }

    /** Ends a part and starts it again, and returns its process id when it is ready. */
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
     * Makes nodes that no machine stands behind, {@code node-0000} and so on.
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
     * Plays the kubelets of all nodes until the control plane is closed, or what is returned.
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
     * Allocates in place of Claimstream, with the same writes but without deciding anything, until the control plane is closed, or what
     * is returned. It knows the devices that are there now.
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

    /** What allocates without deciding anything. */
    public static final class NextFree implements AutoCloseable {
        private final Conversation conversation;

        private NextFree(Conversation conversation) {
            this.conversation = conversation;
        }

        /** Its process id. */
        public long pid() {
            return conversation.pid();
        }

        @Override
        public void close() {
            conversation.close();
        }
    }

    /**
     * Makes nodes, devices, and pods with claims, and measures how the pods are bound.
     *
     * @param flags as {@code control-plane load -h} lists them
     * @return what was measured: a line of JSON
     * @throws ControlPlaneException if it fails; pods that are not bound are no failure
     */
    public String load(String... flags) {
        try (Conversation measuring = Conversation.begin(line(Identity.ADMIN, "load", flags))) {
            return measuring.answer();
        }
    }

    /**
     * Stands before the API server until the control plane is closed, or what is returned, and does not pass everything on once it is told
     * so.
     *
     * @param who in whose name it passes things on
     * @param kubeconfig the file that it writes, for those who are to meet faults
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
     * Looks, with a watch of its own, for what must not be: devices with two holders, allocations that change, claims that are lost. It
     * looks until it is closed, or asked what it has found.
     *
     * @param flags as {@code control-plane check -h} lists them
     */
    public Look check(String... flags) {
        Conversation looking = Conversation.begin(line(Identity.ADMIN, "check", flags));
        played.add(looking);
        looking.answer();
        return new Look(looking);
    }

    /** Looks at claims, pods and devices beside whatever runs. */
    public static final class Look implements AutoCloseable {
        private final Conversation conversation;
        private final List<String> said;
        private final Thread hearing;

        private Look(Conversation conversation) {
            this.conversation = conversation;
            this.said = new CopyOnWriteArrayList<>();
            this.hearing = conversation.pass(said::add);
        }

        /** The faults that were found so far, a line of JSON each. */
        public List<String> faults() {
            return said.stream().filter(line -> line.contains("\"fault\":")).toList();
        }

        /**
         * Ends it: a line of JSON for each fault, and one that counts them.
         *
         * @throws ControlPlaneException if it is interrupted before that
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

    /** Applies the policies in a folder, and those in it that let one process be watcher and writer. */
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
     * @param input what it reads from standard input
     * @return what it wrote to standard output
     * @throws ControlPlaneException if it fails, with what it wrote to standard error
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

    /** A line of JSON. */
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
