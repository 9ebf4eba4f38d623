package dev.claimstream.cli;

import dev.claimstream.cli.input.HttpAddress;
import java.net.URI;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option that names a simulator service. */
final class SimulatorOption {
    private static final String VARIABLE = "CLAIMSTREAM_SIMULATOR";

    @Option(
            names = "--simulator",
            paramLabel = "URL",
            description = "Ask this simulator service, for example http://127.0.0.1:8420. Default:"
                    + " $CLAIMSTREAM_SIMULATOR. Without both, this command computes the state from the log.")
    private Optional<String> service = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private SimulatorOption() {}

    /**
     * Returns the address of the service; empty if the command has to compute the state.
     *
     * @param isStateNamed whether another option names a log, a time or manifests: then the variable does not count
     */
    Optional<URI> address(boolean isStateNamed) {
        if (service.isPresent() && isStateNamed) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--simulator excludes --cluster, --data, --at, --archive and --bootstrap: leave one out");
        }
        try {
            return service.map(text -> HttpAddress.of("--simulator", text))
                    .or(() -> Optional.ofNullable(System.getenv(VARIABLE))
                            .filter(text -> !text.isBlank() && !isStateNamed)
                            .map(text -> HttpAddress.of("$" + VARIABLE, text)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
