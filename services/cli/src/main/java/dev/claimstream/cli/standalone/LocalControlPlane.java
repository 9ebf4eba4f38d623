package dev.claimstream.cli.standalone;

import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.folder.DefaultFolders;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A local Kubernetes control plane for trials with kubectl: simulated nodes and kubelets, and the policies. */
public record LocalControlPlane(ControlPlane plane, ControlPlaneFiles files) implements AutoCloseable {
    private static final String EXAMPLE = "deploy/examples/template-per-pod";
    private static final int NODES = 4;
    private static final Path POLICIES = Path.of("deploy", "policies");

    /** Text that a shell takes as it is. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    /**
     * What a control plane is started from.
     *
     * @param root folder of the source tree, with the policies
     */
    public record ControlPlaneFiles(ControlPlaneProgram program, Path root) {
        /**
         * Finds program and policies.
         *
         * @throws RunFailure if one of them is missing
         */
        public static ControlPlaneFiles find() {
            try {
                return new ControlPlaneFiles(
                        ControlPlaneProgram.find().orElseThrow(() -> new RunFailure(ControlPlaneProgram.REMEDY)),
                        findRoot()
                                .orElseThrow(() -> new RunFailure(
                                        "%s is not in the current folder or above it: change to the folder of Claimstream"
                                                .formatted(POLICIES))));
            } catch (ControlPlaneException e) {
                throw new RunFailure(String.valueOf(e.getMessage()));
            }
        }

        private static Optional<Path> findRoot() {
            return Stream.<Optional<Path>>iterate(
                            Optional.of(Path.of("").toAbsolutePath()),
                            Optional::isPresent,
                            each -> each.map(Path::getParent))
                    .flatMap(Optional::stream)
                    .filter(folder -> Files.isDirectory(folder.resolve(POLICIES)))
                    .findFirst();
        }

        /** Returns the folders with {@code kubectl} and its plugin, as a value of {@code PATH} without an end. */
        private String searchPath() {
            return "%s:%s"
                    .formatted(
                            root,
                            Optional.ofNullable(program.path().getParent()).orElse(root));
        }
    }

    /**
     * Starts the control plane on the data of its last run.
     *
     * @param folder data folder of the control plane
     * @throws RunFailure if a program or file is missing, or the control plane does not start
     */
    public static LocalControlPlane start(Path folder) {
        var files = ControlPlaneFiles.find();
        try {
            ControlPlane plane = ControlPlane.start(files.program(), ControlPlaneOptions.DEFAULT.in(folder));
            try {
                return initialize(plane, files);
            } catch (RuntimeException e) {
                plane.close();
                throw e;
            }
        } catch (ControlPlaneException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    private static LocalControlPlane initialize(ControlPlane plane, ControlPlaneFiles files) {
        if (plane.kubectl(ControlPlaneUser.ADMIN, "", "get", "nodes", "-o", "name")
                .isBlank()) {
            plane.createNodes(NODES);
            plane.applyPolicies(files.root().resolve(POLICIES));
        }
        var unused = plane.startSimulatedKubelet(); // it stops with the control plane
        return new LocalControlPlane(plane, files);
    }

    /** Returns access as the user of the writer. */
    ApiAccess access() {
        return ApiAccess.of(plane.kubeconfig(ControlPlaneUser.WRITER), Optional.empty());
    }

    /**
     * Describes the nodes and how to use kubectl, with its plugin, on this control plane.
     *
     * @param folder data folder of {@code up}, by which the plugin finds it
     * @param allClaims whether all claims are managed, not only those of the classes in {@code claimstream-managed}
     */
    String text(Path folder, boolean allClaims) {
        return String.join(
                "\n",
                "  kubectl   %d nodes with simulated kubelets; %s".formatted(NODES, managedClasses(allClaims)),
                "            " + environmentLine(plane.kubeconfig(ControlPlaneUser.ADMIN), folder, files.searchPath()));
    }

    static String managedClasses(boolean allClaims) {
        return allClaims
                ? "claims of all classes are managed (--all-claims)"
                : "the ConfigMap claimstream/claimstream-managed names the managed classes";
    }

    /** Returns a line for any POSIX shell, in any folder, after which {@code kubectl claimstream} works. */
    static String environmentLine(Path kubeconfig, Path folder, String searchPath) {
        return "unset %s; export KUBECONFIG=%s %s=%s PATH=%s:\"$PATH\""
                .formatted(
                        ConsoleOption.VARIABLE, // it excludes the variable of the folder
                        quoted(kubeconfig.toString()),
                        DefaultFolders.VARIABLE,
                        quoted(folder.toString()),
                        quoted(searchPath));
    }

    private static String quoted(String text) {
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /**
     * Returns example kubectl commands, one per element.
     *
     * @param allClaims whether all claims are managed, not only those of the classes in {@code claimstream-managed}
     */
    static List<String> exampleCommands(boolean allClaims) {
        return allClaims
                ? List.of("kubectl label namespace default claimstream.dev/managed=true", "kubectl apply -f " + EXAMPLE)
                : List.of("kubectl apply -f FILE (with --all-claims also %s, whose class is otherwise unmanaged)"
                        .formatted(EXAMPLE));
    }

    @Override
    public void close() {
        plane.close();
    }
}
