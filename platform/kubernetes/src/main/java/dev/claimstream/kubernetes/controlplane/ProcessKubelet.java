package dev.claimstream.kubernetes.controlplane;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The kubelet of a node whose pods run as processes of this machine. It ends with its processes. */
public final class ProcessKubelet implements AutoCloseable {
    private final ProgramSession session;
    private final Path folder;
    private final List<String> notices;

    /** Reads the output until the node is registered, and forwards what comes later. */
    ProcessKubelet(ProgramSession session) {
        this.session = session;
        List<String> early = new ArrayList<>();
        String line = session.readReply();
        while (!field(line, "node")) {
            early.add(line);
            line = session.readReply();
        }
        this.folder = Path.of(text(line, "folder"));
        this.notices = new CopyOnWriteArrayList<>(early);
        session.forwardLines(notices::add);
    }

    private static boolean field(String line, String name) {
        return TreeReader.json(line) instanceof Tree.Mapping mapping
                && mapping.fields().containsKey(name);
    }

    private static String text(String line, String name) {
        if (TreeReader.json(line) instanceof Tree.Mapping mapping
                && mapping.fields().get(name) instanceof Tree.Text text) {
            return text.value();
        }
        throw new ControlPlaneException("%s has no %s".formatted(line, name));
    }

    /** Returns the process id of the kubelet. Its processes end with it, also when it is killed. */
    public long pid() {
        return session.pid();
    }

    /** Returns the folder with volumes, and the logs of containers in {@code logs}. */
    public Path folder() {
        return folder;
    }

    /** Returns the fields of pods and Services that the kubelet ignores, one line of JSON each. */
    public List<String> notices() {
        return List.copyOf(notices);
    }

    @Override
    public void close() {
        session.close();
    }
}
