package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.cli.input.HttpAddress;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.ResultTable;
import dev.claimstream.history.store.StoreSettings;
import dev.claimstream.history.streams.ArchivedTelemetry;
import dev.claimstream.history.streams.LogFold;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that select where a question is answered: by a history service, or in this process, by a fold of a log. */
final class HistoryOption {
    private static final String VARIABLE = "CLAIMSTREAM_HISTORY";
    private static final int THREADS = 2;

    @Option(
            names = "--history",
            paramLabel = "URL",
            description = "Address of a history service, for example http://127.0.0.1:8412. Default:"
                    + " $CLAIMSTREAM_HISTORY. Without both, and with --archive, --data or --bootstrap, the log is read and"
                    + " folded in the memory of this command.")
    private Optional<String> service = Optional.empty();

    @Mixin
    private RecordedLogOption source;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    private boolean hasTelemetry;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private HistoryOption() {}

    /** A question in its two forms. */
    interface HistoryQuestion {
        /** Asks a service. */
        ResultTable ask(HistoryClient client);

        /** Asks the log that was folded in this process. */
        ResultTable ask(HistoryReader reader);
    }

    /** The answer to a question. */
    ResultTable answer(HistoryQuestion question) {
        return with(question::ask, question::ask);
    }

    /** Also folds the archived telemetry in this process. */
    HistoryOption withTelemetry() {
        hasTelemetry = true;
        return this;
    }

    /** Asks a service, or this process. */
    <T> T with(Function<HistoryClient, T> remote, Function<HistoryReader, T> local) {
        Optional<URI> address = address();
        return address.isPresent() ? remote.apply(new HistoryClient(address.get())) : folded(local);
    }

    private Optional<URI> address() {
        boolean isLogNamed = source.isNamed();
        if (service.isPresent() && isLogNamed) {
            throw new ParameterException(
                    spec.commandLine(), "--history excludes --archive, --data and --bootstrap: leave one out");
        }
        try {
            return service.map(text -> HttpAddress.of("--history", text))
                    .or(() -> Optional.ofNullable(System.getenv(VARIABLE))
                            .filter(text -> !text.isBlank() && !isLogNamed)
                            .map(text -> HttpAddress.of("$" + VARIABLE, text)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private <T> T folded(Function<HistoryReader, T> local) {
        Optional<ArchiveLog> archived = source.archive();
        archived.map(ArchiveLog::problems).ifPresent(problems -> problems.forEach(this::warn));
        try (AuditLog log = archived.map(source::openWith).orElseGet(source::open);
                var exports = new TemporaryExports();
                HistoryStore store = HistoryStore.open(
                        new StoreSettings(Optional.empty(), exports.folder(), "1GB", THREADS), cells(log))) {
            if (hasTelemetry) {
                // problems() has named the damaged hours
                archived.ifPresent(each -> new ArchivedTelemetry(store, _ -> {}).add(each.store()));
            }
            new LogFold(log, store, this::warn).run(LogFold.end(log));
            if (store.figures().overlaps() > 0) {
                warn(
                        "%d times two claims held one device beyond its sharing: claimstream audit sql \"SELECT * FROM device_overlaps\""
                                .formatted(store.figures().overlaps()));
            }
            return local.apply(store.reader());
        }
    }

    private static int cells(AuditLog log) {
        int cells = log.partitions(LogVerifier.INPUTS).size();
        if (cells == 0) {
            throw new RunFailure("%s has no topic %s: name the log of a running Claimstream, or an archive of it"
                    .formatted(log.location(), LogVerifier.INPUTS));
        }
        return cells;
    }

    private void warn(String text) {
        spec.commandLine().getErr().println("claimstream: " + text);
    }

    /** A folder for exports and for what does not fit in memory, deleted with its content. */
    private static final class TemporaryExports implements AutoCloseable {
        private final Path folder;

        TemporaryExports() {
            try {
                folder = Files.createTempDirectory("claimstream-history");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Path folder() {
            return folder;
        }

        @Override
        public void close() {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(each);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
