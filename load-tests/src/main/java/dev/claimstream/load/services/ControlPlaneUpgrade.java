package dev.claimstream.load.services;

import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Replaces the components of a control plane by those of the newer release, except etcd. The program of a control plane
 * starts itself as its components, so the newer program takes the place of the older one.
 */
final class ControlPlaneUpgrade {
    /** How to build the older release. */
    static final String REMEDY = "Kubernetes 1.36: run `platform/testbed/build control-plane-1.36`";

    private static final List<ControlPlaneComponent> COMPONENTS = List.of(
            ControlPlaneComponent.API_SERVER, ControlPlaneComponent.CONTROLLERS, ControlPlaneComponent.SCHEDULER);
    private static final String PROGRAM = "control-plane";

    private final Path path;
    private final ControlPlaneProgram newer;

    private ControlPlaneUpgrade(Path path, ControlPlaneProgram newer) {
        this.path = path;
        this.newer = newer;
    }

    private static Path older() {
        return ProjectFolder.of("platform", "testbed", PROGRAM, "target", "1.36", PROGRAM);
    }

    /** Returns whether the older release is built. */
    static boolean isPossible() {
        return Files.isExecutable(older());
    }

    /** Copies the older program to a folder. */
    static ControlPlaneUpgrade prepare(Path folder) throws IOException {
        Path path = folder.resolve(PROGRAM);
        Files.copy(older(), path, StandardCopyOption.COPY_ATTRIBUTES);
        return new ControlPlaneUpgrade(path, ControlPlaneProgram.find().orElseThrow());
    }

    /** The program to start the control plane with. */
    ControlPlaneProgram program() {
        return new ControlPlaneProgram(path);
    }

    /** Restarts the components one after the other with the newer release. */
    void perform(ControlPlane plane) throws IOException {
        Path copy = path.resolveSibling(PROGRAM + "-new");
        Files.copy(newer.path(), copy, StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(copy, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        COMPONENTS.forEach(component -> {
            long unused = plane.restart(component);
        });
    }
}
