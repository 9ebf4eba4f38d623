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
 * Asks one exporter, at its configured address and nowhere else, without waiting for the answer. For one thread.
 */
final class Exporter {
    private static final int STATUS_OK = 200;

    private final URI address;
    private final HttpClient client;
    private final Limits limits;
    private Optional<CompletableFuture<Answer>> asked = Optional.empty();
    private Instant dueAt = Instant.MIN;

    /**
     * @param every from one question to the next
     * @param timeout for the whole answer
     */
    record Limits(Duration every, Duration timeout, long bytesMax) {}

    /** What came of asking. */
    sealed interface Answer {
        /** The body. */
        record Text(String text) implements Answer {}

        /** There is none; why. */
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

    /** Asks where it is time and no question is open. */
    void askIfDue(Instant now) {
        if (asked.isEmpty() && !now.isBefore(dueAt)) {
            dueAt = now.plus(limits.every());
            asked = Optional.of(ask());
        }
    }

    /** Waits until an open question is answered, no longer than its timeout. */
    void await() {
        asked.ifPresent(CompletableFuture::join);
    }

    /** The answer that has come since the last call. */
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
        // the timeout of the request ends with the headers; this one stands for the body as well
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
