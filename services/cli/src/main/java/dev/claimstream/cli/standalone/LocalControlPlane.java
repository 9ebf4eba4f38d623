package dev.claimstream.cli.standalone;

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

/** A local Kubernetes control plane for trials with kubectl: simulated nodes and kubelets, and the policies. */
public record LocalControlPlane(ControlPlane plane, Path program) implements AutoCloseable {
    private static final String EXAMPLE = "deploy/examples/template-per-pod";
    private static final int NODES = 4;
    private static final Path POLICIES = Path.of("deploy", "policies");

    /**
     * Starts the control plane on the data of its last run.
     *
     * @param folder data folder of the control plane
     * @throws RunFailure if the program is missing or does not start
     */
    public static LocalControlPlane start(Path folder) {
        ControlPlaneProgram program =
                ControlPlaneProgram.find().orElseThrow(() -> new RunFailure(ControlPlaneProgram.REMEDY));
        Path policies = policies()
                .orElseThrow(() -> new RunFailure(
                        "%s is not in the current folder or above it: change to the folder of Claimstream"
                                .formatted(POLICIES)));
        try {
            ControlPlane plane = ControlPlane.start(program, ControlPlaneOptions.DEFAULT.in(folder));
            try {
                return initialize(plane, program.path(), policies);
            } catch (RuntimeException e) {
                plane.close();
                throw e;
            }
        } catch (ControlPlaneException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    private static LocalControlPlane initialize(ControlPlane plane, Path program, Path policies) {
        if (plane.kubectl(ControlPlaneUser.ADMIN, "", "get", "nodes", "-o", "name")
                .isBlank()) {
            plane.createNodes(NODES);
            plane.applyPolicies(policies);
        }
        var unused = plane.startSimulatedKubelet(); // it stops with the control plane
        return new LocalControlPlane(plane, program);
    }

    private static Optional<Path> policies() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve(POLICIES))) {
                return Optional.of(folder.resolve(POLICIES));
            }
        }
        return Optional.empty();
    }

    /** Returns access as the user of the writer. */
    ApiAccess access() {
        return ApiAccess.of(plane.kubeconfig(ControlPlaneUser.WRITER), Optional.empty());
    }

    /** Describes the nodes and how to use kubectl with this control plane. */
    String text() {
        return String.join(
                "\n",
                "  kubectl   %d nodes with simulated kubelets; the ConfigMap claimstream/claimstream-managed names the managed classes"
                        .formatted(NODES),
                "            export KUBECONFIG=%s PATH=%s:$PATH"
                        .formatted(plane.kubeconfig(ControlPlaneUser.ADMIN), program.getParent()));
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
