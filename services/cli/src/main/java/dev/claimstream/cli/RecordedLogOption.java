package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.JoinedLog;
import dev.claimstream.cli.output.RunFailure;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that select a recorded log: topics, an archive, or an archive and the topics after it. */
final class RecordedLogOption {
    @Mixin
    private LogSourceOption source;

    @Option(
            names = "--archive",
            paramLabel = "DIR|URI",
            description =
                    "Read this archive, without topics. With --data or --bootstrap, read the archive and the topics"
                            + " after it.")
    private Optional<String> archive = Optional.empty();

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private RecordedLogOption() {}

    /**
     * Opens the log, if its archive is intact.
     *
     * @throws RunFailure if a file of the archive is damaged or missing
     */
    AuditLog open() {
        if (archive.isEmpty()) {
            return source.open();
        }
        var archived = new ArchiveLog(ArchiveStore.of(archive.get()));
        List<String> problems = archived.problems();
        if (!problems.isEmpty()) {
            throw new RunFailure(problems.getFirst());
        }
        return openWith(archived);
    }

    /** Opens the archive without a check of its files; empty if no archive is selected. */
    Optional<ArchiveLog> archive() {
        return archive.map(ArchiveStore::of).map(ArchiveLog::new);
    }

    /** Returns whether an option names the log. Variables do not count. */
    boolean isNamed() {
        return archive.isPresent() || source.isNamed();
    }

    /** Returns the archive, or the archive joined with the topics if an option names them. */
    AuditLog openWith(ArchiveLog archived) {
        return source.isNamed() ? new JoinedLog(archived, source.open()) : archived;
    }
}
