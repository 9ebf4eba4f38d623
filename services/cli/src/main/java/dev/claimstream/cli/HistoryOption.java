package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.cli.console.ConsoleOption;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
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
    private static final String CONSOLE = "--console";
    private static final int THREADS = 2;

    @Option(
            names = "--history",
            paramLabel = "URL",
            description = "Address of a history service, for example http://127.0.0.1:8412. Default:"
                    + " $CLAIMSTREAM_HISTORY, else the console. Without service and console, and with --archive, --data or"
                    + " --bootstrap, the log is read and folded in the memory of this command.")
    private Optional<String> service = Optional.empty();

    @Option(
            names = CONSOLE,
            paramLabel = "URL",
            description = "Address of a console, which asks its history service. Default: $CLAIMSTREAM_CONSOLE.")
    private Optional<String> console = Optional.empty();

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
        Optional<HistoryClient> client = client();
        return client.isPresent() ? remote.apply(client.get()) : folded(local);
    }

    private Optional<HistoryClient> client() {
        if (service.isPresent() && console.isPresent()) {
            throw invalid("--history excludes --console: leave one out");
        }
        if (source.isNamed() && (service.isPresent() || console.isPresent())) {
            throw invalid("%s excludes --archive, --data and --bootstrap: leave one out"
                    .formatted(service.isPresent() ? "--history" : CONSOLE));
        }
        try {
            return client(service, console, source.isNamed(), System.getenv());
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns the client of the service or console of an option, else of a variable. A named log precedes the variables.
     *
     * @throws IllegalArgumentException if an address is not an HTTP address
     */
    static Optional<HistoryClient> client(
            Optional<String> service, Optional<String> console, boolean isLogNamed, Map<String, String> environment) {
        Optional<HistoryClient> named = service.map(text -> new HistoryClient(HttpAddress.of("--history", text)))
                .or(() -> console.map(text -> HistoryClient.ofConsole(HttpAddress.of(CONSOLE, text))));
        if (named.isPresent() || isLogNamed) {
            return named;
        }
        return Optional.ofNullable(environment.get(VARIABLE))
                .filter(text -> !text.isBlank())
                .map(text -> new HistoryClient(HttpAddress.of("$" + VARIABLE, text)))
                .or(() -> ConsoleOption.address(Optional.empty(), false, environment)
                        .map(HistoryClient::ofConsole));
    }

    private ParameterException invalid(String message) {
        return new ParameterException(spec.commandLine(), message);
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
                        "%d times one device was allocated to two claims beyond its sharing: claimstream audit sql \"SELECT * FROM device_overlaps\""
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
