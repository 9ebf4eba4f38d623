package dev.claimstream.cli.console;

import dev.claimstream.cli.console.ServiceConnection.ServiceRequest;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.DefaultFolders;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.manifests.tree.TreeReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** HTTP client of the console of a running Claimstream. Errors are {@link RunFailure}s with a remedy. */
public final class ConsoleClient {
    /** One JSON value per line. */
    private static final String LINES = "application/x-ndjson";

    private static final String JSON = "application/json";
    private static final String YAML = "application/yaml";

    private final ConsoleTarget target;
    private final ServiceConnection connection;
    private Optional<ApiAccess> access = Optional.empty();

    private ConsoleClient(ConsoleTarget place) {
        this.target = place;
        connection = new ServiceConnection(place.console(), console -> ServiceToken.of(console, access));
    }

    /** The location of the console. */
    public sealed interface ConsoleTarget {
        URI console();

        /** The console of the {@code up} on a local data folder. */
        record Folder(Path folder, Endpoint endpoint) implements ConsoleTarget {
            @Override
            public URI console() {
                return endpoint.console();
            }
        }

        /** A console of which only the address is known. */
        record Address(URI console) implements ConsoleTarget {}
    }

    /**
     * Returns the client of the {@code up} on a folder.
     *
     * @throws RunFailure if no process has published an endpoint in the folder
     */
    public static ConsoleClient ofFolder(Path folder) {
        return new ConsoleClient(new ConsoleTarget.Folder(
                folder,
                DataFolder.publishedEndpoint(folder).orElseThrow(() -> new RunFailure(notRunningMessage(folder)))));
    }

    static ConsoleClient ofAddress(URI console) {
        return new ConsoleClient(new ConsoleTarget.Address(console));
    }

    /** Returns the error text for a folder on which nothing runs. */
    public static String notRunningMessage(Path folder) {
        var usual = DefaultFolders.ofUser();
        return "no 'claimstream up' runs on %s: start it with 'claimstream up%s'%s"
                .formatted(
                        folder,
                        usual.upOptions(folder),
                        usual.has(folder)
                                ? ", name the folder of another one with --data, or the console of a cluster with"
                                        + " --console, after kubectl port-forward -n claimstream"
                                        + " deployment/claimstream-console 8410"
                                : "");
    }

    /** Uses the token of this cluster's user if the console asks for one, instead of that of the usual kubeconfig. */
    void useTokenOf(ApiAccess cluster) {
        access = Optional.of(cluster);
    }

    public ConsoleTarget target() {
        return target;
    }

    /**
     * A response of the console.
     *
     * @param state value of the header {@code Claimstream-State}
     */
    public record ConsoleResponse(int status, String body, Optional<String> state) {}

    /** Sends a GET request and returns the response whatever its status is. */
    public ConsoleResponse get(String path, String type) {
        return exchange("GET", path, Optional.empty(), type);
    }

    /** Returns the health report, with status 200 or 503. */
    public ConsoleResponse health() {
        ConsoleResponse response = get("/health", JSON);
        if (ComponentStatuses.of(parse(response)).all().isEmpty()) {
            throw unexpectedServer();
        }
        return response;
    }

    JsonObject item(String path) {
        return parse(json(path));
    }

    public ConsoleResponse json(String path) {
        return requireOk(get(path, JSON));
    }

    /** Returns the response as text for people. */
    public ConsoleResponse text(String path) {
        return requireOk(get(path, "text/plain"));
    }

    /**
     * Returns whether the console reports a missing object.
     * A 404 without an error document comes from another server that does not know the path.
     */
    public boolean isNotFound(ConsoleResponse response) {
        return response.status() == HttpURLConnection.HTTP_NOT_FOUND
                && parse(response).find("error").isPresent();
    }

    public JsonObject post(String path, byte[] body) {
        return parse(requireOk(exchange("POST", path, Optional.of(body), JSON)));
    }

    public JsonObject delete(String path) {
        return parse(requireOk(exchange("DELETE", path, Optional.empty(), JSON)));
    }

    /** Streams the elements of a list. */
    public void items(String path, Consumer<JsonObject> each) {
        try (var lines = lines(path, ServiceConnection.RESPONSE_TIMEOUT)) {
            lines.forEach(each);
        }
    }

    public List<JsonObject> items(String path) {
        List<JsonObject> all = new ArrayList<>();
        items(path, all::add);
        return all;
    }

    /** The claims of a list, with the number of the last change that the list contains. */
    public record ListedClaims(List<JsonObject> items, long lastChange) {}

    public ListedClaims claims(String path) {
        try (var lines = lines(path, ServiceConnection.RESPONSE_TIMEOUT)) {
            List<JsonObject> all = new ArrayList<>();
            lines.forEach(all::add);
            return new ListedClaims(List.copyOf(all), lines.lastChange);
        }
    }

    /** Opens a watch, which does not end by itself. */
    public Lines watch(String path) {
        return lines(path, Duration.ofMinutes(1)); // the console sends keepalives more often
    }

    private Lines lines(String path, Duration silence) {
        try {
            HttpURLConnection answer =
                    connection.send(new ServiceRequest("GET", path, LINES, YAML, Optional.empty(), silence));
            if (answer.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw requestFailure(new ConsoleResponse(answer.getResponseCode(), body(answer), Optional.empty()));
            }
            return new Lines(
                    new BufferedReader(new InputStreamReader(answer.getInputStream(), StandardCharsets.UTF_8)),
                    answer.getHeaderFieldLong("Claimstream-Change", 0));
        } catch (IOException e) {
            throw connectionFailure(e);
        }
    }

    /** A stream of JSON values, one per line. */
    public final class Lines implements AutoCloseable {
        private final BufferedReader reader;
        private final long lastChange;

        private Lines(BufferedReader reader, long lastChange) {
            this.reader = reader;
            this.lastChange = lastChange;
        }

        /** Returns at the end of the stream. */
        public void forEach(Consumer<JsonObject> each) {
            try {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    if (!line.isBlank()) {
                        each.accept(parse(line));
                    }
                }
            } catch (IOException e) {
                throw connectionFailure(e);
            }
        }

        @Override
        public void close() {
            try {
                reader.close();
            } catch (IOException e) {
                throw connectionFailure(e);
            }
        }
    }

    private ConsoleResponse exchange(String method, String path, Optional<byte[]> body, String type) {
        try {
            HttpURLConnection answer = connection.send(
                    new ServiceRequest(method, path, type, YAML, body, ServiceConnection.RESPONSE_TIMEOUT));
            return new ConsoleResponse(
                    answer.getResponseCode(),
                    body(answer),
                    Optional.ofNullable(answer.getHeaderField("Claimstream-State")));
        } catch (IOException e) {
            throw connectionFailure(e);
        }
    }

    private static String body(HttpURLConnection answer) throws IOException {
        boolean isGood = answer.getResponseCode() < HttpURLConnection.HTTP_BAD_REQUEST;
        try (InputStream in = isGood ? answer.getInputStream() : answer.getErrorStream()) {
            return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private ConsoleResponse requireOk(ConsoleResponse response) {
        if (response.status() != HttpURLConnection.HTTP_OK) {
            throw requestFailure(response);
        }
        return response;
    }

    /**
     * Parses the JSON object of a response.
     *
     * @throws RunFailure if the body is not JSON
     */
    public JsonObject parse(ConsoleResponse response) {
        return parse(response.body());
    }

    private JsonObject parse(String json) {
        try {
            return new JsonObject(TreeReader.json(json));
        } catch (IllegalArgumentException e) {
            throw unexpectedServer();
        }
    }

    private RunFailure requestFailure(ConsoleResponse response) {
        JsonObject error = parse(response);
        return error.find("error")
                .map(why -> new RunFailure(
                        why + error.find("remedy").map(remedy -> ": " + remedy).orElse("")))
                .orElseGet(this::unexpectedServer);
    }

    private RunFailure unexpectedServer() {
        return new RunFailure(
                "%s is not a console of Claimstream: check which program listens there, or name another address with --console or --data"
                        .formatted(target.console()));
    }

    private RunFailure connectionFailure(IOException e) {
        return new RunFailure(
                switch (target) {
                    case ConsoleTarget.Folder up
                    when e instanceof ConnectException && isProcessGone(up) ->
                        "'claimstream up' on %s has ended (process %d is gone): start it again with 'claimstream up%s'"
                                .formatted(
                                        up.folder(),
                                        up.endpoint().pid(),
                                        DefaultFolders.ofUser().upOptions(up.folder()));
                    case ConsoleTarget.Folder up ->
                        "%s (process %d, on %s) does not respond: %s"
                                .formatted(up.console(), up.endpoint().pid(), up.folder(), FolderChecks.reason(e));
                    case ConsoleTarget.Address(URI console) ->
                        "%s does not respond, %s: check that it runs there, or name another address with --console"
                                .formatted(
                                        console,
                                        e instanceof UnknownHostException ? "unknown host" : FolderChecks.reason(e));
                });
    }

    private static boolean isProcessGone(ConsoleTarget.Folder up) {
        return ProcessHandle.of(up.endpoint().pid()).isEmpty();
    }

    /** Returns an encoded path with parameters. */
    public static String path(List<String> parts, SortedMap<String, String> parameters) {
        String path = parts.stream().map(ConsoleClient::encoded).collect(Collectors.joining("/", "/", ""));
        return parameters.isEmpty()
                ? path
                : parameters.entrySet().stream()
                        .map((Map.Entry<String, String> each) -> each.getKey() + "=" + encoded(each.getValue()))
                        .collect(Collectors.joining("&", path + "?", ""));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
