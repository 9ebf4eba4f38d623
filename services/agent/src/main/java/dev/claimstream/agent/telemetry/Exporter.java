package dev.claimstream.agent.telemetry;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Scrapes one metrics exporter asynchronously. Not thread-safe.
 *
 * <p>Requests go only to the configured address; redirects are not followed.
 */
final class Exporter {
    private static final int STATUS_OK = 200;

    private final URI address;
    private final HttpClient client;
    private final Limits limits;
    private Optional<CompletableFuture<ScrapeResult>> pendingScrape = Optional.empty();
    private Instant dueAt = Instant.MIN;

    /**
     * Limits of a scrape.
     *
     * @param every interval between scrapes
     * @param timeout time for the whole response
     * @param bytesMax maximum size of the response
     */
    record Limits(Duration every, Duration timeout, long bytesMax) {}

    /** The response of the exporter, or why there is none. */
    sealed interface ScrapeResult {
        /** The body of the response. */
        record Body(String text) implements ScrapeResult {}

        /** The scrape failed. */
        record Failure(String reason) implements ScrapeResult {}
    }

    Exporter(URI address, HttpClient client, Limits limits) {
        this.address = address;
        this.client = client;
        this.limits = limits;
    }

    URI address() {
        return address;
    }

    /** Starts a scrape if its time has come and none is in flight. */
    void scrapeIfDue(Instant now) {
        if (pendingScrape.isEmpty() && !now.isBefore(dueAt)) {
            dueAt = now.plus(limits.every());
            pendingScrape = Optional.of(scrape());
        }
    }

    /** Waits until the scrape in flight ends, at most for its timeout. */
    void await() {
        pendingScrape.ifPresent(CompletableFuture::join);
    }

    /** Returns the result that arrived since the last call. */
    Optional<ScrapeResult> take() {
        Optional<ScrapeResult> result =
                pendingScrape.filter(CompletableFuture::isDone).map(CompletableFuture::join);
        if (result.isPresent()) {
            pendingScrape = Optional.empty();
        }
        return result;
    }

    private CompletableFuture<ScrapeResult> scrape() {
        var request = HttpRequest.newBuilder(address)
                .timeout(limits.timeout())
                .header("Accept", "text/plain;version=0.0.4")
                .build();
        var body = HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), limits.bytesMax());
        var sent = client.sendAsync(request, body);
        // the timeout of the request covers only the headers; this one covers the body as well
        return sent.orTimeout(limits.timeout().toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(Exporter::result)
                .exceptionally(failure -> failure(sent, failure));
    }

    private static ScrapeResult result(HttpResponse<byte[]> response) {
        return response.statusCode() == STATUS_OK
                ? new ScrapeResult.Body(new String(response.body(), StandardCharsets.UTF_8))
                : new ScrapeResult.Failure("HTTP status %d".formatted(response.statusCode()));
    }

    private ScrapeResult failure(CompletableFuture<?> sent, Throwable failure) {
        sent.cancel(true);
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return new ScrapeResult.Failure(
                switch (cause) {
                    case java.util.concurrent.TimeoutException late ->
                        "no complete response within " + limits.timeout();
                    case java.net.ConnectException refused -> "no connection";
                    case IOException e -> String.valueOf(e.getMessage());
                    default -> cause.toString();
                });
    }
}
