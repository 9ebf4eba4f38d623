package dev.claimstream.cli;

import dev.claimstream.cli.console.ServiceConnection;
import dev.claimstream.cli.console.ServiceConnection.ServiceRequest;
import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.history.store.HistoryException;
import dev.claimstream.history.store.ResultTable;
import dev.claimstream.history.store.ResultText;
import dev.claimstream.manifests.tree.TreeReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * HTTP client of a history service, or of a console that asks its history service. Errors are {@link RunFailure}s and
 * {@link HistoryException}s with a remedy.
 */
final class HistoryClient {
    private final URI service;
    private final HistoryEndpoint endpoints;
    private final ServiceConnection connection;

    private HistoryClient(URI service, HistoryEndpoint endpoints) {
        this.service = service;
        this.endpoints = endpoints;
        connection = ServiceConnection.withUsualToken(service);
    }

    /** Creates the client of a history service. */
    HistoryClient(URI service) {
        this(service, HistoryEndpoint.HISTORY);
    }

    /** Creates the client of a console. */
    static HistoryClient ofConsole(URI console) {
        return new HistoryClient(console, HistoryEndpoint.CONSOLE);
    }

    /** The program at the address. */
    private enum HistoryEndpoint {
        HISTORY,
        CONSOLE;

        String program() {
            return this == HISTORY ? "history service" : "console";
        }

        String option() {
            return this == HISTORY ? "--history" : "--console";
        }

        String path(String question) {
            return switch (this) {
                case HISTORY -> "/api/v1/" + question;
                // its path "usage" has device hours in steps, for the page
                case CONSOLE -> "/api/v1/past/" + (question.equals("usage") ? "device-hours" : question);
            };
        }
    }

    /** Returns the address of the service or console. */
    URI address() {
        return service;
    }

    /** Asks a question. */
    ResultTable get(String question, SortedMap<String, String> parameters) {
        return answer(question, parameters, Optional.empty());
    }

    /** Asks a SQL query. */
    ResultTable sql(String query) {
        requireHistory("SQL queries");
        return answer("sql", new TreeMap<>(), Optional.of(query.getBytes(StandardCharsets.UTF_8)));
    }

    private ResultTable answer(String question, SortedMap<String, String> parameters, Optional<byte[]> body) {
        try {
            HttpURLConnection answer = open(question, parameters, body);
            String text;
            try (InputStream in = answer.getInputStream()) {
                text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
            return ResultText.parse(text);
        } catch (IOException e) {
            throw failure(e);
        } catch (IllegalArgumentException e) {
            throw notHistory();
        }
    }

    /** Downloads an export. */
    void export(String format, Path file) {
        requireHistory("exports");
        try {
            HttpURLConnection answer = open("export", new TreeMap<>(Map.of("format", format)), Optional.empty());
            try (InputStream in = answer.getInputStream()) {
                Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private void requireHistory(String what) {
        if (endpoints == HistoryEndpoint.CONSOLE) {
            throw new RunFailure(
                    "the console %s does not forward %s: name the history service with --history, or the log with --bootstrap, --archive or --data"
                            .formatted(service, what));
        }
    }

    private HttpURLConnection open(String question, SortedMap<String, String> parameters, Optional<byte[]> body)
            throws IOException {
        String query = parameters.entrySet().stream()
                .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&", "?", ""));
        HttpURLConnection answer = connection.send(new ServiceRequest(
                body.isPresent() ? "POST" : "GET",
                endpoints.path(question) + query,
                "*/*",
                "text/plain",
                body,
                ServiceConnection.RESPONSE_TIMEOUT));
        if (answer.getResponseCode() != HttpURLConnection.HTTP_OK) {
            throw rejected(answer);
        }
        return answer;
    }

    private RuntimeException rejected(HttpURLConnection answer) throws IOException {
        try (InputStream in = answer.getErrorStream()) {
            String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return ResultText.parseError(text)
                    .<RuntimeException>map(error -> error)
                    .or(() -> consoleError(text))
                    .orElseGet(this::notHistory);
        }
    }

    /** Returns the error with its remedy, as a console writes it. */
    private static Optional<RunFailure> consoleError(String text) {
        try {
            var error = new JsonObject(TreeReader.json(text));
            return error.find("error")
                    .map(message -> new RunFailure(
                            message + error.find("remedy").map(": "::concat).orElse("")));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private RunFailure notHistory() {
        return new RunFailure(
                "%s is not a %s of Claimstream: check which program listens there, or name another address with %s"
                        .formatted(service, endpoints.program(), endpoints.option()));
    }

    private RunFailure failure(IOException e) {
        return new RunFailure("%s does not respond, %s: check that the %s runs there, or name another address with %s"
                .formatted(
                        service,
                        e instanceof UnknownHostException ? "unknown host" : FolderChecks.reason(e),
                        endpoints.program(),
                        endpoints.option()));
    }
}
