package dev.claimstream.cli;

import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.input.HttpAddress;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option that names a simulator service. */
final class SimulatorOption {
    private static final String VARIABLE = "CLAIMSTREAM_SIMULATOR";
    private static final String CONSOLE = "--console";

    @Option(
            names = "--simulator",
            paramLabel = "URL",
            description = "Ask this simulator service, for example http://127.0.0.1:8420. Default:"
                    + " $CLAIMSTREAM_SIMULATOR, else the console. Without service and console, this command computes the"
                    + " state from the log.")
    private Optional<String> service = Optional.empty();

    @Option(
            names = CONSOLE,
            paramLabel = "URL",
            description = "Ask this console, which asks its simulator. Default: $CLAIMSTREAM_CONSOLE.")
    private Optional<String> console = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private SimulatorOption() {}

    /**
     * Returns the address of the service or console, which have the same paths; empty if the command has to compute the state.
     *
     * @param isStateNamed whether another option names a log, a time or manifests: then the variable does not count
     */
    Optional<URI> address(boolean isStateNamed) {
        if (service.isPresent() && console.isPresent()) {
            throw new ParameterException(spec.commandLine(), "--simulator excludes --console: leave one out");
        }
        if (isStateNamed && (service.isPresent() || console.isPresent())) {
            throw new ParameterException(
                    spec.commandLine(),
                    "%s excludes --cluster, --data, --at, --archive and --bootstrap: leave one out"
                            .formatted(service.isPresent() ? "--simulator" : CONSOLE));
        }
        try {
            return address(service, console, isStateNamed, System.getenv());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the address of an option, else of a variable. A named state precedes the variables. */
    static Optional<URI> address(
            Optional<String> service, Optional<String> console, boolean isStateNamed, Map<String, String> environment) {
        Optional<URI> named = service.map(text -> HttpAddress.of("--simulator", text))
                .or(() -> console.map(text -> HttpAddress.of(CONSOLE, text)));
        if (named.isPresent() || isStateNamed) {
            return named;
        }
        return Optional.ofNullable(environment.get(VARIABLE))
                .filter(text -> !text.isBlank())
                .map(text -> HttpAddress.of("$" + VARIABLE, text))
                .or(() -> ConsoleOption.address(Optional.empty(), false, environment));
    }
}
