package dev.claimstream.cli;

import dev.claimstream.cli.standalone.SampleFile;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Option for the telemetry of a simulated cluster. */
final class TelemetryOption {
    private static final String NAME = "--telemetry";

    @Option(
            names = NAME,
            paramLabel = "FILE",
            description =
                    "For a simulated cluster: publish the samples of this file every 5 seconds. A line is DRIVER/POOL/DEVICE"
                            + " PERCENT [USED/TOTAL [WATTS]]: utilisation, memory in GiB, power.")
    private Optional<Path> file = Optional.empty();

    /**
     * Reads the file.
     *
     * @param isReal whether the cluster has an API server, and therefore agents of its own
     * @throws ParameterException if the option cannot be used
     */
    Optional<SampleFile> samples(CommandSpec command, boolean isReal) {
        if (isReal && file.isPresent()) {
            throw new ParameterException(
                    command.commandLine(),
                    "%s %s is for a simulated cluster: leave it out, and start agents on the nodes"
                            .formatted(NAME, file.get()));
        }
        return file.map(SampleFile::read);
    }
}
