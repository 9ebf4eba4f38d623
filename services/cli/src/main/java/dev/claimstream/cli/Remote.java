package dev.claimstream.cli;

import dev.claimstream.manifests.tree.TreeReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
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

/**
 * HTTP client of the console of a running Claimstream. Errors are {@link RunFailure}s with a remedy.
 * It uses {@link HttpURLConnection}, which starts faster than the newer client of the JDK.
 */
final class Remote {
    /** One JSON value per line. */
    private static final String LINES = "application/x-ndjson";

    private static final String JSON = "application/json";
    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
    private static final Duration ANSWER_WITHIN = Duration.ofMinutes(2);

    private final Place place;

    private Remote(Place place) {
        this.place = place;
    }

    /** The location of the console. */
    sealed interface Place {
        URI console();

        /** The console of the {@code up} on a local data folder. */
        record Folder(Path folder, Endpoint endpoint) implements Place {
            @Override
            public URI console() {
                return endpoint.console();
            }
        }

        /** A console of which only the address is known. */
        record Address(URI console) implements Place {}
    }

    /**
     * Returns the client of the {@code up} on a folder.
     *
     * @throws RunFailure if no process has published an endpoint in the folder
     */
    static Remote on(Path folder) {
        return new Remote(new Place.Folder(
                folder, DataFolder.announced(folder).orElseThrow(() -> new RunFailure(nothingRuns(folder)))));
    }

    /** Returns the client of a console at an address. */
    static Remote at(URI console) {
        return new Remote(new Place.Address(console));
    }

    /** Returns the error text for a folder on which nothing runs. */
    static String nothingRuns(Path folder) {
        boolean isUsual = folder.equals(DataFolder.usual());
        return "nothing runs on %s: start it with 'claimstream up%s'%s"
                .formatted(
                        folder,
                        isUsual ? "" : " --data " + folder,
                        isUsual ? ", or name the folder of another one with --data" : "");
    }

    Place place() {
        return place;
    }

    /**
     * A response of the console.
     *
     * @param state value of the header {@code Claimstream-State}
     */
    record Said(int status, String body, Optional<String> state) {}

    /** Sends a GET request and returns the response whatever its status is. */
    Said say(String path, String type) {
        return exchange("GET", path, Optional.empty(), type);
    }

    /** Returns the health report, with status 200 or 503. */
    Said health() {
        Said said = say("/health", JSON);
        if (Parts.of(parsed(said)).all().isEmpty()) {
            throw foreign();
        }
        return said;
    }

    /** Returns the JSON object of a path. */
    Item item(String path) {
        return parsed(json(path));
    }

    /** Returns the response as JSON. */
    Said json(String path) {
        return sound(say(path, JSON));
    }

    /** Returns the response as text for people. */
    Said text(String path) {
        return sound(say(path, "text/plain"));
    }

    /**
     * Returns whether the console reports a missing object.
     * A 404 without an error document comes from another server that does not know the path.
     */
    boolean isMissing(Said said) {
        return said.status() == HttpURLConnection.HTTP_NOT_FOUND
                && parsed(said).find("error").isPresent();
    }

    Item post(String path, byte[] body) {
        return parsed(sound(exchange("POST", path, Optional.of(body), JSON)));
    }

    Item delete(String path) {
        return parsed(sound(exchange("DELETE", path, Optional.empty(), JSON)));
    }

    /** Streams the elements of a list. */
    void items(String path, Consumer<Item> each) {
        try (var lines = lines(path, ANSWER_WITHIN)) {
            lines.forEach(each);
        }
    }

    List<Item> items(String path) {
        List<Item> all = new ArrayList<>();
        items(path, all::add);
        return all;
    }

    /** Opens a watch, which does not end by itself. */
    Lines follow(String path) {
        return lines(path, Duration.ofMinutes(1)); // the console sends keepalives more often
    }

    private Lines lines(String path, Duration silence) {
        try {
            HttpURLConnection connection = open("GET", path, LINES);
            connection.setReadTimeout((int) silence.toMillis());
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw refusal(new Said(connection.getResponseCode(), body(connection), Optional.empty()));
            }
            return new Lines(
                    new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw lost(e);
        }
    }

    /** A stream of JSON values, one per line. */
    final class Lines implements AutoCloseable {
        private final BufferedReader reader;

        private Lines(BufferedReader reader) {
            this.reader = reader;
        }

        /** Returns at the end of the stream. */
        void forEach(Consumer<Item> each) {
            try {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    if (!line.isBlank()) {
                        each.accept(parsed(line));
                    }
                }
            } catch (IOException e) {
                throw lost(e);
            }
        }

        @Override
        public void close() {
            try {
                reader.close();
            } catch (IOException e) {
                throw lost(e);
            }
        }
    }

    private Said exchange(String method, String path, Optional<byte[]> body, String type) {
        try {
            HttpURLConnection connection = open(method, path, type);
            connection.setReadTimeout((int) ANSWER_WITHIN.toMillis());
            if (body.isPresent()) {
                connection.setRequestProperty("Content-Type", "application/yaml");
                connection.setDoOutput(true);
                connection.setFixedLengthStreamingMode(body.get().length);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(body.get());
                }
            }
            return new Said(
                    connection.getResponseCode(),
                    body(connection),
                    Optional.ofNullable(connection.getHeaderField("Claimstream-State")));
        } catch (IOException e) {
            throw lost(e);
        }
    }

    private HttpURLConnection open(String method, String path, String type) throws IOException {
        URI url = URI.create(place.console() + path);
        var connection = (HttpURLConnection) url.toURL().openConnection(java.net.Proxy.NO_PROXY);
        connection.setRequestMethod(method);
        connection.setConnectTimeout((int) CONNECT_WITHIN.toMillis());
        connection.setRequestProperty("Accept", type);
        return connection;
    }

    private static String body(HttpURLConnection connection) throws IOException {
        boolean isGood = connection.getResponseCode() < HttpURLConnection.HTTP_BAD_REQUEST;
        try (InputStream in = isGood ? connection.getInputStream() : connection.getErrorStream()) {
            return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Said sound(Said said) {
        if (said.status() != HttpURLConnection.HTTP_OK) {
            throw refusal(said);
        }
        return said;
    }

    /**
     * Parses the JSON object of a response.
     *
     * @throws RunFailure if the body is not JSON
     */
    Item parsed(Said said) {
        return parsed(said.body());
    }

    private Item parsed(String json) {
        try {
            return new Item(TreeReader.json(json));
        } catch (IllegalArgumentException e) {
            throw foreign();
        }
    }

    private RunFailure refusal(Said said) {
        Item error = parsed(said);
        return error.find("error")
                .map(why -> new RunFailure(
                        why + error.find("remedy").map(remedy -> ": " + remedy).orElse("")))
                .orElseGet(this::foreign);
    }

    private RunFailure foreign() {
        return new RunFailure(
                "%s does not answer as a console does: see what listens there, or name another one with --console or --data"
                        .formatted(place.console()));
    }

    private RunFailure lost(IOException e) {
        return new RunFailure(
                switch (place) {
                    case Place.Folder up
                    when e instanceof ConnectException && isGone(up) ->
                        "nothing runs on %s any more (process %d is gone): start it again with 'claimstream up%s'"
                                .formatted(
                                        up.folder(),
                                        up.endpoint().pid(),
                                        up.folder().equals(DataFolder.usual()) ? "" : " --data " + up.folder());
                    case Place.Folder up ->
                        "%s (process %d, on %s) does not answer: %s"
                                .formatted(up.console(), up.endpoint().pid(), up.folder(), Folders.reason(e));
                    case Place.Address(URI console) ->
                        "%s does not answer, %s: see whether it runs there, or name another one with --console"
                                .formatted(
                                        console,
                                        e instanceof UnknownHostException
                                                ? "nobody knows that host"
                                                : Folders.reason(e));
                });
    }

    private static boolean isGone(Place.Folder up) {
        return ProcessHandle.of(up.endpoint().pid()).isEmpty();
    }

    /** Returns an encoded path with parameters. */
    static String path(List<String> parts, SortedMap<String, String> parameters) {
        String path = parts.stream().map(Remote::encoded).collect(Collectors.joining("/", "/", ""));
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
