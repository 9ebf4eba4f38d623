package dev.claimstream.console;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The text of an open response, read by a thread of its own. */
final class StreamedText implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient http = HttpClient.newHttpClient();
    private final StringBuilder text = new StringBuilder();
    private final int status;
    private boolean isEnded;

    StreamedText(URI url, String token) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = http.send(
                HttpRequest.newBuilder(url)
                        .header("Authorization", "Bearer " + token)
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        status = response.statusCode();
        Thread.ofVirtual().start(() -> read(response.body()));
    }

    private void read(InputStream body) {
        try (body) {
            var part = new byte[8192];
            for (int count = body.read(part); count >= 0; count = body.read(part)) {
                add(new String(part, 0, count, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            add("");
        }
        end();
    }

    private synchronized void add(String part) {
        text.append(part);
        notifyAll();
    }

    private synchronized void end() {
        isEnded = true;
        notifyAll();
    }

    int status() {
        return status;
    }

    /** Returns the text once it contains the part, or has ended, or the time is up. */
    synchronized String awaitText(String part) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (text.indexOf(part) < 0 && !isEnded && System.nanoTime() < end) {
            TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
        }
        return text.toString();
    }

    /** Returns whether the response has ended before the time is up. */
    synchronized boolean awaitEnd() throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isEnded && System.nanoTime() < end) {
            TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
        }
        return isEnded;
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
