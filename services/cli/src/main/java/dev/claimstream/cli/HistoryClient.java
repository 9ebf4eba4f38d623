package dev.claimstream.cli;

import dev.claimstream.cli.console.ServiceToken;
import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.history.store.HistoryException;
import dev.claimstream.history.store.ResultTable;
import dev.claimstream.history.store.ResultText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** HTTP client of a history service. Errors are {@link RunFailure}s and {@link HistoryException}s with a remedy. */
final class HistoryClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofMinutes(2);

    private final URI service;
    private Optional<String> token = Optional.empty();

    HistoryClient(URI service) {
        this.service = service;
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
            HttpURLConnection connection = open(question, parameters, body);
            String text;
            try (InputStream in = connection.getInputStream()) {
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
            HttpURLConnection connection = open("export", new TreeMap<>(Map.of("format", format)), Optional.empty());
            try (InputStream in = connection.getInputStream()) {
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
        URI url = URI.create("%s/api/v1/%s%s".formatted(service, question, query));
        var connection = (HttpURLConnection) url.toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout((int) CONNECT_TIMEOUT.toMillis());
        connection.setReadTimeout((int) RESPONSE_TIMEOUT.toMillis());
        token.ifPresent(each -> connection.setRequestProperty("Authorization", "Bearer " + each));
        if (body.isPresent()) {
            connection.setRequestMethod("POST");
            connection.setDoOutput(true);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(body.get());
            }
        }
        if (connection.getResponseCode() == HttpURLConnection.HTTP_UNAUTHORIZED && token.isEmpty()) {
            token = Optional.of(ServiceToken.of(service, Optional.empty()));
            return open(question, parameters, body);
        }
        if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
            throw rejected(connection);
        }
        return connection;
    }

    private RuntimeException rejected(HttpURLConnection connection) throws IOException {
        try (InputStream in = connection.getErrorStream()) {
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
