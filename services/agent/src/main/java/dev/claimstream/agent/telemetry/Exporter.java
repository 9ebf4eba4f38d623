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
    private Optional<CompletableFuture<Answer>> asked = Optional.empty();
    private Instant dueAt = Instant.MIN;

    /**
     * Limits of a scrape.
     *
     * @param every interval between scrapes
     * @param timeout time for the whole response
     * @param bytesMax maximum size of the response
     */
    record Limits(Duration every, Duration timeout, long bytesMax) {}

    /** Result of a scrape. */
    sealed interface Answer {
        /** The body of the response. */
        record Text(String text) implements Answer {}

        /** The scrape failed. */
        record Failed(String why) implements Answer {}
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
    void askIfDue(Instant now) {
        if (asked.isEmpty() && !now.isBefore(dueAt)) {
            dueAt = now.plus(limits.every());
            asked = Optional.of(ask());
        }
    }

    /** Waits until the scrape in flight ends, at most for its timeout. */
    void await() {
        asked.ifPresent(CompletableFuture::join);
    }

    /** Returns the result that arrived since the last call. */
    Optional<Answer> take() {
        Optional<Answer> answer = asked.filter(CompletableFuture::isDone).map(CompletableFuture::join);
        if (answer.isPresent()) {
            asked = Optional.empty();
        }
        return answer;
    }

    private CompletableFuture<Answer> ask() {
        var request = HttpRequest.newBuilder(address)
                .timeout(limits.timeout())
                .header("Accept", "text/plain;version=0.0.4")
                .build();
        var body = HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), limits.bytesMax());
        var sent = client.sendAsync(request, body);
        // the timeout of the request covers only the headers; this one covers the body as well
        return sent.orTimeout(limits.timeout().toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(Exporter::answer)
                .exceptionally(failure -> failed(sent, failure));
    }

    private static Answer answer(HttpResponse<byte[]> response) {
        return response.statusCode() == STATUS_OK
                ? new Answer.Text(new String(response.body(), StandardCharsets.UTF_8))
                : new Answer.Failed("HTTP status %d".formatted(response.statusCode()));
    }

    private Answer failed(CompletableFuture<?> sent, Throwable failure) {
        sent.cancel(true);
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return new Answer.Failed(
                switch (cause) {
                    case java.util.concurrent.TimeoutException late -> "no complete answer within " + limits.timeout();
                    case java.net.ConnectException refused -> "no connection";
                    case IOException e -> String.valueOf(e.getMessage());
                    default -> cause.toString();
                });
    }
}
