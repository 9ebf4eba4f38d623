package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Reads the events of the live stream. */
final class LiveEventReader implements AutoCloseable {
    private final InputStream in;
    private final BufferedReader lines;

    LiveEventReader(HttpClient http, URI url) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = http.send(
                HttpRequest.newBuilder(url.resolve("/api/v1/live")).build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
        in = response.body();
        lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    /** Returns the data of the next event with this name. */
    String next(String name) throws IOException {
        String event = "";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("event:")) {
                event = line.substring("event:".length()).strip();
            } else if (line.startsWith("data:") && event.equals(name)) {
                return line.substring("data:".length()).strip();
            }
        }
        throw new IOException("the stream ended before an event " + name);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
