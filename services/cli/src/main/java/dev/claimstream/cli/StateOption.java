package dev.claimstream.cli;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.streams.CellFollower;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.selectors.CelSelectors;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that select a recorded log and a time, and the state of the cells at that time. */
final class StateOption {
    @Option(
            names = "--at",
            paramLabel = "TIME",
            description =
                    "The state after the last input at or before this time, for example 2026-03-01T12:00:00Z; without"
                            + " a zone in the local one. Default: now.")
    private Optional<String> at = Optional.empty();

    @Option(
            names = "--archive",
            paramLabel = "DIR|URI",
            description = "Read the log from this archive, without topics.")
    private Optional<String> archive = Optional.empty();

    @Option(
            names = {"--bootstrap", "--bootstrap-servers"},
            paramLabel = "HOST:PORT",
            description =
                    "Read the log from the Kafka of individually started services, with the connection settings of"
                            + " the environment and of $CLAIMSTREAM_CONFIG.")
    private Optional<String> bootstrap = Optional.empty();

    @Option(
            names = "--registry",
            paramLabel = "URL",
            description = "Schema registry of these services. Default: $CLAIMSTREAM_REGISTRY_URL.")
    private Optional<String> registry = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private StateOption() {}

    /** Returns whether an option selects a log or a time. */
    boolean isGiven() {
        return at.isPresent() || archive.isPresent() || bootstrap.isPresent() || registry.isPresent();
    }

    /** Returns whether an option names a log. */
    boolean isLogNamed() {
        return archive.isPresent() || bootstrap.isPresent();
    }

    /**
     * Opens the selected log.
     *
     * @param folder data folder of an {@code up}, if no option names a log
     * @throws RunFailure if no {@code up} runs on the folder, or a file of the archive is damaged
     */
    AuditLog open(Supplier<Path> folder) {
        if (archive.isPresent() && bootstrap.isPresent()) {
            throw invalid("--archive and --bootstrap exclude each other: leave one out");
        }
        if (archive.isPresent()) {
            var archived = new ArchiveLog(ArchiveStore.of(archive.get()));
            List<String> problems = archived.problems();
            if (!problems.isEmpty()) {
                throw new RunFailure(problems.getFirst());
            }
            return archived;
        }
        return bootstrap
                .map(servers -> LogSourceOption.ofServices(spec, servers, registry))
                .orElseGet(() -> LogSourceOption.ofUp(folder.get()));
    }

    /**
     * Returns the state of every cell at the selected time: replayed from the inputs, or the present one.
     *
     * @throws RunFailure if the log has no inputs
     * @throws dev.claimstream.audit.AuditException if the log begins after the time, or cannot be read
     */
    List<CellFollower> replay(AuditLog log) {
        Optional<Instant> time = PastTime.of(spec.commandLine(), "--at", at);
        List<CellIdentity> cells = CellFollower.cells(log);
        if (cells.isEmpty()) {
            throw new RunFailure(
                    "%s has no inputs: name the Kafka of Claimstream with --bootstrap, or an archive with --archive"
                            .formatted(log.location()));
        }
        return cells.stream()
                .map(cell -> time.map(then -> CellFollower.at(log, new CelSelectors(), cell, then))
                        .orElseGet(() -> present(log, cell)))
                .toList();
    }

    private static CellFollower present(AuditLog log, CellIdentity cell) {
        CellFollower follower = CellFollower.atEnd(log, new CelSelectors(), cell);
        follower.catchUp();
        return follower;
    }

    private ParameterException invalid(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
