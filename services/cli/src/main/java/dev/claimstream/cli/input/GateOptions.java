package dev.claimstream.cli.input;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.FeatureGates.InvalidFeatureGateException;
import dev.claimstream.dra.KubernetesVersion;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options for the feature gates of Kubernetes. */
public final class GateOptions {
    @Option(
            names = "--features",
            paramLabel = "GATES",
            description =
                    "Feature gates in the syntax of Kubernetes: DRAConsumableCapacity=false,... Other gates have the"
                            + " defaults of the release.")
    private String gates = "";

    @Option(
            names = "--kubernetes",
            paramLabel = "RELEASE",
            description =
                    "Kubernetes release whose feature-gate defaults apply: 1.36 or 1.37. Default: 1.37; for a cluster that up serves, the"
                            + " release of its server.")
    private Optional<String> release = Optional.empty();

    /** Returns whether any of these options is given. */
    public boolean areGiven() {
        return !asOptions().isEmpty();
    }

    /** Returns the options as a shell reads them, for a suggested command. */
    public String asOptions() {
        String version = release.filter(name -> !name.equals(KubernetesVersion.NEWEST.toString()))
                .map(name -> " --kubernetes " + name)
                .orElse("");
        return version + (gates.isBlank() ? "" : " --features " + ManifestInputs.quoted(gates));
    }

    /** Describes the feature gates of a served cluster. */
    public String text(KubernetesVersion served) {
        String defaults = release.map("defaults of Kubernetes %s, by --kubernetes"::formatted)
                .orElse("defaults of Kubernetes %s, the release of the server".formatted(served));
        return gates.isBlank() ? defaults : defaults + ", with --features";
    }

    /**
     * Returns the feature gates of the command line, with the defaults of the newest known release.
     *
     * @throws ParameterException if a gate or the release is unknown, or a gate is locked; the message names it
     */
    public FeatureGates features(CommandSpec command) {
        return features(command, KubernetesVersion.NEWEST);
    }

    /**
     * Returns the feature gates of the command line.
     *
     * @param unsaid release whose defaults apply if the command line names none
     * @throws ParameterException if a gate or the release is unknown, or a gate is locked; the message names it
     */
    public FeatureGates features(CommandSpec command, KubernetesVersion unsaid) {
        KubernetesVersion version = release.map(name -> version(command, name)).orElse(unsaid);
        try {
            return FeatureGates.of(version, gates);
        } catch (InvalidFeatureGateException e) {
            throw new ParameterException(command.commandLine(), "--features: " + e.getMessage(), e);
        }
    }

    private static KubernetesVersion version(CommandSpec command, String name) {
        return KubernetesVersion.of(name)
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(),
                        "--kubernetes %s is not known: use %s".formatted(name, KubernetesVersion.names())));
    }
}
