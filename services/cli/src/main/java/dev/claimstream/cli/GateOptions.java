package dev.claimstream.cli;

import dev.claimstream.dra.Features;
import dev.claimstream.dra.Features.UnknownGateException;
import dev.claimstream.dra.KubernetesVersion;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which feature gates of Kubernetes are on. */
final class GateOptions {
    @Option(
            names = "--features",
            paramLabel = "GATES",
            description = "Feature gates as Kubernetes writes them: DRAConsumableCapacity=false,... Others have the"
                    + " defaults of the release.")
    private String gates = "";

    @Option(
            names = "--kubernetes",
            paramLabel = "RELEASE",
            defaultValue = "1.37",
            description = "Whose defaults the gates have: 1.36 or 1.37 (default).")
    private String release = "";

    /**
     * The gates of a command line.
     *
     * @throws ParameterException that names the gate or the release that is not known
     */
    Features features(CommandSpec command) {
        KubernetesVersion version = KubernetesVersion.of(release)
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(), "--kubernetes %s is not known: use %s".formatted(release, releases())));
        try {
            return Features.of(version).with(gates);
        } catch (UnknownGateException e) {
            throw new ParameterException(command.commandLine(), "--features: " + e.getMessage(), e);
        }
    }

    private static String releases() {
        return Arrays.stream(KubernetesVersion.values())
                .map(KubernetesVersion::toString)
                .collect(Collectors.joining(" or "));
    }
}
