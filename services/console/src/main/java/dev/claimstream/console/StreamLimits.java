package dev.claimstream.console;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;

/** Counts the open watches, per client and in all. The page's streams have the same limits of their own. Thread-safe. */
@Singleton
final class StreamLimits {
    private final int streamsMax;
    private final int streamsPerClientMax;
    private final Map<String, Integer> byClient = new HashMap<>();
    private int count;

    StreamLimits(
            @Value("${claimstream.console.streams-max:100}") int streamsMax,
            @Value("${claimstream.console.streams-per-client-max:20}") int streamsPerClientMax) {
        this.streamsMax = streamsMax;
        this.streamsPerClientMax = streamsPerClientMax;
    }

    /** @throws RejectedRequestException 429 if the client, or all clients together, have too many watches */
    synchronized void open(String client) {
        int own = byClient.getOrDefault(client, 0);
        boolean isOwn = own >= streamsPerClientMax;
        if (isOwn || count >= streamsMax) {
            throw new RejectedRequestException(
                    HttpStatus.TOO_MANY_REQUESTS,
                    isOwn
                            ? "%s has %d watches, the maximum".formatted(client, own)
                            : "the console has %d watches, the maximum".formatted(count),
                    "watch",
                    "close other watches, or raise claimstream.console."
                            + (isOwn ? "streams-per-client-max" : "streams-max"));
        }
        byClient.put(client, own + 1);
        count++;
    }

    synchronized void close(String client) {
        byClient.computeIfPresent(client, (_, own) -> own > 1 ? own - 1 : null);
        count--;
    }
}
