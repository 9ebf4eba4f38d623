package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditException;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Option that archives the log of {@code up}. */
final class ArchiveOption {
    private static final String NAME = "--archive";

    @Option(
            names = NAME,
            paramLabel = "DIR|URI",
            description =
                    "Archive inputs, ledger, states and telemetry in this folder, or in s3://BUCKET/PREFIX, at the start and"
                            + " every 10 minutes (claimstream.archive.every). Default: claimstream.archive.folder.")
    private Optional<String> location = Optional.empty();

    /**
     * Sets the system property. Call it before services read their settings.
     *
     * @throws ParameterException if the location is invalid
     */
    void configure(CommandSpec command) {
        location.ifPresent(each -> {
            try {
                ArchiveStore.of(each).close();
            } catch (AuditException e) {
                throw new ParameterException(command.commandLine(), "%s: %s".formatted(NAME, e.getMessage()), e);
            }
            System.setProperty("claimstream.archive.folder", each);
        });
    }
}
