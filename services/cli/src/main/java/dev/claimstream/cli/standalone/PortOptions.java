package dev.claimstream.cli.standalone;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.process.http.ListenException;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the ports of the servers of {@code claimstream up}, which are all on loopback. */
public final class PortOptions {
    static final String CONSOLE = "console";
    static final String OPTION_CONSOLE = "--port";
    static final String OPTION_REGISTRY = "--registry-port";

    private static final String OPTION_BROKER = "--broker-port";
    private static final int PORT_MAX = 65_535;

    @Option(
            names = OPTION_CONSOLE,
            paramLabel = "N",
            description = "Port of the console on loopback. Default: as at the last start, else any free one.")
    private Optional<Integer> consolePort = Optional.empty();

    @Option(
            names = OPTION_BROKER,
            paramLabel = "N",
            description = "Port of the Kafka broker on loopback. Default: as at the last start, else any free one.")
    private Optional<Integer> brokerPort = Optional.empty();

    @Option(
            names = OPTION_REGISTRY,
            paramLabel = "N",
            description = "Port of the schema registry on loopback. Default: as at the last start, else any free one.")
    private Optional<Integer> registryPort = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private PortOptions() {}

    /**
     * Checks the ports of all options.
     *
     * @throws ParameterException if a number is not a port; the message names option and value
     */
    public void check() {
        check(OPTION_CONSOLE, consolePort);
        check(OPTION_BROKER, brokerPort);
        check(OPTION_REGISTRY, registryPort);
    }

    private void check(String option, Optional<Integer> wanted) {
        wanted.filter(number -> number < 1 || number > PORT_MAX).ifPresent(number -> {
            throw new ParameterException(
                    spec.commandLine(), "%s %d is not a port: use 1 to %d".formatted(option, number, PORT_MAX));
        });
    }

    /**
     * Chooses the ports of broker and registry for a start on a data folder.
     *
     * @throws RunFailure if the port of an option is in use
     */
    StandalonePorts chooseServers(DataFolder folder) {
        return new StandalonePorts(
                choose(folder, "broker", OPTION_BROKER, brokerPort),
                choose(folder, "registry", OPTION_REGISTRY, registryPort));
    }

    /**
     * Chooses the port of the console for a start on a data folder; empty for any free port.
     *
     * @throws RunFailure if the port of the option is in use
     */
    OptionalInt chooseConsole(DataFolder folder) {
        return choose(folder, CONSOLE, OPTION_CONSOLE, consolePort);
    }

    /** Returns the error of a server whose port was free when it was chosen. */
    static ListenException taken(int port, String option, Throwable cause) {
        return ListenException.withRemedy(
                Loopback.HOST,
                port,
                cause,
                "another process has taken the port; start claimstream again, or name another port with " + option);
    }

    /** Returns the port of the option, which must be free; else the port of the last start if it is free. */
    private OptionalInt choose(DataFolder folder, String name, String option, Optional<Integer> wanted) {
        if (wanted.isPresent()) {
            if (!Loopback.isFree(wanted.get())) {
                throw new RunFailure("%s %d is in use by another process: name another port, or none for a free one"
                        .formatted(option, wanted.get()));
            }
            return OptionalInt.of(wanted.get());
        }
        OptionalInt last = folder.port(name);
        if (last.isPresent() && !Loopback.isFree(last.getAsInt())) {
            spec.commandLine()
                    .getErr()
                    .println(
                            "port %2$d of the %1$s, from the last start, is in use by another process: the %1$s gets a new port"
                                    .formatted(name, last.getAsInt()));
            return OptionalInt.empty();
        }
        return last;
    }
}
