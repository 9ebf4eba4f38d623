package dev.claimstream.cli;

import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How long the devices of a pod that was deleted by force are given to nobody. */
final class CoolDownOption {
    private static final String NAME = "--cool-down";
    /** Longer than the seconds in which a kubelet ends what was deleted by force. */
    private static final Duration ON_A_CLUSTER = Duration.ofSeconds(10);

    private static final int MOST = 86_400;

    @Option(
            names = NAME,
            paramLabel = "SECONDS",
            description =
                    "How long the devices of a pod that goes without having finished, as one does that is deleted by"
                            + " force, are given to nobody: its kubelet may be running it still. 0 for not at all. Default: 10"
                            + " with --kubeconfig or --control-plane, else 0.")
    private Optional<Integer> seconds = Optional.empty();

    /**
     * What is wanted, or what is usual.
     *
     * @param isReal whether the cluster has kubelets
     * @throws ParameterException that names the option, its value and what it can be
     */
    Duration of(CommandSpec command, boolean isReal) {
        seconds.filter(number -> number < 0 || number > MOST).ifPresent(number -> {
            throw new ParameterException(
                    command.commandLine(), "%s %d: use 0 to %d seconds".formatted(NAME, number, MOST));
        });
        return seconds.map(Duration::ofSeconds).orElse(isReal ? ON_A_CLUSTER : Duration.ZERO);
    }
}
