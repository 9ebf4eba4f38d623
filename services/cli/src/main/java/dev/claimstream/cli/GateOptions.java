package dev.claimstream.cli;

import dev.claimstream.dra.Features;
import dev.claimstream.dra.Features.RefusedGateException;
import dev.claimstream.dra.KubernetesVersion;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which feature gates of Kubernetes are on. */
final class GateOptions {
    private static final String NEWEST = "1.37";

    @Option(
            names = "--features",
            paramLabel = "GATES",
            description = "Feature gates as Kubernetes writes them: DRAConsumableCapacity=false,... Others have the"
                    + " defaults of the release.")
    private String gates = "";

    @Option(
            names = "--kubernetes",
            paramLabel = "RELEASE",
            defaultValue = NEWEST,
            description = "Whose defaults the gates have: 1.36 or 1.37 (default).")
    private String release = "";

    /** Whether the command line says anything of gates. */
    boolean areGiven() {
        return !again().isEmpty();
    }

    /** The same again, as a shell reads it. */
    String again() {
        String version = release.equals(NEWEST) ? "" : " --kubernetes " + release;
        return version + (gates.isBlank() ? "" : " --features " + Inputs.quoted(gates));
    }

    /**
     * The gates of a command line.
     *
     * @throws ParameterException that names the gate or the release that is not known, or the gate that is locked
     */
    Features features(CommandSpec command) {
        KubernetesVersion version = KubernetesVersion.of(release)
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(),
                        "--kubernetes %s is not known: use %s".formatted(release, KubernetesVersion.names())));
        try {
            return Features.of(version, gates);
        } catch (RefusedGateException e) {
            throw new ParameterException(command.commandLine(), "--features: " + e.getMessage(), e);
        }
    }
}
