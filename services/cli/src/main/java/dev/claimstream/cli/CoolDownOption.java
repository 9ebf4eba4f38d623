package dev.claimstream.cli;

import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Option for the quarantine of the devices of a force-deleted pod. */
final class CoolDownOption {
    private static final String NAME = "--cool-down";
    /** Longer than the time in which a kubelet stops a force-deleted pod. */
    private static final Duration CLUSTER_DEFAULT = Duration.ofSeconds(10);

    private static final int MAX_SECONDS = 86_400;

    @Option(
            names = NAME,
            paramLabel = "SECONDS",
            description =
                    "Quarantine period for the devices of a pod that is removed before it finished, for example by force:"
                            + " its kubelet may still run it. 0 disables the quarantine. Default: 10"
                            + " with --kubeconfig or --control-plane, else 0.")
    private Optional<Integer> seconds = Optional.empty();

    /**
     * Returns the quarantine period: the option, else the default of the cluster type.
     *
     * @param isReal whether the cluster has kubelets
     * @throws ParameterException if the value is out of range; the message names option, value and range
     */
    Duration of(CommandSpec command, boolean isReal) {
        seconds.filter(number -> number < 0 || number > MAX_SECONDS).ifPresent(number -> {
            throw new ParameterException(
                    command.commandLine(), "%s %d: use 0 to %d seconds".formatted(NAME, number, MAX_SECONDS));
        });
        return seconds.map(Duration::ofSeconds).orElse(isReal ? CLUSTER_DEFAULT : Duration.ZERO);
    }
}
