package dev.claimstream.cli;

import dev.claimstream.cli.console.ServiceConnection;
import dev.claimstream.cli.console.ServiceConnection.ServiceRequest;
import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.history.store.HistoryException;
import dev.claimstream.history.store.ResultTable;
import dev.claimstream.history.store.ResultText;
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

/** HTTP client of a history service. Errors are {@link RunFailure}s and {@link HistoryException}s with a remedy. */
final class HistoryClient {
    private final URI service;
    private final ServiceConnection connection;

    HistoryClient(URI service) {
        this.service = service;
        connection = ServiceConnection.withUsualToken(service);
    }

    /** Asks a question. */
    ResultTable get(String question, SortedMap<String, String> parameters) {
        return answer(question, parameters, Optional.empty());
    }

    /** Asks a SQL query. */
    ResultTable sql(String query) {
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
        try {
            HttpURLConnection answer = open("export", new TreeMap<>(Map.of("format", format)), Optional.empty());
            try (InputStream in = answer.getInputStream()) {
                Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private HttpURLConnection open(String question, SortedMap<String, String> parameters, Optional<byte[]> body)
            throws IOException {
        String query = parameters.entrySet().stream()
                .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&", "?", ""));
        HttpURLConnection answer = connection.send(new ServiceRequest(
                body.isPresent() ? "POST" : "GET",
                "/api/v1/" + question + query,
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
                    .orElseGet(this::notHistory);
        }
    }

    private RunFailure notHistory() {
        return new RunFailure(
                "%s is not a history service of Claimstream: check which program listens there, or name another address with --history"
                        .formatted(service));
    }

    private RunFailure failure(IOException e) {
        return new RunFailure(
                "%s does not respond, %s: check that the history service runs there, or name another address with --history"
                        .formatted(
                                service, e instanceof UnknownHostException ? "unknown host" : FolderChecks.reason(e)));
    }
}
