package dev.claimstream.kubernetes.controlplane;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The program that runs a control plane: {@code platform/testbed/control-plane}, built with Go.
 *
 * @param path path of the executable
 */
public record ControlPlaneProgram(Path path) {
    /** Environment variable with the path of a program that was built elsewhere. */
    public static final String VARIABLE = "CLAIMSTREAM_CONTROL_PLANE";

    /** How to build the program. */
    public static final String REMEDY = """
            The control plane is not built. Install Go of the version in platform/testbed/control-plane/go.mod or newer (https://go.dev/dl) and run \
            `platform/testbed/build control-plane`: about six minutes and 4 GB the first time. Or let `.ci/run upstream` fetch a Go and build it. \
            A program built elsewhere is named with %s; etcd and kube-apiserver alone, as in KUBEBUILDER_ASSETS, do not stand in for it.""".formatted(VARIABLE);

    private static final Path BUILD_PATH = Path.of("platform", "testbed", "control-plane", "target", "control-plane");

    /**
     * Finds the program of the variable, otherwise the one that was built in the source tree around the current folder.
     *
     * @throws ControlPlaneException if the variable does not name an executable
     */
    public static Optional<ControlPlaneProgram> find() {
        return Optional.ofNullable(System.getenv(VARIABLE))
                .map(Path::of)
                .map(ControlPlaneProgram::fromVariable)
                .or(ControlPlaneProgram::fromBuildTree);
    }

    private static ControlPlaneProgram fromVariable(Path path) {
        if (!Files.isExecutable(path)) {
            throw new ControlPlaneException(
                    "%s=%s is not a program: build it with `platform/testbed/build control-plane`, or unset the variable"
                            .formatted(VARIABLE, path));
        }
        return new ControlPlaneProgram(path.toAbsolutePath());
    }

    private static Optional<ControlPlaneProgram> fromBuildTree() {
        return Stream.iterate(
                        Optional.of(Path.of("").toAbsolutePath()),
                        Optional::isPresent,
                        each -> each.map(Path::getParent))
                .flatMap(Optional::stream)
                .map(folder -> folder.resolve(BUILD_PATH))
                .filter(Files::isExecutable)
                .findFirst()
                .map(ControlPlaneProgram::new);
    }
}
